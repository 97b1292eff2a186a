/* Taking away what has grown old. Nothing does this by itself: an operator, or a scheduled program.
 */
#ifndef ASSAY_EXPERIMENTS_RETENTION_H
#define ASSAY_EXPERIMENTS_RETENTION_H

#include "experiments/store.h"

/* Ages in days; 0 or less leaves a table alone. */
struct retention_windows {
    int64_t audit_days;
};

/* What was, or would be, taken away. */
struct retention_counts {
    int64_t audit_log;
};

/* Counts rows strictly older than their window and, unless `dry_run`, deletes them, all in one
 * transaction. */
MUST_CHECK enum error retention_purge(struct db *db, const struct retention_windows *windows,
                                      bool dry_run, struct retention_counts *counts,
                                      struct problem *problem);

#endif
