/* Lineage and time lines out of the journal. */
#include "livedata/reads/traces.h"

#include "base/number.h"
#include "livedata/entities/rows.h"
#include "livedata/journal/dead_letters.h"
#include "livedata/journal/journal.h"
#include "livedata/timestamp.h"

#include <math.h>
#include <string.h>

enum { ROWS_MAX = 1000 };

#define STATUS_PREFIX "order.status."

/* What the rows of an entity say together. */
struct trace {
    int64_t earliest, latest, latest_validated;
    int64_t event_at; /* own time of the latest validated event */
    bool validated;
    double all_latency, validated_latency;
    int64_t all_count, validated_count;
    const char *raw_topic;
    const char *source;
    const char *way_in;
};

static bool is_letter(const struct journal_row *row)
{
    return strcmp(row->topic, TOPIC_DEADLETTER) == 0 || strcmp(row->topic, TOPIC_REPLAYED) == 0;
}

static void sum_up(const struct journal_rows *rows, struct trace *trace)
{
    for (size_t i = 0; i < rows->count; i++) {
        const struct journal_row *row = &rows->items[i];
        bool validated = strcmp(row->topic, TOPIC_VALIDATED) == 0;

        if (!trace->earliest || row->processed_at < trace->earliest)
            trace->earliest = row->processed_at;
        if (row->processed_at > trace->latest)
            trace->latest = row->processed_at;
        if (!trace->source)
            trace->source = row->source;
        if (!trace->way_in)
            trace->way_in = row->way_in;
        if (row->latency_ms.given) {
            trace->all_latency += (double)row->latency_ms.value;
            trace->all_count++;
        }
        if (validated) {
            trace->validated = true;
            trace->latest_validated = row->processed_at;
            trace->event_at = row->processed_at - row->latency_ms.value * 1000;
            trace->validated_latency += row->latency_ms.given ? (double)row->latency_ms.value : 0;
            trace->validated_count += row->latency_ms.given;
        } else if (!trace->raw_topic && !is_letter(row)) {
            trace->raw_topic = row->topic;
        }
    }
}

static struct optional_number quality(double latency, int64_t count, struct optional_number other)
{
    if (!count)
        return other;
    return GIVEN_NUMBER(number_round(fmin(fmax(1 - latency / (double)count / 1000, 0), 1), 3));
}

static const char *raw_topic_of(struct arena *arena, const char *type)
{
    static const struct {
        const char *type, *topic;
    } topics[] = {{"order", "orders.raw"},
                  {"user", "orders.raw"},
                  {"product", "products.cdc"},
                  {"session", "clicks.raw"}};

    for (size_t i = 0; i < sizeof topics / sizeof topics[0]; i++)
        if (strcmp(topics[i].type, type) == 0)
            return topics[i].topic;
    return arena_print(arena, "%s.raw", type);
}

#define OWNER struct lineage_node
static const struct field node_fields[] = {
    STRING(OWNER, layer), STRING(OWNER, system), STRING(OWNER, table_or_topic),
    TIME_OR_NULL(OWNER, processed_at, .time = TIME_Z), NULLABLE_NUMBER(OWNER, quality_score)};
#undef OWNER
static SCHEMA(node_schema, struct lineage_node, "LineageNode", node_fields);

#define OWNER struct lineage
static const struct field lineage_fields[] = {STRING(OWNER, entity_type),
                                              STRING(OWNER, entity_id),
                                              OBJECTS(OWNER, lineage, node_schema),
                                              NULLABLE_NUMBER(OWNER, freshness_seconds),
                                              NULLABLE_NUMBER(OWNER, event_age_seconds),
                                              BOOLEAN(OWNER, validated),
                                              BOOLEAN(OWNER, enriched)};
#undef OWNER
SCHEMA(lineage_schema, struct lineage, "LineageResponse", lineage_fields);

enum { NODES = 5 };

