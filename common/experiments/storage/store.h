/* The database of the experiments service, out of its settings. Each subject has its own storage
 * files; this one knows them all and no subject includes it. */
#ifndef ASSAY_EXPERIMENTS_STORAGE_STORE_H
#define ASSAY_EXPERIMENTS_STORAGE_STORE_H

#include "db/store.h"
#include "experiments/settings.h"

/* Where it is and what it should be like. Texts from `arena` and the settings. */
void experiments_store_plan(struct arena *arena, const struct experiments_settings *settings,
                            struct store_plan *plan);

/* As store_open(). `run_directory` holds the leases of connections, NULL in programs that run
 * alone. */
MUST_CHECK enum error experiments_store_open(struct arena *arena,
                                             const struct experiments_settings *settings,
                                             const char *run_directory, struct store **store,
                                             struct problem *problem);

#endif
