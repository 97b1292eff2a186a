/* The inbox of the support team: tickets with their context, who works on them, replies. */
#include "support-admin/tickets.h"
#include "accounts/people.h"
#include "crypto/token.h"
#include "http/people.h"
#include "support/service.h"
#include "support/tools.h"
#include "support/traces/readable.h"

#include <string.h>

enum { TICKETS_MAX = 500, SIMILAR_MAX = 3, RETRIEVED_MAX = 5, EXCERPT_POINTS = 300 };

struct tickets_query {
    const char *status, *assignee, *q;
    int64_t limit, offset;
};

#define OWNER struct tickets_query
static const struct field tickets_query_fields[] = {
    STRING(OWNER, status, .default_text = "", .max_length = 30,
           .help = "`waiting` is every one but `resolved`."),
    STRING(OWNER, assignee, .default_text = "", .max_length = 100,
           .help = "A name; `me` is the caller, `none` is nobody."),
    STRING(OWNER, q, .default_text = "", .max_length = 200,
           .help = "Text that the question or the reply contains."),
    INTEGER(OWNER, limit, .lower = AT_LEAST(1), .upper = AT_MOST(TICKETS_MAX),
            .default_value = TICKETS_MAX),
    INTEGER(OWNER, offset, .lower = AT_LEAST(0), .default_value = 0)};
#undef OWNER
SCHEMA(tickets_query_schema, struct tickets_query, "TicketsQuery", tickets_query_fields);

struct tickets_reply {
    OBJECT_LIST(struct ticket, tickets);
    int64_t total;
};

#define OWNER struct tickets_reply
static const struct field tickets_fields[] = {OBJECTS(OWNER, tickets, ticket_schema),
                                              INTEGER(OWNER, total)};
#undef OWNER
SCHEMA(tickets_schema, struct tickets_reply, "Tickets", tickets_fields);

struct similar_reply {
    OBJECT_LIST(struct ticket, tickets);
};

#define OWNER struct similar_reply
static const struct field similar_fields[] = {OBJECTS(OWNER, tickets, similar_ticket_schema)};
#undef OWNER
SCHEMA(similar_schema, struct similar_reply, "SimilarTickets", similar_fields);

struct team_reply {
    OBJECT_LIST(struct team_member, people);
};

#define OWNER struct team_reply
static const struct field team_fields[] = {OBJECTS(OWNER, people, team_member_schema)};
#undef OWNER
SCHEMA(team_schema, struct team_reply, "Team", team_fields);

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

struct assign_request {
    const char *assignee;
};

#define OWNER struct assign_request
static const struct field assign_fields[] = {
    STRING(OWNER, assignee, .nullable = true, .required = true, .max_length = 100,
           .help = "A name; `me` is the caller; null gives the ticket back.")};
#undef OWNER
SCHEMA(assign_schema, struct assign_request, "AssignRequest", assign_fields,
       .example = "{\"assignee\":\"me\"}");

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

/* The name that stands for an assignee of a request: NULL is nobody. */
static const char *assignee_of(const struct request *request, const char *name)
{
    if (!name || strcmp(name, "none") == 0)
        return NULL;
    return strcmp(name, "me") == 0 ? request->who.subject : name;
}

enum error tickets_handle(struct request *request, struct reply *reply)
{
    const struct tickets_query *query = request->query;
    struct tickets_reply *object = ARENA_NEW(request->arena, struct tickets_reply);
    const char *assignee = assignee_of(request, query->assignee);
    struct ticket_filter filter = {.status = query->status,
                                   .assignee = assignee ? assignee : TICKET_UNASSIGNED,
                                   .words = query->q,
                                   .limit = query->limit,
                                   .offset = query->offset};
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = ticket_list(&tools.conversation, &filter, &object->tickets, &object->total);
    reply->object = object;
    return error;
}

enum error ticket_counts_handle(struct request *request, struct reply *reply)
{
    struct ticket_counts *counts = ARENA_NEW(request->arena, struct ticket_counts);
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = ticket_count(&tools.conversation, counts);
    reply->object = counts;
    return error;
}

/* Whether a person of the account store may answer this tenant's customers. */
static bool answers(const struct person *person, const char *tenant)
{
    enum account_role role = person_role(person, AREA_SUPPORT);

    return person->is_active && strcmp(person->tenant, tenant) == 0 &&
           (role == ACCOUNT_AGENT || role == ACCOUNT_REVIEWER || role == ACCOUNT_ADMIN);
}

