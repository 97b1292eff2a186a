/* For operators: orders that are stuck, and exceptions with what was said about them. */
#include "livedata-events/events.h"
#include "livedata/operations/exceptions.h"
#include "livedata/operations/open_orders.h"

struct stuck_query {
    const char *stage;
    bool include_within_sla;
    int64_t page, page_size;
    const char *cursor;
};

#define PAGE_ROWS                                                                                  \
    INTEGER(OWNER, page, .lower = AT_LEAST(1), .upper = AT_MOST(1000000), .default_value = 1),     \
        INTEGER(OWNER, page_size, .lower = AT_LEAST(1), .upper = AT_MOST(100),                     \
                .default_value = 50),                                                              \
        STRING(OWNER, cursor, .nullable = true, .max_length = 4000,                                \
               .help = "The next_cursor of the page before; counts instead of page.")
#define OWNER struct stuck_query
static const struct field stuck_query_fields[] = {
    STRING(OWNER, stage, .nullable = true, .help = "Orders in that state."),
    BOOLEAN(OWNER, include_within_sla, .default_value = 0,
            .help = "Those that still have time, too."),
    PAGE_ROWS,
};
#undef OWNER
SCHEMA(stuck_query_schema, struct stuck_query, "StuckOrdersQuery", stuck_query_fields);

struct exceptions_query {
    int source, status;
    int64_t page, page_size;
    const char *cursor;
};
#define OWNER struct exceptions_query
static const struct field exceptions_query_fields[] = {
    CHOICE(OWNER, source, exception_source_names, .choice_count = EXCEPTION_SOURCE__MAX,
           .nullable = true),
    CHOICE(OWNER, status, exception_status_names, .choice_count = EXCEPTION_STATUS__MAX,
           .nullable = true, .help = "Absent: all that are not resolved."),
    PAGE_ROWS,
};
#undef OWNER
SCHEMA(exceptions_query_schema, struct exceptions_query, "ExceptionsQuery",
       exceptions_query_fields);

struct triage_body {
    const char *note;
};
#define OWNER struct triage_body
static const struct field triage_fields[] = {
    STRING(OWNER, note, .nullable = true, .max_length = 2000, .help = "For who comes after."),
};
#undef OWNER
SCHEMA(triage_request_schema, struct triage_body, "TriageActionRequest", triage_fields,
       .example = "{\"note\":\"asked the receiver\"}");

struct triaged {
    const char *item_id, *status;
};
#define OWNER struct triaged
static const struct field triaged_fields[] = {STRING(OWNER, item_id), STRING(OWNER, status)};
#undef OWNER
SCHEMA(triage_schema, struct triaged, "TriageActionResponse", triaged_fields);

enum error stuck_handle(struct request *request, struct reply *reply)
{
    const struct stuck_query *query = request->query;
    const struct stuck_request wanted = {.stage = query->stage,
                                         .within_sla_too = query->include_within_sla,
                                         .page = query->page,
                                         .page_size = query->page_size,
                                         .cursor = query->cursor};
    struct stuck_orders *answer = ARENA_NEW(request->arena, struct stuck_orders);
    struct reading reading;
    enum error error = service_reading(request, &reading);

    reply->object = answer;
    return error ? error : stuck_orders_read(&reading, &wanted, answer);
}

enum error exceptions_handle(struct request *request, struct reply *reply)
{
    const struct exceptions_query *query = request->query;
    const struct exception_request wanted = {.source = query->source,
                                             .status = query->status,
                                             .page = query->page,
                                             .page_size = query->page_size,
                                             .cursor = query->cursor};
    struct exceptions_answer *answer = ARENA_NEW(request->arena, struct exceptions_answer);
    struct reading reading;
    enum error error = service_reading(request, &reading);

    reply->object = answer;
    return error ? error : exceptions_read(&reading, &wanted, answer);
}

enum error exception_stats_handle(struct request *request, struct reply *reply)
{
    struct exception_stats *stats = ARENA_NEW(request->arena, struct exception_stats);
    struct reading reading;
    enum error error = service_reading(request, &reading);

    reply->object = stats;
    return error ? error : exception_stats_read(&reading, stats);
}

static enum error triage(struct request *request, struct reply *reply, enum exception_status status)
{
    const struct triage_body *body = request->body;
    struct triaged *answer = ARENA_NEW(request->arena, struct triaged);
    struct reading reading;
    enum error error = service_reading(request, &reading);

    if (!error)
        error = exception_triage(&reading, request->arguments[0], status, body ? body->note : NULL);
    *answer = (struct triaged){.item_id = request->arguments[0],
                               .status = exception_status_names[status]};
    reply->object = answer;
    return error;
}

enum error acknowledge_handle(struct request *request, struct reply *reply)
{
    return triage(request, reply, EXCEPTION_ACKNOWLEDGED);
}

enum error resolve_handle(struct request *request, struct reply *reply)
{
    return triage(request, reply, EXCEPTION_RESOLVED);
}
