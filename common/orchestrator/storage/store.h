/* Opens the database of the orchestrator from its settings. Only the files of this folder contain
 * its SQL. */
#ifndef ASSAY_ORCHESTRATOR_STORAGE_STORE_H
#define ASSAY_ORCHESTRATOR_STORAGE_STORE_H

#include "db/store.h"
#include "orchestrator/settings.h"

/* Location of the database, also for programs that create and maintain databases. The backend
 * `memory` has no record of its identity: its file in `run_directory` (NULL = in memory only) is
 * deleted with the stack. */
void orchestrator_store_plan(struct arena *arena, const struct orchestrator_settings *settings,
                             const char *run_directory, struct store_plan *plan);

/* As store_open(). `run_directory` holds the leases of connections and the file of the backend
 * `memory`, NULL in programs without other processes. */
MUST_CHECK enum error orchestrator_store_open(struct arena *arena,
                                              const struct orchestrator_settings *settings,
                                              const char *run_directory, struct store **store,
                                              struct problem *problem);

#endif
