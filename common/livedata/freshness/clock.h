/*
 * The time of the database, which all hosts share: processing times, ages and bounds are measured
 * by it, so that a host whose clock is wrong answers like the others. On SQLite it is the clock of
 * this host.
 */
#ifndef ASSAY_LIVEDATA_FRESHNESS_CLOCK_H
#define ASSAY_LIVEDATA_FRESHNESS_CLOCK_H

#include "db/db.h"

/* Zeroed at first; one per process. */
struct live_clock {
    int64_t ahead;       /* microseconds by which the database is ahead of this host */
    int64_t measured_at; /* monotonic; 0 = not yet */
};

/* Microseconds since 1970. Asks the database now and then; while it does not answer, the difference
 * measured last holds. */
int64_t live_clock_now(struct live_clock *clock, struct db *db);

#endif
