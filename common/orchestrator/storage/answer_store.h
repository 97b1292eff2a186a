/* Answers that are given again to the same request: a bounded table, in which the oldest make room.
 */
#ifndef ASSAY_ORCHESTRATOR_STORAGE_ANSWER_STORE_H
#define ASSAY_ORCHESTRATOR_STORAGE_ANSWER_STORE_H

#include "db/db.h"

struct answer_bounds {
    int64_t rows, bytes;
};

/* The answer with this key that has not expired and is not older than `seconds`; NULL = none. */
MUST_CHECK enum error answer_find(struct db *db, struct arena *arena, const char *key,
                                  int64_t seconds, const char **answer, struct problem *problem);

/* Keeps an answer for so many seconds, instead of an earlier one, and deletes what has expired or
 * is beyond the bounds. An answer larger than all bytes is not kept. */
MUST_CHECK enum error answer_keep(struct db *db, const char *key, const char *answer,
                                  int64_t seconds, struct answer_bounds bounds,
                                  struct problem *problem);

/* Deletes what has expired. */
MUST_CHECK enum error answer_expire(struct db *db, struct problem *problem);

#endif
