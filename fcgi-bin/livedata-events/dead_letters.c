/* Dead letters: listed, shown, replayed, dismissed. */
#include "livedata/journal/dead_letters.h"

#include "livedata-events/events.h"
#include "livedata/access/types.h"
#include "livedata/moment.h"
#include "livedata/reads/list_cursor.h"
#include "livedata/shapes.h"

#include <string.h>

struct letters_query {
    int64_t page;
    int64_t page_size;
    const char *reason;
    const char *cursor;
};

#define OWNER struct letters_query
static const struct field letters_query_fields[] = {
    INTEGER(OWNER, page, .lower = AT_LEAST(1), .upper = AT_MOST(1000000), .default_value = 1),
    INTEGER(OWNER, page_size, .lower = AT_LEAST(1), .upper = AT_MOST(100), .default_value = 50),
    STRING(OWNER, reason, .nullable = true, .help = "One failure reason."),
    STRING(OWNER, cursor, .nullable = true, .max_length = 4000,
           .help = "The next_cursor of the page before; counts instead of page."),
};
#undef OWNER
SCHEMA(letters_query_schema, struct letters_query, "DeadLetterQuery", letters_query_fields);

#define SUMMARY_ROWS                                                                               \
    TELLS_TEXT("event_id"), TELLS_TEXT_OR_NULL("event_type"), TELLS_TEXT("failure_reason"),        \
        TELLS_TEXT_OR_NULL("failure_detail"), TELLS_TEXT("received_at"),                           \
        TELLS_INTEGER("retry_count"), TELLS_TEXT_OR_NULL("last_retried_at"), TELLS_TEXT("status")

static const struct field summary_fields[] = {SUMMARY_ROWS};
static TELLING(summary_schema, "DeadLetterSummary", summary_fields);
static const struct field detail_fields[] = {SUMMARY_ROWS, TELLS_ANY("payload")};
TELLING(letter_schema, "DeadLetterDetail", detail_fields);
static const struct field list_fields[] = {TELLS_LIST_OF("items", &summary_schema),
                                           TELLS_OBJECT("pagination"),
                                           TELLS_TEXT_OR_NULL("next_cursor")};
TELLING(letters_schema, "DeadLetterListResponse", list_fields);
static const struct field stats_fields[] = {TELLS_OBJECT("counts"), TELLS_INTEGER("last_24h"),
                                            TELLS_OBJECTS("trend")};
TELLING(letter_stats_schema, "DeadLetterStatsResponse", stats_fields);

struct replay_body {
    json_t *corrected_payload;
};

#define OWNER struct replay_body
static const struct field replay_request_fields[] = {
    JSON_OBJECT(OWNER, corrected_payload, .nullable = true,
                .help = "Members that take the place of the stored ones."),
};
#undef OWNER
SCHEMA(replay_request_schema, struct replay_body, "ReplayRequest", replay_request_fields);
static const struct field replay_fields[] = {TELLS_TEXT("event_id"), TELLS_TEXT("status"),
                                             TELLS_INTEGER("retry_count"),
                                             TELLS_TEXT_OR_NULL("last_retried_at")};
TELLING(replay_schema, "ReplayResponse", replay_fields);
static const struct field dismiss_fields[] = {TELLS_TEXT("event_id"), TELLS_TEXT("status")};
TELLING(dismiss_schema, "DismissResponse", dismiss_fields);

static void write_members(struct json_writer *writer, const struct dead_letter *letter)
{
    writer_key_string(writer, "event_id", letter->event_id);
    writer_key_string(writer, "event_type", letter->event_type);
    writer_key_string(writer, "failure_reason", letter->reason);
    writer_key_string(writer, "failure_detail", letter->detail);
    moment_write(writer, "received_at", letter->received_at);
    writer_key_integer(writer, "retry_count", letter->retry_count);
    moment_write(writer, "last_retried_at", letter->last_retried_at.value);
    writer_key_string(writer, "status", letter->status);
}

/* `types` are those that the key may see. */
static enum error storage_of(struct request *request, struct storage_call *call, const char **types)
{
    struct reading reading;
    enum error error = service_reading(request, &reading);

    *call = reading.storage;
    *types = entity_types_text(request->arena, reading.types);
    return error;
}

static const char *next_of(struct arena *arena, const struct dead_letter *last)
{
    const struct list_cursor cursor = {.id = last->event_id, .at = last->received_at};

    return list_cursor_make(arena, "deadletter", &cursor);
}

enum error letters_handle(struct request *request, struct reply *reply)
{
    const struct letters_query *query = request->query;
    struct json_writer writer = service_writer(reply);
    struct dead_letter_filter filter = {.reason = query->reason};
    struct dead_letter_page page = {.number = query->page, .size = query->page_size};
    struct list_cursor cursor;
    struct dead_letters letters;
    struct storage_call call;
    enum error error = storage_of(request, &call, &filter.types);