static struct object_list nodes_of(const struct reading *reading, const struct entity_type *type,
                                   const struct trace *trace)
{
    const struct optional_number none = {0}, one = GIVEN_NUMBER(1.0);
    struct lineage_node *nodes = ARENA_ARRAY(reading->storage.arena, struct lineage_node, NODES);
    const char *topic =
        trace->raw_topic ? trace->raw_topic : raw_topic_of(reading->storage.arena, type->name);
    const char *backend = db_engine(reading->storage.db) == DB_SQLITE ? "sqlite" : "postgres";
    const char *table = type->table->name;

    nodes[0] = (struct lineage_node){.layer = "source",
                                     .system = trace->source ? trace->source : "unknown",
                                     .table_or_topic = topic,
                                     .processed_at = trace->earliest};
    nodes[1] =
        (struct lineage_node){.layer = "ingestion",
                              .system = trace->way_in ? trace->way_in : "http",
                              .table_or_topic = topic,
                              .processed_at = trace->earliest,
                              .quality_score = quality(trace->all_latency, trace->all_count, one)};
    nodes[2] = (struct lineage_node){.layer = "validation",
                                     .system = "pipeline",
                                     .table_or_topic = TOPIC_VALIDATED,
                                     .processed_at =
                                         trace->validated ? trace->latest_validated : trace->latest,
                                     .quality_score = GIVEN_NUMBER(trace->validated ? 1.0 : 0.0)};
    nodes[3] = (struct lineage_node){.layer = "enrichment",
                                     .system = backend,
                                     .table_or_topic = table,
                                     .processed_at = trace->latest,
                                     .quality_score =
                                         quality(trace->validated_latency, trace->validated_count,
                                                 trace->validated ? one : none)};
    nodes[4] = (struct lineage_node){.layer = "serving",
                                     .system = "fastcgi",
                                     .table_or_topic = table,
                                     .processed_at = trace->latest,
                                     .quality_score = trace->validated ? one : none};
    return (struct object_list){NODES, nodes};
}

static struct optional_number rounded(struct optional_number age)
{
    age.value = number_round(age.value, 3);
    return age;
}

/* Rows of the journal may name another type of entity with the same id. */
static void keep_type(struct journal_rows *rows, const char *type_name)
{
    for (size_t i = 0; i < rows->count; i++)
        if (rows->items[i].entity_type && strcmp(rows->items[i].entity_type, type_name) != 0)
            rows->items[i--] = rows->items[--rows->count];
}

enum error lineage_read(const struct reading *reading, const char *type_name, const char *id,
                        struct lineage *lineage)
{
    const struct entity_type *type;
    struct trace trace = {0};
    struct journal_rows rows;
    struct data_ages ages;
    enum error error = find_readable_type(reading, type_name, &type);

    if (!error)
        error = journal_of_entity(&reading->storage, id, false, ROWS_MAX, &rows);
    if (error)
        return error;
    keep_type(&rows, type_name);
    if (!rows.count)
        return problem_set(reading->storage.problem, ERROR_NOT_FOUND, "lineage_not_found",
                           "No lineage found for %.100s/%.300s", type_name, id);
    sum_up(&rows, &trace);
    ages = data_ages((struct event_mark){trace.latest_validated, trace.event_at},
                     reading->storage.now);
    *lineage = (struct lineage){.entity_type = type_name,
                                .entity_id = id,
                                .lineage = nodes_of(reading, type, &trace),
                                .freshness_seconds = rounded(ages.freshness_seconds),
                                .event_age_seconds = rounded(ages.event_age_seconds),
                                .validated = trace.validated,
                                .enriched = trace.validated};
    return ERROR_NONE;
}

#define OWNER struct timeline_stage
static const struct field stage_fields[] = {
    STRING(OWNER, current),
    TIME_OR_NULL(OWNER, entered_at, .time = TIME_Z),
    NUMBER(OWNER, in_stage_seconds),
    NULLABLE_NUMBER(OWNER, sla_minutes),
    NULLABLE_BOOLEAN(OWNER, breached),
    STRING(OWNER, clock),
};
#undef OWNER
static SCHEMA(stage_schema, struct timeline_stage, "OrderTimelineStage", stage_fields);

#define OWNER struct timeline_status
static const struct field status_fields[] = {STRING(OWNER, status),
                                             TIME(OWNER, at, .time = TIME_Z)};
#undef OWNER
static SCHEMA(status_schema, struct timeline_status, "OrderTimelineStageHistoryItem",
              status_fields);

#define OWNER struct timeline_step
static const struct field step_fields[] = {
    STRING(OWNER, event_id), STRING(OWNER, topic), STRING(OWNER, event_type, .nullable = true),
    NULLABLE_INTEGER(OWNER, latency_ms), TIME(OWNER, processed_at, .time = TIME_Z)};
