/* All SQL of dead letters. */
#include "livedata/journal/dead_letters.h"

#include "base/list.h"
#include "db/query.h"
#include "livedata/counts.h"
#include "livedata/journal/series_changes.h"
#include "livedata/timestamp.h"

#include <string.h>

enum { AFTER_TIMES = 3, REASONS_MAX = 100, HOURS_MAX = 48 };

#define LETTER_COLUMNS                                                                             \
    "event_id, event_type, payload, failure_reason, failure_detail, received_at, retry_count,"     \
    " last_retried_at, status"

/* The result of dead_letter_entity_type(), in SQL; the three `?` are the types or NULL. */
#define OF_TYPES                                                                                   \
    " AND (CAST(? AS TEXT) IS NULL OR replace(?, ',' || CASE WHEN event_type LIKE 'order.%'"       \
    " THEN 'order' WHEN event_type LIKE 'product.%' THEN 'product' WHEN event_type LIKE 'user.%'"  \
    " THEN 'user' WHEN event_type LIKE 'session.%' OR event_type IN ('click', 'page_view',"        \
    " 'add_to_cart') THEN 'session' END || ',', '') <> ?)"
enum { OF_TYPES_TIMES = 3 };

static const struct statement put_letter = {
    .name = "dead_letter_put",
    .sql = "INSERT INTO dead_letter_events (tenant_id, event_id, event_type, payload,"
           " failure_reason, failure_detail, received_at, status)"
           " VALUES (?, ?, ?, ?, ?, ?, ?, 'failed') ON CONFLICT (tenant_id, event_id) DO UPDATE"
           " SET event_type = excluded.event_type, payload = excluded.payload,"
           " failure_reason = excluded.failure_reason, failure_detail = excluded.failure_detail,"
           " received_at = excluded.received_at, status = CASE WHEN dead_letter_events.status ="
           " 'dismissed' THEN 'dismissed' ELSE 'failed' END",
};
static const struct statement find_letter = {
    .name = "dead_letter_find",
    .sql = "SELECT " LETTER_COLUMNS " FROM dead_letter_events WHERE tenant_id = ? AND event_id = ?"
           " {for_update}",
};
static const struct statement list_letters = {
    .name = "dead_letter_list",
    .sql = "SELECT " LETTER_COLUMNS " FROM dead_letter_events WHERE tenant_id = ?"
           " AND status = 'failed' AND (CAST(? AS TEXT) IS NULL OR failure_reason = ?)" OF_TYPES
           " AND (CAST(? AS BIGINT) IS NULL OR received_at < ?"
           " OR (received_at = ? AND event_id > ?)) ORDER BY received_at DESC, event_id"
           " LIMIT ? OFFSET ?",
};
static const struct statement count_letters = {
    .name = "dead_letter_count",
    .sql = "SELECT count(*) FROM dead_letter_events WHERE tenant_id = ? AND status = 'failed'"
           " AND (CAST(? AS TEXT) IS NULL OR failure_reason = ?)" OF_TYPES,
};
static const struct statement mark_letter = {
    .name = "dead_letter_mark",
    .sql = "UPDATE dead_letter_events SET payload = ?, retry_count = ?, last_retried_at = ?,"
           " status = ? WHERE tenant_id = ? AND event_id = ?",
};
static const struct statement close_letter = {
    .name = "dead_letter_close",
    .sql = "UPDATE dead_letter_events SET status = 'replayed', last_retried_at = ?"
           " WHERE tenant_id = ? AND event_id = ?",
};
/* One row per event in a topic: a second one, after the first event was deleted, stays. */
static const struct statement close_row = {
    .name = "dead_letter_close_row",
    .sql = "UPDATE pipeline_events AS own SET topic = 'events.replayed' WHERE own.tenant_id = ?"
           " AND own.topic = 'events.deadletter' AND own.event_id = ? AND NOT EXISTS (SELECT 1"
           " FROM pipeline_events AS other WHERE other.tenant_id = ?"
           " AND other.topic = 'events.replayed' AND other.event_id = ?)",
};
static const struct statement count_reasons = {
    .name = "dead_letter_reasons",
    .sql = "SELECT failure_reason, count(*) FROM dead_letter_events WHERE tenant_id = ?"
           " AND status = 'failed'" OF_TYPES " GROUP BY failure_reason ORDER BY failure_reason",
};
static const struct statement count_hours = {
    .name = "dead_letter_hours",
    .sql = "SELECT received_at / 3600000000 AS hour, count(*) FROM dead_letter_events"
           " WHERE tenant_id = ? AND status = 'failed' AND received_at >= ?" OF_TYPES
           " GROUP BY received_at / 3600000000 ORDER BY hour",
};