    if (!error)
        error = list_cursor_read(request->arena, "deadletter", query->cursor, &cursor,
                                 &request->problem);
    if (error)
        return error;
    page.after_id = cursor.id;
    page.after_received_at = cursor.at;
    error = dead_letter_list(&call, &filter, &page, &letters);
    if (error)
        return error;
    writer_open_object(&writer);
    writer_key(&writer, "items");
    writer_open_array(&writer);
    for (size_t i = 0; i < letters.count; i++) {
        writer_open_object(&writer);
        write_members(&writer, &letters.items[i]);
        writer_close_object(&writer);
    }
    writer_close_array(&writer);
    write_pagination(&writer, query->page, query->page_size, letters.total,
                     letters.more ? next_of(request->arena, &letters.items[letters.count - 1])
                                  : NULL);
    writer_close_object(&writer);
    return ERROR_NONE;
}

static void write_stats(struct json_writer *writer, const struct dead_letter_stats *stats)
{
    writer_open_object(writer);
    writer_key(writer, "counts");
    writer_open_object(writer);
    for (size_t i = 0; i < stats->reason_count; i++)
        writer_key_integer(writer, stats->reasons[i].name, stats->reasons[i].count);
    writer_close_object(writer);
    writer_key_integer(writer, "last_24h", stats->last_day);
    writer_key(writer, "trend");
    writer_open_array(writer);
    for (size_t i = 0; i < stats->hour_count; i++) {
        writer_open_object(writer);
        moment_write(writer, "hour", stats->hours[i].hour);
        writer_key_integer(writer, "count", stats->hours[i].count);
        writer_close_object(writer);
    }
    writer_close_array(writer);
    writer_close_object(writer);
}

enum error letter_stats_handle(struct request *request, struct reply *reply)
{
    struct json_writer writer = service_writer(reply);
    struct dead_letter_stats stats;
    struct storage_call call;
    const char *types;
    enum error error = storage_of(request, &call, &types);

    if (!error)
        error = dead_letter_stats(&call, types, &stats);
    if (!error)
        write_stats(&writer, &stats);
    return error;
}

enum error letter_handle(struct request *request, struct reply *reply)
{
    struct json_writer writer = service_writer(reply);
    struct dead_letter letter;
    struct storage_call call;
    struct json_fault fault;
    const char *types;
    json_t *payload;
    enum error error = storage_of(request, &call, &types);

    if (!error)
        error = dead_letter_find(&call, request->arguments[0], &letter);
    if (!error && !entity_types_have(types, dead_letter_entity_type(letter.event_type)))
        error = problem_set(&request->problem, ERROR_NOT_FOUND, "dead_letter_not_found",
                            "Dead-letter event '%.200s' not found.", letter.event_id);
    if (error)
        return error;
    writer_open_object(&writer);
    write_members(&writer, &letter);
    writer_key(&writer, "payload");
    if (json_read(request->arena, letter.payload, strlen(letter.payload), JSON_DEPTH_LIMIT,
                  &payload, &fault))
        writer_string(&writer, letter.payload);
    else
        writer_value(&writer, payload);
    writer_close_object(&writer);
    return ERROR_NONE;
}

enum error replay_handle(struct request *request, struct reply *reply)
{
    const struct replay_body *body = request->body;
    struct json_writer writer = service_writer(reply);
    struct dead_letter letter;
    struct apply_call call;
    enum error error = service_applying(request, &call);

    if (!error)
        error = apply_replay(&call, request->arguments[0], body ? body->corrected_payload : NULL,
                             &letter);
    if (error)
        return error;
    service_ring(request);
    writer_open_object(&writer);
    writer_key_string(&writer, "event_id", letter.event_id);
    writer_key_string(&writer, "status", letter.status);
    writer_key_integer(&writer, "retry_count", letter.retry_count);
    moment_write(&writer, "last_retried_at", letter.last_retried_at.value);
    writer_close_object(&writer);
    return ERROR_NONE;
}

enum error dismiss_handle(struct request *request, struct reply *reply)
{
    struct json_writer writer = service_writer(reply);
    struct apply_call call;
    enum error error = service_applying(request, &call);

    if (!error)
        error = apply_dismiss(&call, request->arguments[0]);
    if (error)
        return error;
    writer_open_object(&writer);
    writer_key_string(&writer, "event_id", request->arguments[0]);
    writer_key_string(&writer, "status", "dismissed");
    writer_close_object(&writer);
    return ERROR_NONE;
}