#undef OWNER
static SCHEMA(step_schema, struct timeline_step, "OrderTimelinePipelineTrailItem", step_fields);

#define OWNER struct timeline_actions
static const struct field action_fields[] = {STRING(OWNER, replay), STRING(OWNER, dismiss)};
#undef OWNER
static SCHEMA(action_schema, struct timeline_actions, "OrderTimelineExceptionActions",
              action_fields);

#define OWNER struct timeline_exception
static const struct field exception_fields[] = {
    STRING(OWNER, event_id), STRING(OWNER, failure_reason), STRING(OWNER, status),
    TIME(OWNER, occurred_at, .time = TIME_Z), OBJECT(OWNER, actions, action_schema)};
#undef OWNER
static SCHEMA(exception_schema, struct timeline_exception, "OrderTimelineException",
              exception_fields);

/* Maps: the fields are those that the catalog lists for the type. */
static const struct schema order_schema = {
    .name = "OrderTimelineOrder", .open = true, .help = "The fields of orders in the catalog."};
static const struct schema customer_schema = {
    .name = "OrderTimelineCustomer", .open = true, .help = "The fields of users in the catalog."};

#define OWNER struct timeline
static const struct field timeline_fields[] = {
    WRITTEN_OBJECT(OWNER, order, "order", order_schema),
    OBJECT(OWNER, stage, stage_schema),
    OBJECTS(OWNER, stage_history, status_schema),
    OBJECTS(OWNER, pipeline_trail, step_schema),
    NULLABLE_NUMBER(OWNER, freshness_seconds),
    NULLABLE_NUMBER(OWNER, event_age_seconds),
    WRITTEN_OBJECT(OWNER, customer, "customer", customer_schema, .nullable = true),
    OBJECTS(OWNER, exceptions, exception_schema),
};
#undef OWNER
SCHEMA(timeline_schema, struct timeline, "OrderTimelineResponse", timeline_fields);

/* When the order came into its status, by the journal; 0 where the journal does not say. */
static int64_t entered_at(const struct journal_rows *states, const char *status, bool *journal)
{
    for (size_t i = states->count; i > 0; i--) {
        const char *type = states->items[i - 1].event_type;

        if (type && strncmp(type, STATUS_PREFIX, sizeof STATUS_PREFIX - 1) == 0 &&
            strcmp(type + sizeof STATUS_PREFIX - 1, status) == 0) {
            *journal = true;
            return states->items[i - 1].processed_at;
        }
    }
    *journal = false;
    return 0;
}

static struct timeline_stage stage_of(const struct reading *reading, const struct entity_type *type,
                                      const struct entity_row *row,
                                      const struct journal_rows *states)
{
    const char *status = entity_row_value(row, "status")->text;
    const struct entity_stage *stage = entity_stage(type, status);
    bool journal, timed = stage && !stage->terminal && stage->sla_minutes.given;
    int64_t entered = entered_at(states, status, &journal);
    struct timeline_stage answer = {.current = status, .clock = journal ? "journal" : "fallback"};

    answer.entered_at = journal ? entered : entity_row_value(row, "created_at")->integer;
    answer.in_stage_seconds = timestamp_seconds(answer.entered_at, reading->storage.now);
    if (timed)
        answer.sla_minutes = stage->sla_minutes;
    if (timed && answer.entered_at)
        answer.breached = GIVEN_BOOLEAN(answer.in_stage_seconds > stage->sla_minutes.value * 60);
    return answer;
}

static struct object_list history_of(struct arena *arena, const struct journal_rows *states)
{
    struct timeline_status *items = ARENA_ARRAY(arena, struct timeline_status, states->count);
    size_t count = 0;

    for (size_t i = 0; i < states->count; i++) {
        const char *type = states->items[i].event_type;

        if (type && strncmp(type, STATUS_PREFIX, sizeof STATUS_PREFIX - 1) == 0)
            items[count++] = (struct timeline_status){.status = type + sizeof STATUS_PREFIX - 1,
                                                      .at = states->items[i].processed_at};
    }
    return (struct object_list){count, items};
}

static struct object_list trail_of(struct arena *arena, const struct journal_rows *rows)
{
    struct timeline_step *items = ARENA_ARRAY(arena, struct timeline_step, rows->count);