static bool lists(const struct object_list *members, const char *name)
{
    for (size_t i = 0; i < members->count; i++)
        if (strcmp(((const struct team_member *)members->items)[i].name, name) == 0)
            return true;
    return false;
}

/* Adds people of the account store. With the store away the team is those who have had tickets. */
static void add_people(struct request *request, const char *tenant, struct object_list *team)
{
    struct problem problem = request->problem;
    struct accounts_call call;
    struct object_list people = {.count = 0};
    struct team_member *members;

    if (request_accounts(request, &call) || people_list(&call, &people)) {
        request->problem = problem;
        return;
    }
    members = ARENA_ARRAY(request->arena, struct team_member, team->count + people.count + 1);
    for (size_t i = 0; i < team->count; i++)
        members[i] = ((const struct team_member *)team->items)[i];
    team->items = members;
    for (size_t i = 0; i < people.count; i++) {
        const struct person *person = &((const struct person *)people.items)[i];

        if (answers(person, tenant) && !lists(team, person->username))
            members[team->count++].name = person->username;
    }
}

enum error team_handle(struct request *request, struct reply *reply)
{
    struct team_reply *team = ARENA_NEW(request->arena, struct team_reply);
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = ticket_team(&tools.conversation, &team->people);
    if (error)
        return error;
    add_people(request, tools.conversation.tenant, &team->people);
    reply->object = team;
    return ERROR_NONE;
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
    bool found = false, readable = false;
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
        error = readable_trace(&tools.documents, row.trace_id, &readable);
    if (!error && readable)
        error = add_context(request, &tools, &row, detail);
    detail->ticket = ticket;
    reply->object = detail;
    return error;
}

/* Whether the account store has a person of this name, and whether he answers. Without the store
 * nobody is known. */
static bool is_known(struct request *request, const char *name, const char *tenant,
                     bool *does_answer)
{
    struct problem problem = request->problem;
    struct accounts_call call;
    struct person person;
    bool known = !request_accounts(request, &call) && !person_find(&call, name, &person) &&
                 strcmp(person.username, name) == 0;

    *does_answer = known && answers(&person, tenant);
    request->problem = problem;
    return known;
}

/* The caller, somebody who answers this tenant's customers, or, of people who sign in elsewhere,
 * somebody who has had a ticket. */
static enum error check_assignee(struct request *request, const struct service_tools *tools,
                                 const char *name)
{
    const char *tenant = tools->conversation.tenant;
    struct object_list team;
    bool right;
    enum error error;

    if (!name || (request->who.subject && strcmp(name, request->who.subject) == 0))
        return ERROR_NONE;
    if (!is_known(request, name, tenant, &right)) {
        error = ticket_team(&tools->conversation, &team);
        if (error)
            return error;
        right = lists(&team, name);
    }
    return right ? ERROR_NONE
                 : request_fault(request, "body", "assignee", "value_error",
                                 "nobody of this name answers customers here");
}

enum error assign_handle(struct request *request, struct reply *reply)
{
    const struct assign_request *body = request->body;
    const char *assignee = assignee_of(request, body->assignee);
    struct responded *object = ARENA_NEW(request->arena, struct responded);
    struct ticket *ticket = ARENA_NEW(request->arena, struct ticket);
    struct service_tools tools;
    enum error error = check_id(request, request->arguments[0]);

    if (!error)
        error = service_tools(request, &tools);
    if (!error)
        error = ticket_find(&tools.conversation, request->arguments[0], ticket);
    if (!error)
        error = check_assignee(request, &tools, assignee);
    if (!error)
        error = ticket_assign(&tools.conversation, request->arguments[0], assignee, ticket);
    if (error)
        return error;
    service_notify(request);
    service_audit(request, "agent_assign", arena_print(request->arena, "ticket:%s", ticket->id),
                  NULL);
    *object = (struct responded){.status = "ok", .ticket = ticket};
    reply->object = object;
    return ERROR_NONE;
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
    service_notify(request);
    service_audit(request, "agent_respond", arena_print(request->arena, "ticket:%s", ticket->id),
                  NULL);
    *object = (struct responded){.status = "ok", .ticket = ticket};
    reply->object = object;
    return ERROR_NONE;
}

enum error similar_handle(struct request *request, struct reply *reply)
{
    const struct similar_query *query = request->query;
    struct similar_reply *object = ARENA_NEW(request->arena, struct similar_reply);
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
