/* Opens the database of the experiments service from its settings. This file depends on the storage
 * files of all subjects; no subject includes it. */
#ifndef ASSAY_EXPERIMENTS_STORAGE_STORE_H
#define ASSAY_EXPERIMENTS_STORAGE_STORE_H

#include "db/store.h"
#include "experiments/settings.h"

/* Location and options of the database. Texts from `arena` and the settings. */
void experiments_store_plan(struct arena *arena, const struct experiments_settings *settings,
                            struct store_plan *plan);

/* As store_open(). `run_directory` holds the leases of connections, NULL in programs without other
 * processes. */
MUST_CHECK enum error experiments_store_open(struct arena *arena,
                                             const struct experiments_settings *settings,
                                             const char *run_directory, struct store **store,
                                             struct problem *problem);

#endif
