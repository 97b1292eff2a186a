/* Entities, time lines, lineage and metrics. */
#include "livedata-read/reads.h"

#include "livedata/reads/traces.h"
#include "livedata/shapes.h"

struct moment_query {
    const char *as_of;
};

#define OWNER struct moment_query
static const struct field moment_fields[] = {
    STRING(OWNER, as_of, .nullable = true, .help = "The state at that moment, instead of now."),
};
#undef OWNER
SCHEMA(moment_query_schema, struct moment_query, "MomentQuery", moment_fields);

struct metric_query {
    const char *window;
    const char *as_of;
};

#define OWNER struct metric_query
static const struct field metric_query_fields[] = {
    STRING(OWNER, window, .default_text = "1h", .help = "One of the metric's windows."),
    STRING(OWNER, as_of, .nullable = true, .help = "The value at that moment, instead of now."),
};
#undef OWNER
SCHEMA(metric_query_schema, struct metric_query, "MetricQuery", metric_query_fields);

static const struct field entity_fields[] = {
    TELLS_TEXT("entity_type"),
    TELLS_TEXT("entity_id"),
    TELLS_OBJECT("data"),
    TELLS_TEXT_OR_NULL("last_updated"),
    TELLS_NUMBER_OR_NULL("freshness_seconds"),
    TELLS_NUMBER_OR_NULL("event_age_seconds"),
    TELLS_OBJECT("meta"),
};
TELLING(entity_schema, "EntityResponse", entity_fields);

static const struct field order_fields[] = {
    TELLS_TEXT("order_id"),       TELLS_TEXT("user_id"),  TELLS_TEXT("status"),
    TELLS_NUMBER("total_amount"), TELLS_TEXT("currency"), TELLS_TEXT("created_at"),
};
static TELLING(timeline_order_schema, "OrderTimelineOrder", order_fields);
static const struct field stage_fields[] = {
    TELLS_TEXT("current"),
    TELLS_TEXT_OR_NULL("entered_at"),
    TELLS_NUMBER_OR_NULL("in_stage_seconds"),
    TELLS_NUMBER_OR_NULL("sla_minutes"),
    {.name = "breached", .type = FIELD_BOOLEAN, .nullable = true},
    TELLS_TEXT("clock"),
};
static TELLING(timeline_stage_schema, "OrderTimelineStage", stage_fields);
static const struct field history_fields[] = {TELLS_TEXT("status"), TELLS_TEXT("at")};
static TELLING(timeline_history_schema, "OrderTimelineStageHistoryItem", history_fields);
static const struct field trail_fields[] = {
    TELLS_TEXT("event_id"), TELLS_TEXT("topic"), TELLS_TEXT_OR_NULL("event_type"),
    TELLS_INTEGER_OR_NULL("latency_ms"), TELLS_TEXT("processed_at")};
static TELLING(timeline_trail_schema, "OrderTimelinePipelineTrailItem", trail_fields);
static const struct field customer_fields[] = {TELLS_TEXT("user_id"),
                                               TELLS_INTEGER("total_orders"),
                                               TELLS_NUMBER("total_spent"),
                                               TELLS_TEXT_OR_NULL("first_order_at"),
                                               TELLS_TEXT_OR_NULL("last_order_at"),
                                               TELLS_TEXT("preferred_category")};
static TELLING(timeline_customer_schema, "OrderTimelineCustomer", customer_fields);
static const struct field action_fields[] = {TELLS_TEXT("replay"), TELLS_TEXT("dismiss")};
static TELLING(timeline_action_schema, "OrderTimelineExceptionActions", action_fields);
static const struct field exception_fields[] = {
    TELLS_TEXT("event_id"), TELLS_TEXT("failure_reason"), TELLS_TEXT("status"),
    TELLS_TEXT("occurred_at"), TELLS_SHAPE("actions", &timeline_action_schema)};
