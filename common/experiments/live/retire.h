/*
 * Deletes old raw rows. Units and aggregates are marked as stale: the next read, or live-rebuild,
 * computes them again from the remaining rows.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_RETIRE_H
#define ASSAY_EXPERIMENTS_LIVE_RETIRE_H

#include "base/error.h"
#include "db/db.h"

/* Receipt times; rows received earlier are deleted. 0 = none. */
struct live_retirement {
    int64_t exposures_before, conversions_before;
    int64_t exposures, conversions; /* out: deleted rows, or rows that would be deleted */
};

/* Runs in the open transaction. User ids without any remaining rows are deleted too. */
MUST_CHECK enum error live_retire(struct db *db, struct arena *arena, bool dry_run,
                                  struct live_retirement *retirement, struct problem *problem);

#endif
