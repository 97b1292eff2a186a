/* Where live data stores: one database, its schema in sql/livedata/. */
#ifndef ASSAY_LIVEDATA_STORE_H
#define ASSAY_LIVEDATA_STORE_H

#include "db/store.h"
#include "livedata/settings.h"

/* Where, as the programs that make and keep databases need it, too. */
void livedata_store_plan(struct arena *arena, const struct livedata_settings *settings,
                         struct store_plan *plan);

/* Makes the handle; connects to nothing. `run_directory` counts connections; NULL = not counted. */
MUST_CHECK enum error livedata_store_open(struct arena *arena,
                                          const struct livedata_settings *settings,
                                          const char *run_directory, struct store **store,
                                          struct problem *problem);

#endif