    for (size_t i = 0; i < rows->count; i++)
        items[i] = (struct timeline_step){.event_id = rows->items[i].event_id,
                                          .topic = rows->items[i].topic,
                                          .event_type = rows->items[i].event_type,
                                          .latency_ms = rows->items[i].latency_ms,
                                          .processed_at = rows->items[i].processed_at};
    return (struct object_list){rows->count, items};
}

static enum error read_customer(const struct reading *reading, const char *user_id,
                                const char **customer)
{
    const struct entity_type *type = catalog_entity(reading->catalog, "user");
    struct entity_row row;
    bool found = false;
    enum error error = ERROR_NONE;

    if (type && may_see_type(reading, "user"))
        error = entity_row_read(&reading->storage, type->table, user_id, &row, &found);
    if (!error && found)
        *customer = entity_row_json(reading->storage.arena, type, &row, reading->storage.now);
    return error;
}

static struct timeline_exception exception_of(struct arena *arena, const char *event_id,
                                              const struct dead_letter *letter)
{
    struct timeline_actions *actions = ARENA_NEW(arena, struct timeline_actions);

    *actions = (struct timeline_actions){
        .replay = arena_print(arena, "/v1/deadletter/%s/replay", event_id),
        .dismiss = arena_print(arena, "/v1/deadletter/%s/dismiss", event_id)};
    return (struct timeline_exception){.event_id = event_id,
                                       .failure_reason = letter->failure_reason,
                                       .status = letter->status,
                                       .occurred_at = letter->received_at,
                                       .actions = actions};
}

static enum error read_exceptions(const struct reading *reading, const struct journal_rows *rows,
                                  struct object_list *list)
{
    struct arena *arena = reading->storage.arena;
    struct timeline_exception *items = ARENA_ARRAY(arena, struct timeline_exception, rows->count);
    size_t count = 0;

    for (size_t i = 0; i < rows->count; i++) {
        const struct journal_row *row = &rows->items[i];
        struct dead_letter letter = {0};
        enum error error;

        if (!is_letter(row))
            continue;
        error = dead_letter_find(&reading->storage, row->event_id, &letter);
        if (error && error != ERROR_NOT_FOUND)
            return error;
        if (!error)
            items[count++] = exception_of(arena, row->event_id, &letter);
    }
    *list = (struct object_list){count, items};
    return ERROR_NONE;
}

static enum error read_order(const struct reading *reading, const struct entity_type *type,
                             const char *order_id, struct entity_row *row)
{
    bool found = false;
    enum error error = entity_row_read(&reading->storage, type->table, order_id, row, &found);

    if (error || found)
        return error;
    return problem_set(reading->storage.problem, ERROR_NOT_FOUND, "entity_not_found",
                       "order/%.300s not found", order_id);
}

enum error timeline_read(const struct reading *reading, const char *order_id,
                         struct timeline *timeline)
{
    struct arena *arena = reading->storage.arena;
    int64_t now = reading->storage.now;
    struct timeline_stage *stage = ARENA_NEW(arena, struct timeline_stage);
    const struct entity_type *type;
    struct journal_rows states, rows;
    struct entity_row row;
    struct data_ages ages;
    enum error error = find_readable_type(reading, "order", &type);

    if (!error)
        error = read_order(reading, type, order_id, &row);
    if (!error)
        error = journal_of_entity(&reading->storage, order_id, true, ROWS_MAX, &states);
    if (!error)
        error = journal_of_entity(&reading->storage, order_id, false, ROWS_MAX, &rows);
    if (error)
        return error;
    ages = data_ages(entity_row_mark(&row, now), now);
    *stage = stage_of(reading, type, &row, &states);
    *timeline = (struct timeline){.order = entity_row_json(arena, type, &row, now),
                                  .stage = stage,
                                  .stage_history = history_of(arena, &states),
                                  .pipeline_trail = trail_of(arena, &rows),
                                  .freshness_seconds = rounded(ages.freshness_seconds),
                                  .event_age_seconds = rounded(ages.event_age_seconds)};
    error = read_customer(reading, entity_row_value(&row, "user_id")->text, &timeline->customer);
    return error ? error : read_exceptions(reading, &rows, &timeline->exceptions);
}
