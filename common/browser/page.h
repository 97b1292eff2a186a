/*
 * A browser tab: navigation, reading by scripts, mouse and keyboard input. Scripts run in an
 * isolated world, which the page's own scripts cannot access. Dialogs are dismissed when they open.
 * Deadlines are monotonic microseconds.
 */
#ifndef ASSAY_BROWSER_PAGE_H
#define ASSAY_BROWSER_PAGE_H

#include "browser/cdp.h"

enum page_key {
    PAGE_KEY_ESCAPE,
    PAGE_KEY_SELECT_ALL,
    PAGE_KEY_DELETE,
    PAGE_KEY_CONTROL_ENTER,
    PAGE_KEY_CONTROL_I,
    PAGE_KEY__MAX
};

struct page;

/* Attaches to the browser's first tab, or opens one. While it is open, the page is the listener of
 * the connection and forwards to `watch`, whose on_event is not used. The caller owns the page; the
 * connection must outlive it. */
MUST_CHECK enum cdp_outcome page_open(struct cdp *cdp, const struct cdp_listener *watch,
                                      int64_t deadline, struct page **page);
void page_close(struct page *page);

/* CDP_OK when the document has loaded; CDP_REFUSED when the browser could not navigate. */
MUST_CHECK enum cdp_outcome page_navigate(struct page *page, const char *url, int64_t deadline);

/* The value of `script`, a function expression, called with the JSON texts `first` and `second`; it
 * lives until the next call. CDP_REFUSED when it throws. */
MUST_CHECK enum cdp_outcome page_evaluate(struct page *page, const char *script, const char *first,
                                          const char *second, int64_t deadline, json_t **value);

/* Clicks with the mouse at a point of the window. */
MUST_CHECK enum cdp_outcome page_click(struct page *page, double x, double y, int64_t deadline);
MUST_CHECK enum cdp_outcome page_press(struct page *page, enum page_key key, int64_t deadline);
MUST_CHECK enum cdp_outcome page_insert_text(struct page *page, const char *text, int64_t deadline);

/* Selects files for the input element that `script`, a function expression, returns; the browser
 * opens them by their paths when the page reads them. CDP_NOT_FOUND when it returns none. */
MUST_CHECK enum cdp_outcome page_choose_files(struct page *page, const char *script,
                                              const char *const *paths, size_t count,
                                              int64_t deadline);

/* Writes a PNG of the whole page into a new file (mode 0600). */
MUST_CHECK enum cdp_outcome page_screenshot(struct page *page, const char *path, int64_t deadline);

/* Waits while events are handled. */
MUST_CHECK enum cdp_outcome page_wait(struct page *page, int64_t until);

/* Whether the tab answers within two seconds. */
bool page_is_alive(struct page *page);

/* The reason why a call was refused or the tab is closed. */
const char *page_fault(const struct page *page);

#endif
