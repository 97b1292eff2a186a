/* Several reads in one request; an item that fails fails alone. */
#include "livedata-query/questions.h"

#include "base/clock.h"
#include "base/list.h"
#include "base/number.h"
#include "limits/limits.h"

#include <string.h>

enum { ITEMS_MAX = 20, QUESTION_LEAST = 3, QUESTION_MOST = 1000, ITEM_BYTES_MAX = 8 << 20 };

enum item_type { ITEM_ENTITY, ITEM_METRIC, ITEM_QUERY, ITEM__MAX };
static const char *const item_types[ITEM__MAX] = {"entity", "metric", "query"};

struct batch_item {
    const char *id;
    int type;
    json_t *params;
};

#define OWNER struct batch_item
static const struct field item_fields[] = {
    STRING(OWNER, id, .required = true),
    CHOICE(OWNER, type, item_types, .choice_count = ITEM__MAX, .required = true),
    JSON_OBJECT(OWNER, params, .nullable = true,
                .help = "entity: entity_type, entity_id; metric: name, window, as_of; "
                        "query: question, context."),
};
#undef OWNER
static SCHEMA(item_schema, struct batch_item, "BatchItem", item_fields);

struct batch_body {
    OBJECT_LIST(struct batch_item, requests);
    BOUND_MEMBERS;
};

#define OWNER struct batch_body
static const struct field body_fields[] = {
    OBJECTS(OWNER, requests, item_schema, .required = true, .max_length = ITEMS_MAX),
    BOUND_ROWS,
};
#undef OWNER
SCHEMA(batch_request_schema, struct batch_body, "BatchRequest", body_fields,
       .example = "{\"requests\":[{\"id\":\"1\",\"type\":\"metric\",\"params\":{\"name\":"
                  "\"revenue\",\"window\":\"1h\"}}]}");

struct batch_result {
    const char *id, *status;
    const char *data; /* JSON, by type; NULL with an error */
    const char *error;
    const char *freshness_seconds,
        *event_age_seconds; /* JSON; of entities, whose data say no age */
};

#define OWNER struct batch_result
#define WRITTEN_VALUE(member, ...)                                                                 \
    {                                                                                              \
        .name = #member, .type = FIELD_JSON, .written = true,                                      \
        .offset = FIELD_OFFSET(OWNER, member, const char *), __VA_ARGS__                           \
    }
static const struct field result_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, status),
    WRITTEN_VALUE(data, .help = "As the type of the item has it; null with an error."),
    STRING(OWNER, error, .nullable = true),
    WRITTEN_VALUE(freshness_seconds, .omit_if_null = true,
                  .help = "Of entities: a number or null."),
    WRITTEN_VALUE(event_age_seconds, .omit_if_null = true,
                  .help = "Of entities: a number or null."),
};
#undef OWNER
static SCHEMA(result_schema, struct batch_result, "BatchResult", result_fields);

struct batch_reply {
    OBJECT_LIST(struct batch_result, results);
    double duration_ms;
    const struct answer_freshness *freshness;
};

#define OWNER struct batch_reply
static const struct field batch_fields[] = {
    OBJECTS(OWNER, results, result_schema), NUMBER(OWNER, duration_ms),
    OBJECT(OWNER, freshness, answer_freshness_schema, .omit_if_null = true)};
#undef OWNER
SCHEMA(batch_schema, struct batch_reply, "BatchResponse", batch_fields);

/* The data of a metric. */
struct metric_data {
    struct optional_number value;
    const char *unit, *window, *reason;
    struct optional_number freshness_seconds, event_age_seconds;
};

#define OWNER struct metric_data
static const struct field metric_data_fields[] = {
    NULLABLE_NUMBER(OWNER, value),
    STRING(OWNER, unit),
    STRING(OWNER, window),
    STRING(OWNER, reason, .omit_if_null = true),
    NULLABLE_NUMBER(OWNER, freshness_seconds),
    NULLABLE_NUMBER(OWNER, event_age_seconds),
};
#undef OWNER
static SCHEMA(metric_data_schema, struct metric_data, "BatchMetric", metric_data_fields);

/* The data of a question. */
struct query_data_metadata {
    QUERY_METADATA_MEMBERS;
};
struct query_data {
    const char *answer; /* JSON list */
    const char *sql, *interpretation;
    const struct query_data_metadata *metadata;
};

#define OWNER struct query_data_metadata
static const struct field query_metadata_fields[] = {QUERY_METADATA_ROWS};
#undef OWNER
static SCHEMA(query_metadata_schema, struct query_data_metadata, "BatchQueryMetadata",
              query_metadata_fields);

#define OWNER struct query_data
static const struct field query_data_fields[] = {WRITTEN_ROWS(OWNER, answer), STRING(OWNER, sql),
                                                 STRING(OWNER, interpretation),
                                                 OBJECT(OWNER, metadata, query_metadata_schema)};
