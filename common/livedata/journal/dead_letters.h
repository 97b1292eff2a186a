/* Dead letters: events that could not be applied. Stores them completely, lists, replays and
 * dismisses them. */
#ifndef ASSAY_LIVEDATA_JOURNAL_DEAD_LETTERS_H
#define ASSAY_LIVEDATA_JOURNAL_DEAD_LETTERS_H

#include "base/schema.h"
#include "livedata/storage_call.h"

struct dead_letter {
    const char *event_id;
    const char *event_type; /* or NULL */
    const char *payload;    /* JSON, or the text that was not JSON */
    const char *failure_reason;
    const char *failure_detail; /* or NULL */
    int64_t received_at;
    int64_t retry_count;
    struct optional_integer last_retried_at;
    const char *status;
    json_t *content; /* for dead_letter_schema only: the payload as a JSON value */
};
/* Schemas of a dead letter: its row in SQL and in lists, and its answer with the payload. */
SCHEMA_OF(dead_letter_summary_schema, struct dead_letter);
SCHEMA_OF(dead_letter_schema, struct dead_letter);

struct dead_letters {
    size_t count;
    struct dead_letter *items;
    int64_t total;
    bool more; /* there are further letters */
};

/* Adds it, or replaces the same event's record; a dismissed one stays dismissed. */
MUST_CHECK enum error dead_letter_put(const struct storage_call *call,
                                      const struct dead_letter *letter);
/* ERROR_NOT_FOUND dead_letter_not_found. */
MUST_CHECK enum error dead_letter_find(const struct storage_call *call, const char *event_id,
                                       struct dead_letter *letter);
/* Failed ones, newest first. */
struct dead_letter_filter {
    const char *reason; /* NULL = all */
    const char *types;  /* of readable entities: access/types.h */
};
struct dead_letter_page {
    int64_t number; /* from 1, without `after_id` */
    int64_t size;
    const char *after_id; /* the last letter of the previous page, and its time; NULL = none */
    int64_t after_received_at;
};
MUST_CHECK enum error dead_letter_list(const struct storage_call *call,
                                       const struct dead_letter_filter *filter,
                                       const struct dead_letter_page *page,
                                       struct dead_letters *letters);
/* The entity type of an event type; NULL = unknown. */
const char *dead_letter_entity_type(const char *event_type);
/* Records that the event of a dead letter was applied: the letter is replayed, and its row in the
 * journal no longer counts as a fault. */
MUST_CHECK enum error dead_letter_close(const struct storage_call *call, const char *event_id);
/* Writes the result of a replay or a dismissal. */
MUST_CHECK enum error dead_letter_mark(const struct storage_call *call,
                                       const struct dead_letter *letter);

struct dead_letter_hour {
    int64_t hour; /* its beginning */
    int64_t count;
};
struct dead_letter_stats {
    const char *counts; /* by reason, JSON object */
    int64_t last_24h;
    OBJECT_LIST(struct dead_letter_hour, trend);
};
SCHEMA_OF(dead_letter_stats_schema, struct dead_letter_stats);

MUST_CHECK enum error dead_letter_stats(const struct storage_call *call, const char *types,
                                        struct dead_letter_stats *stats);

#endif
