/* Opens the database of the orchestrator by its settings. Only the files of this folder contain its
 * SQL. */
#ifndef ASSAY_ORCHESTRATOR_STORAGE_STORE_H
#define ASSAY_ORCHESTRATOR_STORAGE_STORE_H

#include "db/store.h"
#include "orchestrator/settings.h"

/* Where, as the programs that make and keep databases need it, too. The backend `memory` has no
 * record: its file in `run_directory` (NULL = in memory alone) ends with the stack. */
void orchestrator_store_plan(struct arena *arena, const struct orchestrator_settings *settings,
                             const char *run_directory, struct store_plan *plan);

/* As store_open(). `run_directory` holds the leases of connections and the file of the backend
 * `memory`, NULL in programs that run alone. */
MUST_CHECK enum error orchestrator_store_open(struct arena *arena,
                                              const struct orchestrator_settings *settings,
                                              const char *run_directory, struct store **store,
                                              struct problem *problem);

#endif
