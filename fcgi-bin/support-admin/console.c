/* Conversations, votes and categories. */
#include "support-admin/console.h"
#include "base/number.h"
#include "support/documents/categories.h"
#include "support/service.h"
#include "support/tools.h"

#include <string.h>

enum { DAYS_MAX = 365 };

struct sessions_query {
    const char *q;
    bool mine;
    int64_t limit, offset;
};

#define OWNER struct sessions_query
static const struct field sessions_query_fields[] = {
    STRING(OWNER, q, .default_text = "", .max_length = 200,
           .help = "Text that a message contains."),
    BOOLEAN(OWNER, mine, .default_value = 0, .help = "Only those that the caller began."),
    INTEGER(OWNER, limit, .lower = AT_LEAST(1), .upper = AT_MOST(500), .default_value = 50),
    INTEGER(OWNER, offset, .lower = AT_LEAST(0), .default_value = 0)};
#undef OWNER
SCHEMA(sessions_query_schema, struct sessions_query, "SessionsQuery", sessions_query_fields);

struct history_reply {
    const char *session_id;
    OBJECT_LIST(struct session_message, messages);
    const char *tenant_id;
    bool waits_for_person;
};

#define OWNER struct history_reply
static const struct field history_fields[] = {
    STRING(OWNER, session_id), OBJECTS(OWNER, messages, session_message_schema),
    STRING(OWNER, tenant_id), BOOLEAN(OWNER, waits_for_person, .help = "A ticket is open.")};
#undef OWNER
SCHEMA(history_schema, struct history_reply, "History", history_fields);

struct cleared {
    const char *status, *message;
};

#define OWNER struct cleared
static const struct field cleared_fields[] = {STRING(OWNER, status), STRING(OWNER, message)};
#undef OWNER
SCHEMA(cleared_schema, struct cleared, "SessionCleared", cleared_fields);

struct votes_query {
    int64_t days;
    const char *scope;
};

#define OWNER struct votes_query
static const struct field votes_query_fields[] = {
    INTEGER(OWNER, days, .default_value = 30),
    STRING(OWNER, scope, .nullable = true, .max_length = 10,
           .help = "`all`: of every tenant, for administrators of tenant default.")};
#undef OWNER
SCHEMA(votes_query_schema, struct votes_query, "VotesQuery", votes_query_fields);

struct votes_reply {
    int64_t total, up, down;
    struct optional_number up_pct;
    json_t *by_route;
    int64_t period_days;
};

#define OWNER struct votes_reply
static const struct field votes_fields[] = {
    INTEGER(OWNER, total),          INTEGER(OWNER, up),           INTEGER(OWNER, down),
    NULLABLE_NUMBER(OWNER, up_pct), JSON_OBJECT(OWNER, by_route), INTEGER(OWNER, period_days)};
#undef OWNER
SCHEMA(votes_schema, struct votes_reply, "Votes", votes_fields);

struct category_entry {
    const char *name, *description;
};

#define OWNER struct category_entry
static const struct field category_fields[] = {STRING(OWNER, name), STRING(OWNER, description)};
#undef OWNER
static SCHEMA(category_schema, struct category_entry, "Category", category_fields);

struct categories_reply {
    OBJECT_LIST(struct category_entry, categories);
};

#define OWNER struct categories_reply
static const struct field categories_fields[] = {OBJECTS(OWNER, categories, category_schema)};
#undef OWNER
SCHEMA(categories_schema, struct categories_reply, "Categories", categories_fields);

static enum error not_found(struct request *request, const char *text)
{
    return problem_set(&request->problem, ERROR_NOT_FOUND, "not_found", "%s", text);
}

enum error sessions_handle(struct request *request, struct reply *reply)
{
    const struct sessions_query *query = request->query;
    struct object_list *sessions = ARENA_NEW(request->arena, struct object_list);
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    if (error)
        return error;
    tools.conversation.own_only |= query->mine;
    reply->object = sessions;
    return session_list(&tools.conversation,
                        &(struct session_filter){query->q, query->limit, query->offset}, sessions);
}

