/* Deletes old rows, on request of an operator or of a scheduled program.
 */
#ifndef ASSAY_EXPERIMENTS_STORAGE_RETENTION_H
#define ASSAY_EXPERIMENTS_STORAGE_RETENTION_H

#include "experiments/audit/audit_store.h"

/* Ages in days; 0 or less leaves a table alone. */
struct retention_windows {
    int64_t exposures_days;
    int64_t conversions_days;
    int64_t audit_days;              /* entries with pending deliveries stay */
    int64_t webhook_deliveries_days; /* since they were delivered or given up */
};

/* What was, or would be, taken away. */
struct retention_counts {
    int64_t exposures;
    int64_t conversions;
    int64_t audit_log;
    int64_t webhook_deliveries;
};

struct retention_call {
    struct db *db;
    struct arena *arena;
    const struct actor *actor; /* who purges */
    struct problem *problem;
};

/* Counts rows strictly older than their window and, unless `dry_run`, deletes them and records that
 * as `retention.purge`, all in one transaction. What takes nothing away is not recorded. */
MUST_CHECK enum error retention_purge(const struct retention_call *call,
                                      const struct retention_windows *windows, bool dry_run,
                                      struct retention_counts *counts);

#endif
