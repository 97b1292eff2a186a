/* The database of the support service; its schema is in sql/support/. */
#ifndef ASSAY_SUPPORT_STORE_H
#define ASSAY_SUPPORT_STORE_H

#include "db/store.h"
#include "support/settings.h"

/* The location of the database, also for programs that create and maintain databases. */
void support_store_plan(struct arena *arena, const struct support_settings *settings,
                        struct store_plan *plan);

/* Creates the handle without connecting. `run_directory` counts connections; NULL = not counted. */
MUST_CHECK enum error support_store_open(struct arena *arena,
                                         const struct support_settings *settings,
                                         const char *run_directory, struct store **store,
                                         struct problem *problem);

#endif
