/* Common arguments of the storage functions of live data. */
#ifndef ASSAY_LIVEDATA_STORAGE_CALL_H
#define ASSAY_LIVEDATA_STORAGE_CALL_H

#include "db/db.h"

struct columnar_read;
struct series_changes;

/* The database handle, the tenant whose rows are read or written, and the current time
 * (microseconds since 1970). Results live as long as the arena. */
struct storage_call {
    struct db *db;
    struct arena *arena;
    struct problem *problem;
    const char *tenant;
    int64_t now;
    struct series_changes *changes; /* receives what a transaction changes, for series; or NULL */
    struct columnar_read *columnar; /* copies of large tables (columnar/columnar.h); or NULL */
    int64_t *journal_end; /* while a transaction writes the journal, the number of its last row, 0 =
                             not read yet; or NULL */
};

#endif
