/*
 * Drift detection for the web provider's start page: captures the buttons of the composer and the
 * lines of the model menu, and compares two captures, to detect changes of the site before calls
 * fail.
 */
#ifndef ASSAY_ORCHESTRATOR_BROWSER_PAGE_DRIFT_H
#define ASSAY_ORCHESTRATOR_BROWSER_PAGE_DRIFT_H

#include "orchestrator/browser/driver.h"

/* Captures the page in the driver's session, within ORCH_BROWSER_CALL_TIMEOUT_SECONDS; calls
 * `report` at each stage. Writes the object {home_buttons, model_menu, flags}, without the menu
 * when there is none. */
enum driver_error page_capture(struct driver *driver, void (*report)(const char *stage),
                               struct json_writer *writer);

/* Added, removed and changed top-level members, as arrays of names. More composer buttons with a
 * menu than before are reported as `home_menu_button_count`. */
struct page_drift {
    struct string_list added, removed, changed;
};

/* False when there is none. */
bool page_compare(struct arena *arena, const struct site *site, const json_t *before,
                  const json_t *after, struct page_drift *drift);

#endif
