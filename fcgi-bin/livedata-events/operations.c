/* For operators: orders that are stuck, and exceptions with what was said about them. */
#include "livedata-events/events.h"
#include "livedata/operations/exceptions.h"
#include "livedata/operations/open_orders.h"
#include "livedata/shapes.h"

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

static const struct field stuck_item_fields[] = {TELLS_TEXT("order_id"),
                                                 TELLS_TEXT("user_id"),
                                                 TELLS_TEXT("status"),
                                                 TELLS_TEXT("entered_at"),
                                                 TELLS_NUMBER("in_stage_seconds"),
                                                 TELLS_NUMBER_OR_NULL("sla_minutes"),
                                                 TELLS_NUMBER_OR_NULL("overshoot_ratio"),
                                                 TELLS_TEXT("clock"),
                                                 TELLS_NUMBER("total_amount"),
                                                 TELLS_TEXT("currency")};
static TELLING(stuck_item_schema, "StuckOrderItem", stuck_item_fields);
static const struct field stuck_summary_fields[] = {TELLS_OBJECT("open_by_stage"),
                                                    TELLS_OBJECT("breached_by_stage")};
static TELLING(stuck_summary_schema, "StuckOrdersSummary", stuck_summary_fields);
static const struct field stuck_fields[] = {
    TELLS_LIST_OF("items", &stuck_item_schema), TELLS_SHAPE("summary", &stuck_summary_schema),
    TELLS_OBJECT("pagination"), TELLS_TEXT_OR_NULL("next_cursor"), TELLS_FLAG("scan_truncated")};
TELLING(stuck_schema, "StuckOrdersResponse", stuck_fields);

static const struct field ref_fields[] = {TELLS_TEXT("kind"), TELLS_TEXT("id")};
static TELLING(ref_schema, "EntityRef", ref_fields);
static const struct field action_fields[] = {TELLS_TEXT("action"), TELLS_TEXT("href")};
static TELLING(action_schema, "ExceptionAction", action_fields);
static const struct field exception_fields[] = {
    TELLS_TEXT("item_id"),      TELLS_TEXT("source"),
    TELLS_TEXT("severity"),     TELLS_TEXT("occurred_at"),
    TELLS_TEXT("last_seen_at"), TELLS_SHAPE("entity_ref", &ref_schema),
    TELLS_TEXT("title"),        TELLS_TEXT_OR_NULL("detail"),
    TELLS_TEXT("status"),       TELLS_LIST_OF("actions", &action_schema)};
static TELLING(exception_schema, "ExceptionItem", exception_fields);
static const struct field exceptions_fields[] = {
    TELLS_LIST_OF("items", &exception_schema), TELLS_OBJECT("pagination"),
    TELLS_TEXT_OR_NULL("next_cursor"), TELLS_FLAG("scan_truncated")};
TELLING(exceptions_schema, "ExceptionsListResponse", exceptions_fields);
static const struct field stats_fields[] = {TELLS_OBJECT("by_source"), TELLS_INTEGER("last_24h"),
                                            TELLS_INTEGER("manual_resolutions"),
                                            TELLS_FLAG("scan_truncated")};
TELLING(exception_stats_schema, "ExceptionsStatsResponse", stats_fields);
static const struct field triaged_fields[] = {TELLS_TEXT("item_id"), TELLS_TEXT("status")};
TELLING(triage_schema, "TriageActionResponse", triaged_fields);

enum error stuck_handle(struct request *request, struct reply *reply)
{
    const struct stuck_query *query = request->query;
    const struct stuck_request wanted = {query->stage, query->include_within_sla, query->page,
                                         query->page_size, query->cursor};
    struct json_writer writer = service_writer(reply);
    struct reading reading;
    enum error error = service_reading(request, &reading);

    return error ? error : write_stuck_orders(&writer, &reading, &wanted);
}

enum error exceptions_handle(struct request *request, struct reply *reply)
{
    const struct exceptions_query *query = request->query;
    const struct exception_request wanted = {query->source, query->status, query->page,
                                             query->page_size, query->cursor};
    struct json_writer writer = service_writer(reply);
    struct reading reading;
    enum error error = service_reading(request, &reading);

    return error ? error : write_exceptions_list(&writer, &reading, &wanted);
}

enum error exception_stats_handle(struct request *request, struct reply *reply)
{
    struct json_writer writer = service_writer(reply);
    struct reading reading;
    enum error error = service_reading(request, &reading);

    return error ? error : write_exception_stats(&writer, &reading);
}

static enum error triage(struct request *request, struct reply *reply, enum exception_status status)
{
    const struct triage_body *body = request->body;
    struct json_writer writer = service_writer(reply);
    struct reading reading;
    enum error error = service_reading(request, &reading);

    if (!error)
        error = exception_triage(&reading, request->arguments[0], status, body ? body->note : NULL);
    if (error)
        return error;
    writer_open_object(&writer);
    writer_key_string(&writer, "item_id", request->arguments[0]);
    writer_key_string(&writer, "status", exception_status_names[status]);
    writer_close_object(&writer);
    return ERROR_NONE;
}

enum error acknowledge_handle(struct request *request, struct reply *reply)
{
    return triage(request, reply, EXCEPTION_ACKNOWLEDGED);
}

enum error resolve_handle(struct request *request, struct reply *reply)
{
    return triage(request, reply, EXCEPTION_RESOLVED);
}