static TELLING(timeline_exception_schema, "OrderTimelineException", exception_fields);
static const struct field timeline_fields[] = {
    TELLS_SHAPE("order", &timeline_order_schema),
    TELLS_SHAPE("stage", &timeline_stage_schema),
    TELLS_LIST_OF("stage_history", &timeline_history_schema),
    TELLS_LIST_OF("pipeline_trail", &timeline_trail_schema),
    {.name = "customer",
     .type = FIELD_OBJECT,
     .nullable = true,
     .schema = &timeline_customer_schema},
    TELLS_LIST_OF("exceptions", &timeline_exception_schema),
    TELLS_NUMBER_OR_NULL("freshness_seconds"),
    TELLS_NUMBER_OR_NULL("event_age_seconds"),
};
TELLING(timeline_schema, "OrderTimelineResponse", timeline_fields);

static const struct field metric_fields[] = {
    TELLS_TEXT("metric_name"), TELLS_NUMBER_OR_NULL("value"), TELLS_TEXT("unit"),
    TELLS_TEXT("window"),      TELLS_TEXT("computed_at"),     TELLS_ANY("components"),
    TELLS_OBJECT("meta"),
};
TELLING(metric_schema, "MetricResponse", metric_fields);

static const struct field node_fields[] = {
    TELLS_TEXT("layer"), TELLS_TEXT("system"), TELLS_TEXT("table_or_topic"),
    TELLS_TEXT_OR_NULL("processed_at"), TELLS_NUMBER_OR_NULL("quality_score")};
static TELLING(node_schema, "LineageNode", node_fields);
static const struct field lineage_fields[] = {TELLS_TEXT("entity_type"),
                                              TELLS_TEXT("entity_id"),
                                              TELLS_LIST_OF("lineage", &node_schema),
                                              TELLS_NUMBER_OR_NULL("freshness_seconds"),
                                              TELLS_NUMBER_OR_NULL("event_age_seconds"),
                                              TELLS_FLAG("validated"),
                                              TELLS_FLAG("enriched")};
TELLING(lineage_schema, "LineageResponse", lineage_fields);

enum error entity_handle(struct request *request, struct reply *reply)
{
    const struct moment_query *query = request->query;
    struct live_note *note = service_note(request);
    struct entity_answer answer;
    struct json_writer writer;
    struct reading reading;
    int64_t as_of;
    enum error error = ERROR_NONE;

    note->entity_type = request->arguments[0];
    note->entity_id = request->arguments[1];
    error = service_moment(request, "as_of", query->as_of, &as_of);
    if (!error)
        error = service_reading(request, &reading);
    if (!error)
        error = read_entity(&reading, request->arguments[0], request->arguments[1], as_of, &answer);
    if (error)
        return error;
    note->cache = answer.cache;
    service_cache_header(reply, answer.cache);
    writer = service_writer(reply);
    write_entity(&writer, &reading, &answer, service_health(request, &reading));
    return ERROR_NONE;
}

enum error timeline_handle(struct request *request, struct reply *reply)
{
    struct json_writer writer = service_writer(reply);
    struct reading reading;
    enum error error = service_reading(request, &reading);

    return error ? error : write_timeline(&writer, &reading, request->arguments[0]);
}

enum error lineage_handle(struct request *request, struct reply *reply)
{
    struct json_writer writer = service_writer(reply);
    struct reading reading;
    enum error error = service_reading(request, &reading);

    return error ? error
                 : write_lineage(&writer, &reading, request->arguments[0], request->arguments[1]);
}

enum error metric_handle(struct request *request, struct reply *reply)
{
    const struct metric_query *query = request->query;
    struct live_note *note = service_note(request);
    struct metric_answer answer;
    struct json_writer writer;
    struct reading reading;
    int64_t as_of;
    enum error error = service_moment(request, "as_of", query->as_of, &as_of);

    note->metric = request->arguments[0];
    if (!error)
        error = service_reading(request, &reading);
    if (!error)
        error = read_metric(&reading, request->arguments[0], query->window, as_of, &answer);
    if (error)
        return service_backend_error(request, error);
    note->cache = answer.cache;
    service_cache_header(reply, answer.cache);
    writer = service_writer(reply);
    write_metric(&writer, &reading, &answer, service_health(request, &reading));
    return ERROR_NONE;
}
