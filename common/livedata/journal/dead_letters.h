/* Events that could not be applied: kept whole, listed, replayed, dismissed. */
#ifndef ASSAY_LIVEDATA_JOURNAL_DEAD_LETTERS_H
#define ASSAY_LIVEDATA_JOURNAL_DEAD_LETTERS_H

#include "base/schema.h"
#include "livedata/storage_call.h"

struct dead_letter {
    const char *event_id;
    const char *event_type; /* or NULL */
    const char *payload;    /* JSON, or the text that was none */
    const char *failure_reason;
    const char *failure_detail; /* or NULL */
    int64_t received_at;
    int64_t retry_count;
    struct optional_integer last_retried_at;
    const char *status;
    json_t *content; /* of dead_letter_schema alone: the payload as a JSON value */
};
/* One dead letter: its row in SQL and in lists, and its answer with the payload. */
SCHEMA_OF(dead_letter_summary_schema, struct dead_letter);
SCHEMA_OF(dead_letter_schema, struct dead_letter);

struct dead_letters {
    size_t count;
    struct dead_letter *items;
    int64_t total;
    bool more; /* there are more after these */
};

/* Adds it, or makes the same event's record new; a dismissed one stays dismissed. */
MUST_CHECK enum error dead_letter_put(const struct storage_call *call,
                                      const struct dead_letter *letter);
/* ERROR_NOT_FOUND dead_letter_not_found. */
MUST_CHECK enum error dead_letter_find(const struct storage_call *call, const char *event_id,
                                       struct dead_letter *letter);
/* Those that failed, newest first. */
struct dead_letter_filter {
    const char *reason; /* NULL = all */
    const char *types;  /* of entities that may be seen: access/types.h */
};
struct dead_letter_page {
    int64_t number; /* from 1, where there is no `after_id` */
    int64_t size;
    const char *after_id; /* the last letter of the page before, and when it came; NULL = none */
    int64_t after_received_at;
};
MUST_CHECK enum error dead_letter_list(const struct storage_call *call,
                                       const struct dead_letter_filter *filter,
                                       const struct dead_letter_page *page,
                                       struct dead_letters *letters);
/* The type of the entity that an event of that type is about; NULL = unknown. */
const char *dead_letter_entity_type(const char *event_type);
/* The event of a dead letter has been applied: the letter is replayed, and its row in the journal
 * does not count as a fault any more. */
MUST_CHECK enum error dead_letter_close(const struct storage_call *call, const char *event_id);
/* Writes what a replay or a dismissal made of it. */
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
