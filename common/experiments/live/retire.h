/*
 * Deletes old raw rows. Units and aggregates are marked as stale: the next read, or live-rebuild,
 * computes them again from the remaining rows.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_RETIRE_H
#define ASSAY_EXPERIMENTS_LIVE_RETIRE_H

#include "base/error.h"
#include "db/db.h"

/* Moments of receipt; rows received before them go. 0 = none. */
struct live_retirement {
    int64_t exposures_before, conversions_before;
    int64_t exposures, conversions; /* out: rows that went, or would */
};

/* In the transaction that is open. Ids of users without anything left go, too. */
MUST_CHECK enum error live_retire(struct db *db, struct arena *arena, bool dry_run,
                                  struct live_retirement *retirement, struct problem *problem);

#endif
