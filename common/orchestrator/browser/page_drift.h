/*
 * What the web provider's start page offers, written down so that a change of the site is noticed
 * before it is a failure: buttons of the composer, lines of the menu of models, and whether they
 * were where they are expected.
 */
#ifndef ASSAY_ORCHESTRATOR_BROWSER_PAGE_DRIFT_H
#define ASSAY_ORCHESTRATOR_BROWSER_PAGE_DRIFT_H

#include "orchestrator/browser/driver.h"

/* Looks, with the driver's session, within ORCH_BROWSER_CALL_TIMEOUT_SECONDS; `tell` hears of each
 * stage. Writes the object {home_buttons, model_menu, flags}, without the menu when there is none.
 */
enum driver_error page_capture(struct driver *driver, void (*report)(const char *stage),
                               struct json_writer *writer);

/* Members of top level that came, went and changed, as arrays of names. That more buttons of the
 * composer open menus than before has a name of its own, `home_menu_button_count`. */
struct page_drift {
    struct string_list added, removed, changed;
};

/* False when there is none. */
bool page_compare(struct arena *arena, const struct site *site, const json_t *before,
                  const json_t *after, struct page_drift *drift);

#endif
