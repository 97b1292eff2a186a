/* What each storage function of live data is called with. */
#ifndef ASSAY_LIVEDATA_STORAGE_CALL_H
#define ASSAY_LIVEDATA_STORAGE_CALL_H

#include "db/db.h"

/* The database handle, the tenant whose rows are read or written, and the time that counts as now
 * (microseconds since 1970). Results live as long as the arena. */
struct storage_call {
    struct db *db;
    struct arena *arena;
    struct problem *problem;
    const char *tenant;
    int64_t now;
};

#endif
