/* Looking at the web provider's menu of models again. */
#ifndef ASSAY_ORCHESTRATOR_DISPATCH_MODEL_LIST_REFRESH_H
#define ASSAY_ORCHESTRATOR_DISPATCH_MODEL_LIST_REFRESH_H

#include "db/db.h"
#include "orchestrator/settings.h"

/* Has the browser's process read the menu, as a job in its queue, and stores it; what was stored
 * stays when that fails. ERROR_UNAVAILABLE `menu_not_read` says why; else the store's errors. */
MUST_CHECK enum error model_list_refresh(const struct orchestrator_settings *settings,
                                         const char *run_directory, struct db *db,
                                         struct arena *arena, struct problem *problem);

#endif
