/* The difference to the database's clock, measured every few seconds. */
#include "livedata/freshness/clock.h"

#include "base/clock.h"
#include "db/query.h"

#include <stdlib.h>

enum {
    MEASURED_EVERY_US = 5000000,
    RETRIED_EVERY_US = 500000,
    SAME_US = 50000 /* a smaller difference is the noise of measuring */
};

static const struct statement database_time = {
    .name = "live_clock",
    .sql = "SELECT {now_microseconds}",
};

static void measure(struct live_clock *clock, struct db *db)
{
    struct problem problem;
    int64_t began = clock_unix_microseconds(), time, ahead, took;
    struct query *query = db_query(db, &database_time);

    time = query_next(query) ? query_integer(query, 0) : 0;
    took = clock_unix_microseconds() - began;
    clock->measured_at = clock_monotonic_microseconds();
    if (query_end(query, &problem)) {
        clock->measured_at -= MEASURED_EVERY_US - RETRIED_EVERY_US;
        return;
    }
    ahead = time - began - took / 2;
    clock->ahead = llabs(ahead) < SAME_US + took ? 0 : ahead;
}

int64_t live_clock_now(struct live_clock *clock, struct db *db)
{
    if (db_engine(db) == DB_SQLITE)
        return clock_unix_microseconds();
    if (!clock->measured_at ||
        clock_monotonic_microseconds() - clock->measured_at > MEASURED_EVERY_US)
        measure(clock, db);
    return clock_unix_microseconds() + clock->ahead;
}
