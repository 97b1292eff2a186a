/* Deletes old rows; run by an operator or a scheduled program. */
#ifndef ASSAY_EXPERIMENTS_STORAGE_RETENTION_H
#define ASSAY_EXPERIMENTS_STORAGE_RETENTION_H

#include "experiments/audit/audit_store.h"

/* Ages in days; 0 or less keeps the table unchanged. */
struct retention_windows {
    int64_t exposures_days;
    int64_t conversions_days;
    int64_t audit_days;              /* entries with pending deliveries stay */
    int64_t webhook_deliveries_days; /* since they were delivered or given up */
};

/* Number of rows deleted, or to be deleted. */
struct retention_counts {
    int64_t exposures;
    int64_t conversions;
    int64_t audit_log;
    int64_t webhook_deliveries;
};

struct retention_call {
    struct db *db;
    struct arena *arena;
    const struct actor *actor; /* the actor of the purge */
    struct problem *problem;
};

/* Counts rows strictly older than their limit. Unless `dry_run`, deletes them and records that as
 * `retention.purge`, all in one transaction. A run that deletes nothing is not recorded. */
MUST_CHECK enum error retention_purge(const struct retention_call *call,
                                      const struct retention_windows *windows, bool dry_run,
                                      struct retention_counts *counts);

#endif
