/*
 * Reading the copies of large tables in ClickHouse. A copy may lag behind the database; every
 * answer says up to where the journal is part of it, from a mark that was inserted with the rows:
 * it is never newer than the rows. A copy that lags too far, has lost rows or is not there does not
 * answer. Writing them: blocks.h.
 *
 * The table of a copy has the columns of outbox_put_line(): tenant_id, row_time, c_<column>...,
 * row_sign, row_block, row_position, row_complete. Sums of a column times row_sign are those of the
 * table. Rows of the tenant "" are marks; the sums of their columns are the last block and what it
 * contains. While a part of a block is there, the sum is at least COLUMNAR_OPEN_BLOCK.
 */
#ifndef ASSAY_LIVEDATA_COLUMNAR_COLUMNAR_H
#define ASSAY_LIVEDATA_COLUMNAR_COLUMNAR_H

#include "livedata/catalog/own.h"
#include "livedata/columnar/clickhouse.h"
#include "livedata/journal/ages.h"
#include "livedata/storage_call.h"

/* Of a request: where copies are, what its reader demands, and what the answers contained. */
struct columnar_read {
    const struct livedata_settings *settings;
    struct shm_region *region;
    int64_t at_least;    /* number of a journal row that must be part of the answer; 0 = none */
    int64_t complete_at; /* what was acknowledged until then must be; 0 = none */

    bool behind;          /* an answer came from a copy that lagged; the lowest of them: */
    int64_t position;     /* number of the journal's last row that is part of it */
    int64_t position_at;  /* time of that row; 0 = it was deleted */
    int64_t contained_at; /* what was acknowledged until then is part of it */
};

/* Whether the table is to be copied; false without ClickHouse. */
bool columnar_chosen(const struct livedata_settings *settings, const struct serving_table *table);

struct columnar_copy {
    bool live;
    int64_t incarnation; /* of the table in ClickHouse */
    int64_t block;       /* at least this one is there */
    int64_t lag;      /* microseconds; 0 = all changes are there; else of the oldest other one: */
    int64_t position; /* the journal's last row before it */
    int64_t complete_at; /* its time */
    int64_t waiting;     /* lines that are not there yet; columnar_states() only */
};
/* By the database. */
MUST_CHECK enum error columnar_look(const struct storage_call *call,
                                    const struct serving_table *table, struct columnar_copy *copy);

/* The name of the table in ClickHouse. */
const char *columnar_name(struct arena *arena, const char *table, int64_t incarnation);

#define COLUMNAR_OPEN_BLOCK ((int64_t)1 << 40)

/* What the mark in an answer says. */
struct columnar_mark {
    int64_t block, position, complete_at;
};
/* Notes in call->columnar what an answer contains. ERROR_UNAVAILABLE columnar_lost when blocks are
 * missing or one is not whole, columnar_behind when it contains less than the reader demands. */
MUST_CHECK enum error columnar_accept(const struct storage_call *call,
                                      const struct columnar_copy *copy,
                                      const struct columnar_mark *mark);

/* The newest event of the entity that a lagging answer contains, if it is older than `newest`; else
 * `newest` stays. The journal has no own times of events: that of the older event is computed with
 * the delay that the newest one had. */
MUST_CHECK enum error columnar_newest(const struct storage_call *call, const char *entity,
                                      struct event_mark *newest);

/* The copies of all tables that are chosen, for readiness and metrics. */
struct columnar_state {
    const char *table;
    const char *state; /* "live", "filling", "stale", "missing" */
    struct columnar_copy copy;
};
struct columnar_states {
    size_t count;
    struct columnar_state *items;
};
MUST_CHECK enum error columnar_states(const struct storage_call *call,
                                      const struct livedata_settings *settings,
                                      const struct catalog *catalog,
                                      struct columnar_states *states);
/* Whether the copy is whole and does not lag too far. */
bool columnar_is_ready(const struct livedata_settings *settings,
                       const struct columnar_state *state);
/* Whether ClickHouse answers within a second. */
bool columnar_answers(const struct storage_call *call);

#endif
