/*
 * A PostgreSQL server that follows another (a hot standby), for reads that may be old. How old its
 * data may be is computed from positions of the write-ahead log, so no clocks of hosts are
 * compared: the primary is asked for its position about as often as a tenth of the largest age, and
 * the replica has at least the data of the latest such moment that it has reached.
 */
#ifndef ASSAY_DB_REPLICA_H
#define ASSAY_DB_REPLICA_H

#include "base/arena.h"
#include "base/settings.h"
#include "db/store.h"

/* Settings of the services that have one: rows for their tables. Member: replica. */
struct replica_settings {
    const char *url; /* NULL = there is none */
    double max_age_seconds;
};

#define REPLICA_SETTINGS(prefix)                                                                   \
    {prefix "DATABASE_REPLICA_URL",                                                                \
     SETTING_TEXT,                                                                                 \
     AT(replica.url),                                                                              \
     NULL,                                                                                         \
     .secret = true,                                                                               \
     .help = "A PostgreSQL server that follows the one of the database, for reads that may be "    \
             "old: `postgresql://user:password@host/name`."},                                      \
    {                                                                                              \
        prefix "DATABASE_REPLICA_MAX_AGE_SECONDS", SETTING_NUMBER, AT(replica.max_age_seconds),    \
            "10", 0.1, 86400,                                                                      \
            .help = "A replica whose data may be older is not asked; the database itself answers." \
    }

struct replica;

/* Connects to nothing. `plan` is that of the primary, whose record holds for the replica, too;
 * `setting` names the URL in errors. `*replica` is NULL when there is no URL. ERROR_INVALID
 * setting_invalid when it is none of PostgreSQL, or the primary is no server. Memory from `arena`.
 */
MUST_CHECK enum error replica_open(struct arena *arena, const struct store_plan *plan,
                                   const struct replica_settings *settings, const char *setting,
                                   struct replica **replica, struct problem *problem);

/* All take NULL and then do nothing. */
void replica_close(struct replica *replica);
void replica_end_of_request(struct replica *replica);
void replica_release(struct replica *replica);

/*
 * Whether the replica may answer a read now: it follows the primary on the same timeline, its data
 * is at most as old as the setting permits, and it has reached `position` (0 = any). Then `*db` is
 * its handle and `*age` at most how old its data is, in microseconds. Waits a second at most for a
 * replica that is away, and then leaves it alone for five.
 */
bool replica_answers(struct replica *replica, struct db *primary, int64_t position, struct db **db,
                     int64_t *age);

/* Whether all reads since then went to the server that was looked at. */
bool replica_stayed(const struct replica *replica);

/* The position of the primary's log, which has everything that was committed before: bytes. */
MUST_CHECK enum error replica_position(struct db *primary, int64_t *position,
                                       struct problem *problem);

#endif
