/* The operator console: conversations, votes, and tickets with their context. */
#include "support-admin/console.h"
#include "base/number.h"
#include "crypto/token.h"
#include "support/documents/categories.h"
#include "support/service.h"
#include "support/tools.h"

#include <string.h>

enum {
    TICKETS_MAX = 500,
    SIMILAR_MAX = 3,
    RETRIEVED_MAX = 5,
    EXCERPT_POINTS = 300,
    DAYS_MAX = 365
};

struct sessions_query {
    int64_t limit, offset;
};

#define OWNER struct sessions_query
static const struct field sessions_query_fields[] = {
    INTEGER(OWNER, limit, .lower = AT_LEAST(1), .upper = AT_MOST(500), .default_value = 50),
    INTEGER(OWNER, offset, .lower = AT_LEAST(0), .default_value = 0)};
#undef OWNER
SCHEMA(sessions_query_schema, struct sessions_query, "SessionsQuery", sessions_query_fields);

struct history_reply {
    const char *session_id;
    OBJECT_LIST(struct session_message, messages);
    const char *tenant_id;
};

#define OWNER struct history_reply
static const struct field history_fields[] = {STRING(OWNER, session_id),
                                              OBJECTS(OWNER, messages, session_message_schema),
                                              STRING(OWNER, tenant_id)};
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

struct tickets_query {
    const char *status;
};

#define OWNER struct tickets_query
static const struct field tickets_query_fields[] = {
    STRING(OWNER, status, .nullable = true, .max_length = 30)};
#undef OWNER
SCHEMA(tickets_query_schema, struct tickets_query, "TicketsQuery", tickets_query_fields);

struct tickets_reply {
    OBJECT_LIST(struct ticket, tickets);
};

#define OWNER struct tickets_reply
static const struct field tickets_fields[] = {OBJECTS(OWNER, tickets, ticket_schema)};
static const struct field similar_fields[] = {OBJECTS(OWNER, tickets, similar_ticket_schema)};
#undef OWNER
SCHEMA(tickets_schema, struct tickets_reply, "Tickets", tickets_fields);
SCHEMA(similar_schema, struct tickets_reply, "SimilarTickets", similar_fields);

struct ticket_detail {
    const struct ticket *ticket;
    OBJECT_LIST(struct session_message, messages);
    json_t *retrieved_docs, *quality_scores;
    OBJECT_LIST(struct ticket, similar_tickets);
};

#define OWNER struct ticket_detail
static const struct field ticket_detail_fields[] = {
    OBJECT(OWNER, ticket, ticket_schema), OBJECTS(OWNER, messages, session_message_schema),
    JSON_OBJECTS(OWNER, retrieved_docs), JSON_OBJECT(OWNER, quality_scores),
    OBJECTS(OWNER, similar_tickets, similar_ticket_schema)};
#undef OWNER
SCHEMA(ticket_detail_schema, struct ticket_detail, "TicketDetail", ticket_detail_fields);

struct respond_request {
    const char *response;
};

#define OWNER struct respond_request
static const struct field respond_fields[] = {
    STRING(OWNER, response, .required = true, .min_length = 1, .max_length = 5000)};
#undef OWNER
SCHEMA(respond_schema, struct respond_request, "RespondRequest", respond_fields,
       .example = "{\"response\":\"We have sent a new receipt.\"}");

struct responded {
    const char *status;
    const struct ticket *ticket;
};

#define OWNER struct responded
static const struct field responded_fields[] = {STRING(OWNER, status),
                                                OBJECT(OWNER, ticket, ticket_schema)};
#undef OWNER
SCHEMA(responded_schema, struct responded, "Responded", responded_fields);

struct similar_query {
    const char *ticket_id;
};

#define OWNER struct similar_query
static const struct field similar_query_fields[] = {
    STRING(OWNER, ticket_id, .required = true, .max_length = 100)};
#undef OWNER
SCHEMA(similar_query_schema, struct similar_query, "SimilarQuery", similar_query_fields);

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

    if (!error)
        error = session_list(&tools.conversation, query->limit, query->offset, sessions);
    reply->object = sessions;
    return error;
}

enum error history_handle(struct request *request, struct reply *reply)
{
    struct history_reply *object = ARENA_NEW(request->arena, struct history_reply);
    struct object_list messages;
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
    reply->object = object;
    return ERROR_NONE;
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

enum error tickets_handle(struct request *request, struct reply *reply)
{
    const struct tickets_query *query = request->query;
    struct tickets_reply *object = ARENA_NEW(request->arena, struct tickets_reply);
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = ticket_list(&tools.conversation, query->status, TICKETS_MAX, &object->tickets);
    reply->object = object;
    return error;
}

/* The trace a ticket came from, else the newest of the same session and question. */
static enum error find_trace(const struct service_tools *tools, const struct ticket *ticket,
                             struct trace_row *row, bool *found)
{
    enum error error;

