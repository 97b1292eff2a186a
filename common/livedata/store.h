/* Opens the database of live data; its schema is in sql/livedata/. */
#ifndef ASSAY_LIVEDATA_STORE_H
#define ASSAY_LIVEDATA_STORE_H

#include "db/store.h"
#include "livedata/settings.h"

/* Location of the database, also for programs that create and maintain databases. */
void livedata_store_plan(struct arena *arena, const struct livedata_settings *settings,
                         struct store_plan *plan);

/* Creates the handle without connecting. `run_directory` counts connections; NULL = not counted. */
MUST_CHECK enum error livedata_store_open(struct arena *arena,
                                          const struct livedata_settings *settings,
                                          const char *run_directory, struct store **store,
                                          struct problem *problem);

#endif