enum error dead_letter_put(const struct storage_call *call, const struct dead_letter *letter)
{
    struct query *query = db_query(call->db, &put_letter);

    query_bind_text(query, call->tenant);
    query_bind_text(query, letter->event_id);
    query_bind_text(query, letter->event_type);
    query_bind_text(query, letter->payload);
    query_bind_text(query, letter->failure_reason);
    query_bind_text(query, letter->failure_detail);
    query_bind_integer(query, call->now);
    return query_end(query, call->problem);
}

#define OWNER struct dead_letter
#define LETTER_ROWS                                                                                \
    STRING(OWNER, event_id), STRING(OWNER, event_type, .nullable = true),                          \
        STRING(OWNER, failure_reason), STRING(OWNER, failure_detail, .nullable = true),            \
        TIME(OWNER, received_at, .time = TIME_Z), INTEGER(OWNER, retry_count),                     \
        MOMENT(OWNER, last_retried_at, .time = TIME_Z), STRING(OWNER, status)
static const struct field summary_fields[] = {LETTER_ROWS,
                                              STRING(OWNER, payload, .internal = true)};
static const struct field letter_fields[] = {
    LETTER_ROWS,
    {.name = "payload", .type = FIELD_JSON, .offset = offsetof(struct dead_letter, content)}};
#undef OWNER
SCHEMA(dead_letter_summary_schema, struct dead_letter, "DeadLetterSummary", summary_fields);
SCHEMA(dead_letter_schema, struct dead_letter, "DeadLetterDetail", letter_fields);

#define OWNER struct dead_letter_hour
static const struct field hour_fields[] = {TIME(OWNER, hour, .time = TIME_Z),
                                           INTEGER(OWNER, count)};
#undef OWNER
static SCHEMA(hour_schema, struct dead_letter_hour, "DeadLetterHour", hour_fields);

#define OWNER struct dead_letter_stats
static const struct field stats_fields[] = {
    WRITTEN_JSON(OWNER, counts, .help = "How many failed, by reason."), INTEGER(OWNER, last_24h),
    OBJECTS(OWNER, trend, hour_schema)};
#undef OWNER
SCHEMA(dead_letter_stats_schema, struct dead_letter_stats, "DeadLetterStatsResponse", stats_fields);

enum error dead_letter_find(const struct storage_call *call, const char *event_id,
                            struct dead_letter *letter)
{
    struct query *query = db_query(call->db, &find_letter);
    enum error error;
    bool found;

    *letter = (struct dead_letter){0};
    query_bind_text(query, call->tenant);
    query_bind_text(query, event_id);
    error = query_read_one(query, &dead_letter_summary_schema, letter, call->arena, &found,
                           call->problem);
    if (error || found)
        return error;
    return problem_set(call->problem, ERROR_NOT_FOUND, "dead_letter_not_found",
                       "Dead-letter event '%.200s' not found.", event_id);
}

static enum error take_letters(struct query *query, const struct storage_call *call, int64_t most,
                               struct dead_letters *letters)
{
    *letters =
        (struct dead_letters){.items = ARENA_ARRAY(call->arena, struct dead_letter, (size_t)most)};
    while (letters->count < (size_t)most && query_next(query))
        query_read(query, &dead_letter_summary_schema, &letters->items[letters->count++],
                   call->arena);
    return query_end(query, call->problem);
}

const char *dead_letter_entity_type(const char *event_type)
{
    static const struct {
        const char *prefix, *type;
    } types[] = {{"order.", "order"},       {"product.", "product"}, {"user.", "user"},
                 {"session.", "session"},   {"click", "session"},    {"page_view", "session"},
                 {"add_to_cart", "session"}};

    for (size_t i = 0; event_type && i < sizeof types / sizeof types[0]; i++) {
        size_t length = strlen(types[i].prefix);

        if (strncmp(event_type, types[i].prefix, length) == 0 &&
            (types[i].prefix[length - 1] == '.' || !event_type[length]))
            return types[i].type;
    }
    return NULL;
}

