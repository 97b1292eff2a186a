/* A cache of computed values in the database, by key. A value past its expiry is absent. */
#ifndef ASSAY_SUPPORT_CACHE_H
#define ASSAY_SUPPORT_CACHE_H

#include "base/arena.h"
#include "db/db.h"

/* `value` is JSON. Keys include the tenant; the tenant column is only for inspection. */
MUST_CHECK enum error cache_put(struct db *db, const char *tenant, const char *key,
                                const char *value, int64_t seconds, struct problem *problem);

/* NULL when there is none. */
MUST_CHECK enum error cache_get(struct db *db, struct arena *arena, const char *tenant,
                                const char *key, const char **value, struct problem *problem);

/* Deletes expired values, at most 500. */
MUST_CHECK enum error cache_purge(struct db *db, int64_t *count, struct problem *problem);

#endif
