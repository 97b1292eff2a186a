/*
 * The browser driver in a single program, without orch-browserd: for operators who create profiles
 * and inspect the provider's pages.
 */
#ifndef ASSAY_ORCHESTRATOR_BROWSER_ALONE_H
#define ASSAY_ORCHESTRATOR_BROWSER_ALONE_H

#include "orchestrator/browser/driver.h"

/* Starts a launcher for the browser of the settings, and a driver; does not start the browser yet.
 * One per process. */
MUST_CHECK enum error driver_start_alone(struct driver *driver,
                                         const struct orchestrator_settings *settings,
                                         struct problem *problem);

/* Ends the browser, and the launcher. */
void driver_stop_alone(struct driver *driver);

/* Waits for a line, or the end, of standard input, without a time limit. The operator may use the
 * browser meanwhile. DRIVER_OTHER_ERROR when the browser was closed. */
enum driver_error driver_wait_for_line(struct driver *driver);

#endif
