/* Dead letters: listed, shown, replayed, dismissed. */
#include "livedata/journal/dead_letters.h"

#include "livedata-events/events.h"
#include "livedata/access/types.h"
#include "livedata/reads/list_cursor.h"

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

struct letters_answer {
    OBJECT_LIST(struct dead_letter, items);
    PAGINATION_MEMBERS;
};

#define OWNER struct letters_answer
static const struct field letters_fields[] = {OBJECTS(OWNER, items, dead_letter_summary_schema),
                                              PAGINATION_ROWS};
#undef OWNER
SCHEMA(letters_schema, struct letters_answer, "DeadLetterListResponse", letters_fields);

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

#define OWNER struct dead_letter
static const struct field replay_fields[] = {STRING(OWNER, event_id), STRING(OWNER, status),
                                             INTEGER(OWNER, retry_count),
                                             MOMENT(OWNER, last_retried_at, .time = TIME_Z)};
static const struct field dismiss_fields[] = {STRING(OWNER, event_id), STRING(OWNER, status)};
#undef OWNER
SCHEMA(replay_schema, struct dead_letter, "ReplayResponse", replay_fields);
SCHEMA(dismiss_schema, struct dead_letter, "DismissResponse", dismiss_fields);

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
    struct letters_answer *answer = ARENA_NEW(request->arena, struct letters_answer);
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
    answer->items = (struct object_list){letters.count, letters.items};
    answer->pagination =
        pagination_of(request->arena, query->page, query->page_size, letters.total);
    if (letters.more)
        answer->next_cursor = next_of(request->arena, &letters.items[letters.count - 1]);
    reply->object = answer;
    return ERROR_NONE;
}

enum error letter_stats_handle(struct request *request, struct reply *reply)
{
    struct dead_letter_stats *stats = ARENA_NEW(request->arena, struct dead_letter_stats);
    struct storage_call call;
    const char *types;
    enum error error = storage_of(request, &call, &types);

    if (!error)
        error = dead_letter_stats(&call, types, stats);
    if (!error)
        reply->object = stats;
    return error;
}

/* What was sent, or the text of it where it was no JSON. */
static json_t *content_of(struct arena *arena, const char *payload)
{
    struct json_fault fault;
    json_t *content;

    if (json_read(arena, payload, strlen(payload), JSON_DEPTH_LIMIT, &content, &fault))
        return json_string_nocheck(payload);
    return content;
}

enum error letter_handle(struct request *request, struct reply *reply)
{
    struct dead_letter *letter = ARENA_NEW(request->arena, struct dead_letter);
    struct storage_call call;
    const char *types;
    enum error error = storage_of(request, &call, &types);

    if (!error)
        error = dead_letter_find(&call, request->arguments[0], letter);
    if (!error && !entity_types_have(types, dead_letter_entity_type(letter->event_type)))
        error = problem_set(&request->problem, ERROR_NOT_FOUND, "dead_letter_not_found",
                            "Dead-letter event '%.200s' not found.", letter->event_id);
    if (error)
        return error;
    letter->content = content_of(request->arena, letter->payload);
    reply->object = letter;
    return ERROR_NONE;
}

enum error replay_handle(struct request *request, struct reply *reply)
{
    const struct replay_body *body = request->body;
    struct dead_letter *letter = ARENA_NEW(request->arena, struct dead_letter);
    struct apply_call call;
    enum error error = service_applying(request, &call);

    if (!error)
        error = apply_replay(&call, request->arguments[0], body ? body->corrected_payload : NULL,
                             letter);
    if (error)
        return error;
    service_ring(request);
    reply->object = letter;
    return ERROR_NONE;
}

enum error dismiss_handle(struct request *request, struct reply *reply)
{
    struct dead_letter *letter = ARENA_NEW(request->arena, struct dead_letter);
    struct apply_call call;
    enum error error = service_applying(request, &call);

    if (!error)
        error = apply_dismiss(&call, request->arguments[0]);
    if (error)
        return error;
    *letter = (struct dead_letter){.event_id = request->arguments[0], .status = "dismissed"};
    reply->object = letter;
    return ERROR_NONE;
}
