/* Refreshes the list of models available through the browser. */
#ifndef ASSAY_ORCHESTRATOR_DISPATCH_MODEL_LIST_REFRESH_H
#define ASSAY_ORCHESTRATOR_DISPATCH_MODEL_LIST_REFRESH_H

#include "db/db.h"
#include "orchestrator/settings.h"

/* Reads the page's model menu by a job of the browser's process, and stores it. The stored list is
 * kept when that fails. ERROR_UNAVAILABLE `menu_not_read` with the reason, or the store's
 * errors. */
MUST_CHECK enum error model_list_refresh(const struct orchestrator_settings *settings,
                                         const char *run_directory, struct db *db,
                                         struct arena *arena, struct problem *problem);

#endif