#undef OWNER
static SCHEMA(query_data_schema, struct query_data, "BatchQuery", query_data_fields);

static const char *param(const struct batch_item *item, const char *key)
{
    return json_string_value(json_object_get(item->params, key));
}

static enum error needs(struct request *request, const char *what)
{
    return problem_set(&request->problem, ERROR_INVALID, "batch_item", "%s", what);
}

static const char *age_text(struct arena *arena, struct optional_number age)
{
    char text[NUMBER_TEXT_MAX];

    if (!age.given)
        return "null";
    number_format(age.value, text);
    return arena_copy_string(arena, text);
}

static enum error run_entity(struct request *request, const struct reading *reading,
                             const struct batch_item *item, struct batch_result *result)
{
    const char *type = param(item, "entity_type"), *id = param(item, "entity_id");
    struct entity_answer answer;
    struct data_ages ages;
    enum error error;

    if (!type || !id)
        return needs(request, "entity request requires params 'entity_type' and 'entity_id'.");
    error = read_entity(reading, type, id, 0, &answer);
    if (error)
        return error;
    ages = entity_ages(reading, &answer);
    result->data = answer.data;
    result->freshness_seconds = age_text(request->arena, ages.freshness_seconds);
    result->event_age_seconds = age_text(request->arena, ages.event_age_seconds);
    return ERROR_NONE;
}

static enum error run_metric(struct request *request, const struct reading *reading,
                             const struct batch_item *item, struct batch_result *result)
{
    const char *name = param(item, "name"), *window = param(item, "window");
    struct metric_answer answer;
    struct metric_data data;
    struct data_ages ages;
    int64_t as_of;
    enum error error;

    if (!name)
        return needs(request, "metric request requires param 'name'.");
    error = service_timestamp(request, "as_of", param(item, "as_of"), &as_of);
    if (error) {
        request->fault_count = 0;
        return needs(request, "as_of is no time.");
    }
    error = read_metric(reading, name, window ? window : "1h", as_of, &answer);
    if (error)
        return error;
    ages = metric_ages(reading, &answer);
    data =
        (struct metric_data){.value = {!answer.value.undefined, answer.value.value},
                             .unit = metric_unit(answer.request.metric, reading->settings),
                             .window = answer.request.window,
                             .reason = answer.value.undefined ? metric_reason(&answer.value) : NULL,
                             .freshness_seconds = ages.freshness_seconds,
                             .event_age_seconds = ages.event_age_seconds};
    result->data = schema_json(request->arena, ITEM_BYTES_MAX, &metric_data_schema, &data);
    return ERROR_NONE;
}

static const char *query_data_text(struct arena *arena, const struct query_result *result,
                                   const char *health)
{
    const struct query_data_metadata metadata = {
        .rows_returned = (int64_t)result->answer.row_count,
        .execution_time_ms = result->execution_ms,
        .data_freshness_seconds = result->ages.freshness_seconds,
        .freshness_seconds = result->ages.freshness_seconds,
        .event_age_seconds = result->ages.event_age_seconds,
        .health = health};
    const struct query_data data = {.answer = query_rows_text(arena, result),
                                    .sql = result->sql,
                                    .interpretation = result->interpretation,
                                    .metadata = &metadata};

    return schema_json(arena, ITEM_BYTES_MAX, &query_data_schema, &data);
}

static enum error run_query(struct request *request, const struct reading *reading,
                            const struct batch_item *item, struct batch_result *result)
{
    const char *question = param(item, "question");
    const json_t *context = json_object_get(item->params, "context");
    struct query_request asked = {.question = question,
                                  .language = questions_language(request),
                                  .limit = reading->settings->query_rows_max,
                                  .allowed_types = reading->types,
                                  .time_zone = service_time_zone(request)};
    struct query_result answer;
    enum error error;

    if (!question)
        return needs(request, "query request requires param 'question'.");
    if (context && !json_is_object(context) && !json_is_null(context))
        return needs(request, "query param 'context' must be an object.");
    if (utf8_count(question) < QUESTION_LEAST || utf8_count(question) > QUESTION_MOST)
        return needs(request, "query param 'question' must have 3 to 1000 characters.");
    error = query_answer(&reading->storage, reading->catalog, reading->settings, &asked, &answer);
    if (error)
        return service_backend_error(request, error);
    result->data =
        query_data_text(request->arena, &answer, health_words[service_health(request, reading)]);
    return ERROR_NONE;
}

