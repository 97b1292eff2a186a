/* The journal: applied and rejected events, in the order of writing. */
#ifndef ASSAY_LIVEDATA_JOURNAL_JOURNAL_H
#define ASSAY_LIVEDATA_JOURNAL_JOURNAL_H

#include "livedata/journal/ages.h"
#include "livedata/storage_call.h"

/* The version of an entity that was deleted by a change. */
#define JOURNAL_REMOVED "null"

#define TOPIC_VALIDATED "events.validated"
#define TOPIC_DEADLETTER "events.deadletter"
#define TOPIC_REPLAYED "events.replayed" /* was a dead letter before the event was applied */
#define TOPIC_STATUS "orders.status"

struct journal_row {
    int64_t seq; /* set when it was written or read */
    const char *tenant;
    const char *event_id;
    const char *topic;
    const char *entity_type; /* or NULL, like all members below */
    const char *entity_id;
    const char *event_type;
    struct optional_integer latency_ms;
    int64_t processed_at;
    const char *source;
    const char *way_in; /* "http", "spool"... */
    const char *branch;
    const char *entity_data; /* JSON */
    const char *payload;     /* of an event of a domain, as it came; only written */
    const char *position;    /* of the tenant after the row; only shown, or NULL */
};

struct journal_rows {
    size_t count;
    struct journal_row *items;
};

/* What the journal knows about an event. */
struct journal_known {
    bool applied;
    bool has_letter; /* a dead letter that was not replayed */
};
MUST_CHECK enum error journal_known(const struct storage_call *call, const char *event_id,
                                    struct journal_known *known);
MUST_CHECK enum error journal_add(const struct storage_call *call, struct journal_row *row);
/* Writes the row of an event that could not be applied; does nothing if the row exists. */
MUST_CHECK enum error journal_add_dead(const struct storage_call *call,
                                       const struct journal_row *row);

/* Filters may be NULL: `family` is order, payment, clickstream, inventory or an exact type. */
struct journal_filter {
    const char *family;
    const char *entity_id;
    const char *types; /* of readable entities: access/types.h */
};

/* Rows of applied events after `seq`, oldest first and without their data: at most `most` matching
 * rows, out of at most `scan_most` scanned ones. */
struct journal_scan {
    struct journal_rows rows;
    int64_t scanned; /* number of rows */
    int64_t reached; /* number of the last row */
    bool ended;      /* there are no further rows */
};
MUST_CHECK enum error journal_after(const struct storage_call *call, int64_t seq,
                                    const struct journal_filter *filter, int most,
                                    int64_t scan_most, struct journal_scan *scan);
/* Rows of validated events of all tenants after `seq`, oldest first; and the number of the
 * journal's last row, of all tenants, 0 = none. */
MUST_CHECK enum error journal_after_all(const struct storage_call *call, int64_t seq, int most,
                                        struct journal_rows *rows);
MUST_CHECK enum error journal_last_seq(const struct storage_call *call, int64_t *seq);
/* The time of a row, of any tenant; 0 = there is none. */
MUST_CHECK enum error journal_time(const struct storage_call *call, int64_t seq, int64_t *at);
/* All tenants that have or had rows in the journal, sorted. For upkeep, tenant by tenant. */
MUST_CHECK enum error journal_tenants(const struct storage_call *call, struct string_list *tenants);
/* Whether the row matches the filter. */
bool journal_matches(const struct journal_filter *filter, const struct journal_row *row);

/* The newest matching rows, oldest first, among the newest `scan_most`. */
MUST_CHECK enum error journal_newest(const struct storage_call *call,
                                     const struct journal_filter *filter, int most,
                                     int64_t scan_most, struct journal_rows *rows);
/* All rows of an entity except states of orders (or only those), oldest first. */
MUST_CHECK enum error journal_of_entity(const struct storage_call *call, const char *entity_id,
                                        bool states, int most, struct journal_rows *rows);
/* Its events that were applied or could not be, newest first; those that name no type count. */
MUST_CHECK enum error journal_newest_of_entity(const struct storage_call *call,
                                               const char *entity_type, const char *entity_id,
                                               int most, struct journal_rows *rows);
/* The state of an entity at a time; NULL data when no version is that old, or when it was deleted
 * by then. */
MUST_CHECK enum error journal_version(const struct storage_call *call, const char *entity_type,
                                      const char *entity_id, int64_t as_of, const char **data,
                                      int64_t *processed_at);
/* The object of a row in streams and webhooks, with sorted keys. */
const char *journal_row_text(struct arena *arena, const struct journal_row *row, bool with_data,
                             size_t most);

/* Records the tables that a transaction has changed: raises the generation of each table and stores
 * the newest event of each type. `applied` is the last event that changed the table; zeroed when
 * none did, as for a rejected event: then the table's age does not change. */
struct generation_number {
    int64_t gen;
    int64_t changed; /* number of the change, over all tables of the tenant */
};
MUST_CHECK enum error generation_raise(const struct storage_call *call, const char *table,
                                       struct event_mark applied);
/* The same where the transaction writes what it has changed (series_changes.h). */
MUST_CHECK enum error generation_raise_noted(const struct storage_call *call, const char *table,
                                             struct event_mark applied,
                                             struct generation_number *raised);
/* The generation of a table; 0 = it has never changed. */
MUST_CHECK enum error generation_of_table(const struct storage_call *call, const char *table,
                                          int64_t *gen);
/* Of all tenants that have rows: the table was computed anew. */
MUST_CHECK enum error generation_raise_for_all(const struct storage_call *call, const char *table);
MUST_CHECK enum error freshness_note(const struct storage_call *call, const char *event_type,
                                     int64_t event_at, int64_t events);
/* Ages of the oldest table; the newest event of any of the types, or of all applied events. */
MUST_CHECK enum error ages_of_tables(const struct storage_call *call,
                                     const struct string_list *tables, struct data_ages *ages);
MUST_CHECK enum error newest_of_types(const struct storage_call *call,
                                      const struct string_list *types, struct event_mark *newest);
MUST_CHECK enum error newest_applied(const struct storage_call *call, struct event_mark *newest);

/* For hosts that did not make a change: a page of generations in the order of `seq`, tenant and
 * table, after one of them (empty texts: all of its `seq`); the last `seq`; all generations of the
 * tenant. Many tenants may have the same `seq`: heartbeats add no row to the journal. */
struct generation {
    const char *tenant;
    const char *table;
    int64_t gen;
    int64_t seq; /* the journal's last row at that time */
};
struct generations {
    size_t count;
    struct generation *items;
    bool more; /* there may be more */
};
MUST_CHECK enum error generations_after(const struct storage_call *call,
                                        const struct generation *after,
                                        struct generations *generations);
MUST_CHECK enum error generations_newest(const struct storage_call *call, int64_t *seq);
MUST_CHECK enum error generations_of_tenant(const struct storage_call *call,
                                            struct generations *generations);

#endif