    if (!ticket->trace_id)
        return trace_of_question(&tools->traces, ticket->session_id, ticket->user_question, row,
                                 found);
    error = trace_find(&tools->traces, ticket->trace_id, row);
    *found = !error;
    return error == ERROR_NOT_FOUND ? ERROR_NONE : error;
}

static void write_document(struct json_writer *writer, const struct request *request,
                           const json_t *document)
{
    const json_t *metadata = json_object_get(document, "metadata");
    const char *content = json_string_value(json_object_get(document, "page_content"));
    size_t at = content ? utf8_prefix(content, EXCERPT_POINTS) : 0;

    writer_open_object(writer);
    writer_key_string(writer, "title", json_string_value(json_object_get(metadata, "title")));
    writer_key_string(writer, "source", json_string_value(json_object_get(metadata, "source")));
    writer_key_string(writer, "excerpt", content ? arena_copy(request->arena, content, at) : "");
    writer_close_object(writer);
}

/* What the last step of the trace knew. */
static enum error add_context(struct request *request, const struct service_tools *tools,
                              const struct trace_row *row, struct ticket_detail *detail)
{
    struct object_list steps;
    struct text documents, scores;
    struct json_writer writer;
    const json_t *state, *found;
    enum error error = trace_steps(&tools->traces, row->trace_id, &steps);

    if (error || !steps.count)
        return error;
    state =
        service_json(request, ((const struct trace_step_row *)steps.items)[steps.count - 1].state);
    found = json_object_get(state, "retrieved_docs");
    text_start(&documents, request->arena, 1 << 20);
    writer_start(&writer, &documents);
    writer_open_array(&writer);
    for (size_t i = 0; i < json_array_size(found) && i < RETRIEVED_MAX; i++)
        write_document(&writer, request, json_array_get(found, i));
    writer_close_array(&writer);
    text_start(&scores, request->arena, 4096);
    writer_start(&writer, &scores);
    writer_open_object(&writer);
    for (const char *const *key = (const char *const[]){"quality_score", "factuality_score",
                                                        "relevance_score", "route", NULL};
         *key; key++) {
        writer_key(&writer, *key);
        writer_value(&writer, json_object_get(state, *key));
    }
    writer_close_object(&writer);
    detail->retrieved_docs = service_json(request, documents.bytes);
    detail->quality_scores = service_json(request, scores.bytes);
    return ERROR_NONE;
}

/* Ids are UUIDs; anything else is not asked for. */
static enum error check_id(struct request *request, const char *id)
{
    if (token_is_uuid(id))
        return ERROR_NONE;
    return problem_set(&request->problem, ERROR_INVALID, "bad_parameter", "invalid ticket_id");
}

enum error ticket_handle(struct request *request, struct reply *reply)
{
    struct ticket_detail *detail = ARENA_NEW(request->arena, struct ticket_detail);
    struct ticket *ticket = ARENA_NEW(request->arena, struct ticket);
    struct service_tools tools;
    struct trace_row row;
    bool found = false;
    enum error error = check_id(request, request->arguments[0]);

    if (!error)
        error = service_tools(request, &tools);
    if (!error)
        error = ticket_find(&tools.conversation, request->arguments[0], ticket);
    if (!error)
        error = session_messages(&tools.conversation, ticket->session_id, &detail->messages);
    if (!error)
        error = ticket_similar(&tools.conversation, ticket, SIMILAR_MAX, &detail->similar_tickets);
    if (!error)
        error = find_trace(&tools, ticket, &row, &found);
    detail->retrieved_docs = error ? NULL : service_json(request, "[]");
    detail->quality_scores = error ? NULL : service_json(request, "{}");
    if (!error && found)
        error = add_context(request, &tools, &row, detail);
    detail->ticket = ticket;
    reply->object = detail;
    return error;
}

enum error respond_handle(struct request *request, struct reply *reply)
{
    const struct respond_request *body = request->body;
    struct responded *object = ARENA_NEW(request->arena, struct responded);
    struct ticket *ticket = ARENA_NEW(request->arena, struct ticket);
    struct service_tools tools;
    enum error error = check_id(request, request->arguments[0]);

    if (!error)
        error = service_tools(request, &tools);
    if (!error)
        error = ticket_respond(&tools.conversation, request->arguments[0], body->response, ticket);
    if (error)
        return error;
    service_audit(request, "agent_respond", arena_print(request->arena, "ticket:%s", ticket->id),
                  NULL);
    *object = (struct responded){.status = "ok", .ticket = ticket};
    reply->object = object;
    return ERROR_NONE;
}

enum error similar_handle(struct request *request, struct reply *reply)
{
    const struct similar_query *query = request->query;
    struct tickets_reply *object = ARENA_NEW(request->arena, struct tickets_reply);
    struct ticket ticket;
    struct service_tools tools;
    enum error error = check_id(request, query->ticket_id);

    if (!error)
        error = service_tools(request, &tools);
    if (!error)
        error = ticket_find(&tools.conversation, query->ticket_id, &ticket);
    if (!error)
        error = ticket_similar(&tools.conversation, &ticket, SIMILAR_MAX, &object->tickets);
    reply->object = object;
    return error;
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