static void run_item(struct request *request, const struct reading *reading,
                     const struct batch_item *item, struct batch_result *result)
{
    static enum error (*const runs[ITEM__MAX])(struct request *, const struct reading *,
                                               const struct batch_item *, struct batch_result *) = {
        run_entity, run_metric, run_query};
    enum error error;

    *result = (struct batch_result){.id = item->id};
    error = runs[item->type](request, reading, item, result);
    result->status = error ? "error" : "ok";
    if (error)
        result->error = arena_copy_string(request->arena, request->problem.text);
}

static enum error check_params(struct request *request, const struct batch_body *body)
{
    static const struct {
        size_t count;
        const char *const names[3];
    } known[ITEM__MAX] = {[ITEM_ENTITY] = {2, {"entity_type", "entity_id"}},
                          [ITEM_METRIC] = {3, {"name", "window", "as_of"}},
                          [ITEM_QUERY] = {2, {"question", "context"}}};
    const struct batch_item *items = body->requests.items;
    enum error error = ERROR_NONE;

    for (size_t i = 0; i < body->requests.count; i++)
        if (request_check_names(request, arena_print(request->arena, "requests.%zu.params", i),
                                items[i].params, known[items[i].type].names,
                                known[items[i].type].count))
            error = ERROR_MALFORMED;
    return error;
}

/* A batch of n items costs n calls; the pipeline has charged one. */
static enum error charge(struct request *request, struct reply *reply, size_t count)
{
    const struct live_key *key = service_key(request);
    struct rate_decision decision;
    struct rate_rule rule;

    if (!key || count < 2)
        return ERROR_NONE;
    rule = (struct rate_rule){(uint32_t)key->rate_limit_rpm, 60};
    decision =
        limits_charge(request->server->region, arena_print(request->arena, "key:%s", key->key_id),
                      rule, (uint32_t)count - 1);
    if (decision.allowed)
        return ERROR_NONE;
    reply_add_header(reply, "Retry-After", "60");
    return problem_set(&request->problem, ERROR_BUSY, "batch_too_expensive",
                       "Rate limit exceeded: a %zu-item batch costs %zu of %lld requests/minute.",
                       count, count, (long long)key->rate_limit_rpm);
}

/* The tables that an item reads; of questions, which may read any, the journal. None of an item
 * that the read itself refuses. */
static struct string_list tables_of(const struct reading *reading, const struct batch_item *item)
{
    const char *type = param(item, "entity_type"), *name = param(item, "name");
    const struct entity_type *entity = NULL;
    const struct live_metric *metric = NULL;
    struct metric_tables tables = {0};
    struct string_list names = {0};

    if (item->type == ITEM_ENTITY && type)
        entity = catalog_entity(reading->catalog, type);
    if (item->type == ITEM_METRIC && name)
        metric = catalog_metric(reading->catalog, name);
    if (item->type == ITEM_QUERY)
        *LIST_ADD(reading->storage.arena, &names) = "pipeline_events";
    if (entity && may_see_table(reading, entity->table))
        *LIST_ADD(reading->storage.arena, &names) = entity->table->name;
    if (!metric || !may_see_tables_of(reading, metric, NULL))
        return names;
    tables = metric_tables(metric, NULL);
    return names_of_tables(reading->storage.arena, &tables);
}

static enum error demand(struct request *request, struct reply *reply,
                         const struct batch_body *body, struct reading *reading)
{
    const struct batch_item *items = body->requests.items;
    struct string_list tables = {0};

    for (size_t i = 0; i < body->requests.count; i++) {
        const struct string_list some = tables_of(reading, &items[i]);

        for (size_t j = 0; j < some.count; j++)
            *LIST_ADD(request->arena, &tables) = some.items[j];
    }
    if (!tables.count)
        return ERROR_NONE;
    return service_demand(request, reply, "body", &BOUND_TEXTS(body), &tables, reading);
}

enum error batch_handle(struct request *request, struct reply *reply)
{
    const struct batch_body *body = request->body;
    const struct batch_item *items = body->requests.items;
    int64_t started = clock_monotonic_microseconds();
    struct batch_reply *answer = ARENA_NEW(request->arena, struct batch_reply);
    struct batch_result *results =
        ARENA_ARRAY(request->arena, struct batch_result, body->requests.count);
    struct reading reading;
    enum error error = check_params(request, body);

    if (!error)
        error = charge(request, reply, body->requests.count);
    if (!error)
        error = service_reading(request, &reading);
    if (!error)
        error = demand(request, reply, body, &reading);
    if (error)
        return error;
    for (size_t i = 0; i < body->requests.count; i++)
        run_item(request, &reading, &items[i], &results[i]);
    answer->results = (struct object_list){body->requests.count, results};
    answer->duration_ms =
        number_round((double)(clock_monotonic_microseconds() - started) / 1000, 3);
    answer->freshness =
        freshness_show(&reading.storage, &reading.fresh, reading.settings->freshness_sla_seconds);
    reply->object = answer;
    return ERROR_NONE;
}
