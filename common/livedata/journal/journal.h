/* The journal: what was applied and what could not be, in the order of writing. */
#ifndef ASSAY_LIVEDATA_JOURNAL_JOURNAL_H
#define ASSAY_LIVEDATA_JOURNAL_JOURNAL_H

#include "livedata/journal/ages.h"
#include "livedata/storage_call.h"

/* The version of an entity that a change has removed. */
#define JOURNAL_REMOVED "null"

#define TOPIC_VALIDATED "events.validated"
#define TOPIC_DEADLETTER "events.deadletter"
#define TOPIC_REPLAYED "events.replayed" /* was a dead letter until the event was applied */
#define TOPIC_STATUS "orders.status"

struct journal_row {
    int64_t seq; /* filled in when it was written or read */
    const char *tenant;
    const char *event_id;
    const char *topic;
    const char *entity_type; /* or NULL, as all below */
    const char *entity_id;
    const char *event_type;
    struct optional_integer latency_ms;
    int64_t processed_at;
    const char *source;
    const char *way_in; /* "http", "spool"... */
    const char *branch;
    const char *entity_data; /* JSON */
};

struct journal_rows {
    size_t count;
    struct journal_row *items;
};

/* What is known of an event. */
struct journal_known {
    bool applied;
    bool has_letter; /* a dead letter that was not replayed */
};
MUST_CHECK enum error journal_known(const struct storage_call *call, const char *event_id,
                                    struct journal_known *known);
MUST_CHECK enum error journal_add(const struct storage_call *call, struct journal_row *row);
/* A row of an event that could not be applied; adds none when there is one. */
MUST_CHECK enum error journal_add_dead(const struct storage_call *call,
                                       const struct journal_row *row);

/* Filters may be NULL: `family` is order, payment, clickstream, inventory or an exact type. */
struct journal_filter {
    const char *family;
    const char *entity_id;
    const char *types; /* of entities that may be seen: access/types.h */
};

/* Rows of applied events after `seq`, oldest first and without their data: at most `most` that
 * match, out of at most `scan_most` that are scanned. */
struct journal_scan {
    struct journal_rows rows;
    int64_t scanned; /* rows */
    int64_t reached; /* the last of them */
    bool ended;      /* there is none after it */
};
MUST_CHECK enum error journal_after(const struct storage_call *call, int64_t seq,
                                    const struct journal_filter *filter, int most,
                                    int64_t scan_most, struct journal_scan *scan);
/* Rows of validated events of all tenants after `seq`, oldest first; and the number of the last
 * row of all. For streams. */
MUST_CHECK enum error journal_after_all(const struct storage_call *call, int64_t seq, int most,
                                        struct journal_rows *rows);
MUST_CHECK enum error journal_last_seq(const struct storage_call *call, int64_t *seq);
/* Whether the row passes the filter. */
bool journal_matches(const struct journal_filter *filter, const struct journal_row *row);

/* The newest ones, oldest first, among the newest `scan_most`. */
MUST_CHECK enum error journal_newest(const struct storage_call *call,
                                     const struct journal_filter *filter, int most,
                                     int64_t scan_most, struct journal_rows *rows);
/* All rows of an entity except states of orders (or those alone), oldest first. */
MUST_CHECK enum error journal_of_entity(const struct storage_call *call, const char *entity_id,
                                        bool states, int most, struct journal_rows *rows);
/* The state of an entity at a time; NULL data when no version is that old, or when it was removed
 * by then. */
MUST_CHECK enum error journal_version(const struct storage_call *call, const char *entity_type,
                                      const char *entity_id, int64_t as_of, const char **data,
                                      int64_t *processed_at);
/* The object of a row as streams and webhooks send it, keys sorted. */
const char *journal_row_text(struct arena *arena, const struct journal_row *row, bool with_data,
                             size_t most);

/* What was touched by a transaction: raises the generation of each table and notes the newest event
 * of each type. `applied` is the last event that changed the table; zeroed where none did, as when
 * an event was rejected: then the table is no fresher than it was. */
MUST_CHECK enum error generation_raise(const struct storage_call *call, const char *table,
                                       struct event_mark applied, int64_t *gen);
MUST_CHECK enum error freshness_note(const struct storage_call *call, const char *event_type,
                                     int64_t event_at, int64_t events);
/* Ages of the oldest of the tables; the newest event of any of the types, or of all that were
 * applied. */
MUST_CHECK enum error ages_of_tables(const struct storage_call *call,
                                     const struct string_list *tables, struct data_ages *ages);
MUST_CHECK enum error newest_of_types(const struct storage_call *call,
                                      const struct string_list *types, struct event_mark *newest);
MUST_CHECK enum error newest_applied(const struct storage_call *call, struct event_mark *newest);

/* For hosts that have not made a change: generations that were raised with the journal's row `seq`
 * and later, in the order of their commits; the last such row; all of the tenant. */
struct generation {
    const char *tenant;
    const char *table;
    int64_t gen;
    int64_t seq; /* the journal's last row by then */
};
struct generations {
    size_t count;
    struct generation *items;
    bool more; /* there may be more, of the last `seq` too */
};
MUST_CHECK enum error generations_since(const struct storage_call *call, int64_t seq,
                                        struct generations *generations);
MUST_CHECK enum error generations_newest(const struct storage_call *call, int64_t *seq);
MUST_CHECK enum error generations_of_tenant(const struct storage_call *call,
                                            struct generations *generations);

#endif