enum error history_handle(struct request *request, struct reply *reply)
{
    struct history_reply *object = ARENA_NEW(request->arena, struct history_reply);
    struct object_list messages;
    const char *ticket_id;
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = session_messages(&tools.conversation, request->arguments[0], &messages);
    if (error)
        return error;
    if (!messages.count)
        return not_found(request, "Session not found");
    *object = (struct history_reply){.session_id = request->arguments[0],
                                     .messages = messages,
                                     .tenant_id = tools.conversation.tenant};
    error = ticket_waits(&tools.conversation, request->arguments[0], &ticket_id);
    if (error)
        return error;
    object->waits_for_person = ticket_id != NULL;
    reply->object = object;
    return ERROR_NONE;
}

enum error session_read_handle(struct request *request, struct reply *reply)
{
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = session_mark_read(&tools.conversation, request->arguments[0]);
    reply->status = 204;
    return error;
}

enum error session_delete_handle(struct request *request, struct reply *reply)
{
    struct cleared *object = ARENA_NEW(request->arena, struct cleared);
    const char *id = request->arguments[0];
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = session_delete(&tools.conversation, id);
    if (error)
        return error;
    service_audit(request, "delete_session", arena_print(request->arena, "session:%s", id), NULL);
    *object = (struct cleared){.status = "ok",
                               .message = arena_print(request->arena, "Session %s cleared", id)};
    reply->object = object;
    return ERROR_NONE;
}

struct route_votes {
    int64_t up, down;
};

#define OWNER struct route_votes
static const struct field route_votes_fields[] = {INTEGER(OWNER, up), INTEGER(OWNER, down)};
#undef OWNER
static SCHEMA(route_votes_schema, struct route_votes, "RouteVotes", route_votes_fields);

static json_t *by_route(const struct request *request, const struct object_list *rows)
{
    struct text text;
    struct json_writer writer;

    text_start(&text, request->arena, 65536);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    for (size_t i = 0; i < rows->count; i++) {
        const struct feedback_count *row = &((const struct feedback_count *)rows->items)[i];

        writer_key(&writer, row->route);
        schema_write(&writer, &route_votes_schema,
                     &(struct route_votes){.up = row->up, .down = row->down});
    }
    writer_close_object(&writer);
    return service_json(request, text.bytes);
}

enum error votes_handle(struct request *request, struct reply *reply)
{
    const struct votes_query *query = request->query;
    struct votes_reply *object = ARENA_NEW(request->arena, struct votes_reply);
    struct service_tools tools;
    struct object_list rows;
    enum error error;

    if (query->days < 1 || query->days > DAYS_MAX)
        return problem_set(&request->problem, ERROR_INVALID, "bad_parameter",
                           "days must be in [1, 365]");
    error = service_tools(request, &tools);
    if (error)
        return error;
    if (query->scope && strcmp(query->scope, "all") == 0 && request->who.role == SUPPORT_ADMIN &&
        strcmp(tools.conversation.tenant, "default") == 0)
        tools.conversation.tenant = NULL;
    error = feedback_counts(&tools.conversation, query->days, &rows);
    if (error)
        return error;
    for (size_t i = 0; i < rows.count; i++) {
        object->up += ((const struct feedback_count *)rows.items)[i].up;
        object->down += ((const struct feedback_count *)rows.items)[i].down;
    }
    object->total = object->up + object->down;
    if (object->total)
        object->up_pct = (struct optional_number)GIVEN_NUMBER(
            number_round_figure(100.0 * (double)object->up / (double)object->total, 1));
    object->by_route = by_route(request, &rows);
    object->period_days = query->days;
    reply->object = object;
    return ERROR_NONE;
}

enum error categories_handle(struct request *request, struct reply *reply)
{
    struct categories_reply *object = ARENA_NEW(request->arena, struct categories_reply);
    struct category_entry *entries =
        ARENA_ARRAY(request->arena, struct category_entry, categories_built_in_count);

    for (size_t i = 0; i < categories_built_in_count; i++)
        entries[i] = (struct category_entry){.name = categories_built_in[i].name,
                                             .description = categories_built_in[i].description};
    object->categories = (struct object_list){categories_built_in_count, entries};
    reply->object = object;
    return ERROR_NONE;
}
