/*
 * Applies events. A batch is one transaction: it validates every event, applies it to the state,
 * writes it into the journal last, and passes it to webhooks. A fault of an event rejects only that
 * event; a database error rejects the batch.
 */
#ifndef ASSAY_LIVEDATA_INGEST_APPLY_H
#define ASSAY_LIVEDATA_INGEST_APPLY_H

#include "base/schema.h"
#include "livedata/catalog/catalog.h"
#include "livedata/events/event.h"
#include "livedata/freshness/position.h"
#include "livedata/freshness/sources.h"
#include "livedata/journal/journal.h"
#include "livedata/journal/series_changes.h"
#include "livedata/tables/tables.h"

enum apply_status { EVENT_APPLIED, EVENT_DEAD_LETTERED, EVENT_DUPLICATE };

struct apply_result {
    const char *event_id; /* or NULL */
    enum apply_status status;
    const char *reason; /* or NULL, as the detail: all faults */
    const char *detail;
};
SCHEMA_OF(apply_result_schema, struct apply_result);

struct apply_counts {
    int64_t accepted; /* number of events sent */
    int64_t applied;
    int64_t dead_lettered;
    int64_t duplicates;
};
SCHEMA_OF(apply_counts_schema, struct apply_counts);
#define APPLY_COUNT_ROWS                                                                           \
    INTEGER(OWNER, accepted), INTEGER(OWNER, applied), INTEGER(OWNER, dead_lettered),              \
        INTEGER(OWNER, duplicates)

struct live_cache;
struct redis;

struct apply_call {
    struct storage_call storage;
    const struct catalog *catalog;
    struct live_cache *cache; /* receives the changes; NULL = no cache */
    struct redis *redis;      /* notifies other hosts; NULL = none */
    const char *way_in;       /* "http", "node"; a constant */
    const char *branch;       /* branch that the events are counted for; NULL = none */
    bool hands_on;            /* this is an edge: applied events are also sent to the center */
    int64_t ahead_seconds;
    const struct heartbeat *heartbeats; /* of sources, applied after the events of a batch */
    size_t heartbeat_count;
    int64_t sources_max;    /* with heartbeats, per tenant */
    int64_t events_per_day; /* per tenant; 0 = unlimited */
    int64_t clock_ahead;    /* microseconds by which the database's clock is ahead of this host's */
    struct live_position position; /* of the tenant, after a batch: set by apply_batch() */

    /* Called in the transaction after each row of the journal, for webhooks. NULL = none. */
    enum error (*outbound)(struct apply_call *call, const struct journal_row *row,
                           const struct event *event);
    void *outbound_state; /* of this transaction */
};

/* Applies the events, with one of `results` for each. ERROR_BUSY, ERROR_UNAVAILABLE... of the
 * database: then nothing of the batch was stored. */
MUST_CHECK enum error apply_batch(struct apply_call *call, json_t *const *events, size_t count,
                                  struct apply_result *results, struct apply_counts *counts);

/* Adds a result. */
void apply_count(const struct apply_result *result, struct apply_counts *counts);

/* The db_lock() of whoever writes the journal. */
#define APPLY_LOCK "livedata.apply"

/* The same inside the caller's transaction, which then calls apply_finish(). */
struct apply_entity; /* rows to index for search, once, at the end */
struct apply_source {
    const char *name;
    int64_t event_at; /* own time of its newest event */
};
struct apply_table {
    const char *name;
    bool applied;     /* an applied event changed it */
    int64_t event_at; /* own time of the last such event */
    int64_t gen;      /* its new generation, after apply_finish() */
    int64_t change;   /* result of live_cache_changing() */
};
struct apply_type {
    const char *name; /* "" = of none that is known */
    int64_t events;
    int64_t event_at; /* own time of the last */
};
struct apply_touched {
    size_t source_count; /* of applied events */
    struct apply_source *sources;
    size_t entity_count;
    struct apply_entity *entities;
    size_t table_count;
    struct apply_table *tables;
    size_t type_count;
    struct apply_type *types;        /* of applied events */
    struct checked_entities checked; /* of domains */
    struct series_changes changes;
    int64_t journal_end; /* of storage_call */
};
MUST_CHECK enum error apply_one(struct apply_call *call, const json_t *payload,
                                struct apply_touched *touched, struct apply_result *result);
/* Before the commit: numbers the changes and notifies other hosts. */
MUST_CHECK enum error apply_finish(struct apply_call *call, struct apply_touched *touched);
/* After a failed commit, before the second apply_announce(): nothing was changed. */
void apply_forget(struct apply_touched *touched);
/* The cache updates, between apply_finish() and the commit, and after it. */
void apply_announce(struct apply_call *call, struct apply_touched *touched, bool committed);

/* Replays a dead letter, with members of `correction` (or NULL) in place of its own, in one
 * transaction. ERROR_NOT_FOUND dead_letter_not_found; ERROR_CONFLICT already_replayed;
 * ERROR_INVALID replay_invalid with the remaining faults: then nothing has changed. */
struct dead_letter;
MUST_CHECK enum error apply_replay(struct apply_call *call, const char *event_id,
                                   const json_t *correction, struct dead_letter *letter);
/* Dismisses a dead letter. ERROR_NOT_FOUND; ERROR_CONFLICT already_replayed for a replayed one. */
MUST_CHECK enum error apply_dismiss(struct apply_call *call, const char *event_id);

#endif