static void bind_types(struct query *query, const char *types)
{
    for (int i = 0; i < OF_TYPES_TIMES; i++)
        query_bind_text(query, types);
}

enum error dead_letter_list(const struct storage_call *call,
                            const struct dead_letter_filter *filter,
                            const struct dead_letter_page *page, struct dead_letters *letters)
{
    struct query *query = db_query(call->db, &list_letters);
    enum error error;

    query_bind_text(query, call->tenant);
    query_bind_text(query, filter->reason);
    query_bind_text(query, filter->reason);
    bind_types(query, filter->types);
    for (int i = 0; i < AFTER_TIMES; i++)
        query_bind_optional_integer(
            query, (struct optional_integer){page->after_id != NULL, page->after_received_at});
    query_bind_text(query, page->after_id);
    query_bind_integer(query, page->size + 1); /* one more says whether there is a next page */
    query_bind_integer(query, page->after_id ? 0 : (page->number - 1) * page->size);
    error = take_letters(query, call, page->size + 1, letters);
    letters->more = letters->count > (size_t)page->size;
    letters->count -= letters->more;
    if (error)
        return error;
    query = db_query(call->db, &count_letters);
    query_bind_text(query, call->tenant);
    query_bind_text(query, filter->reason);
    query_bind_text(query, filter->reason);
    bind_types(query, filter->types);
    letters->total = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, call->problem);
}

enum error dead_letter_close(const struct storage_call *call, const char *event_id)
{
    struct query *query = db_query(call->db, &close_letter);
    enum error error;

    query_bind_integer(query, call->now);
    query_bind_text(query, call->tenant);
    query_bind_text(query, event_id);
    error = query_end(query, call->problem);
    if (error)
        return error;
    series_note_all(call, "pipeline_events", "processed_at"); /* a row of any time */
    query = db_query(call->db, &close_row);
    for (int i = 0; i < 2; i++) {
        query_bind_text(query, call->tenant);
        query_bind_text(query, event_id);
    }
    return query_end(query, call->problem);
}

enum error dead_letter_mark(const struct storage_call *call, const struct dead_letter *letter)
{
    struct query *query = db_query(call->db, &mark_letter);

    query_bind_text(query, letter->payload);
    query_bind_integer(query, letter->retry_count);
    query_bind_optional_integer(query, letter->last_retried_at);
    query_bind_text(query, letter->status);
    query_bind_text(query, call->tenant);
    query_bind_text(query, letter->event_id);
    return query_end(query, call->problem);
}

static enum error read_reasons(const struct storage_call *call, const char *types,
                               struct dead_letter_stats *stats)
{
    struct query *query = db_query(call->db, &count_reasons);
    struct named_counts counts = {0};

    query_bind_text(query, call->tenant);
    bind_types(query, types);
    while (counts.count < REASONS_MAX && query_next(query))
        *LIST_ADD(call->arena, &counts) = (struct named_count){
            .name = query_text(query, 0, call->arena), .count = query_integer(query, 1)};
    stats->counts = counts_text(call->arena, &counts);
    return query_end(query, call->problem);
}

enum error dead_letter_stats(const struct storage_call *call, const char *types,
                             struct dead_letter_stats *stats)
{
    struct dead_letter_hour *hours = ARENA_ARRAY(call->arena, struct dead_letter_hour, HOURS_MAX);
    struct query *query;
    size_t count = 0;
    enum error error;

    *stats = (struct dead_letter_stats){0};
    error = read_reasons(call, types, stats);
    if (error)
        return error;
    query = db_query(call->db, &count_hours);
    query_bind_text(query, call->tenant);
    query_bind_integer(query, call->now - us_per_day);
    bind_types(query, types);
    while (count < HOURS_MAX && query_next(query)) {
        hours[count] = (struct dead_letter_hour){.hour = query_integer(query, 0) * us_per_hour,
                                                 .count = query_integer(query, 1)};
        stats->last_24h += hours[count++].count;
    }
    stats->trend = (struct object_list){count, hours};
    return query_end(query, call->problem);
}
