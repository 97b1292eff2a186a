/* Several reads in one request; an item that fails fails alone. */
#include "livedata-query/questions.h"

#include "base/clock.h"
#include "base/number.h"
#include "livedata/query/answer.h"
#include "livedata/shapes.h"

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
};

#define OWNER struct batch_body
static const struct field body_fields[] = {
    OBJECTS(OWNER, requests, item_schema, .required = true, .max_length = ITEMS_MAX),
};
#undef OWNER
SCHEMA(batch_request_schema, struct batch_body, "BatchRequest", body_fields,
       .example = "{\"requests\":[{\"id\":\"1\",\"type\":\"metric\",\"params\":{\"name\":"
                  "\"revenue\",\"window\":\"1h\"}}]}");

static const struct field result_fields[] = {TELLS_TEXT("id"), TELLS_TEXT("status"),
                                             TELLS_ANY("data"), TELLS_TEXT_OR_NULL("error")};
static TELLING(result_schema, "BatchResult", result_fields);
static const struct field batch_fields[] = {TELLS_LIST_OF("results", &result_schema),
                                            TELLS_NUMBER("duration_ms")};
TELLING(batch_schema, "BatchResponse", batch_fields);

static const char *param(const struct batch_item *item, const char *key)
{
    return json_string_value(json_object_get(item->params, key));
}

static enum error needs(struct request *request, const char *what)
{
    return problem_set(&request->problem, ERROR_INVALID, "batch_item", "%s", what);
}

/* What an item adds to the answer beside its data. */
struct item_answer {
    struct json_writer *writer;
    struct data_ages ages; /* of an entity, whose data are its row alone */
};

static enum error run_entity(struct request *request, const struct reading *reading,
                             const struct batch_item *item, struct item_answer *own)
{
    const char *type = param(item, "entity_type"), *id = param(item, "entity_id");
    struct entity_answer answer;
    enum error error;

    if (!type || !id)
        return needs(request, "entity request requires params 'entity_type' and 'entity_id'.");
    error = read_entity(reading, type, id, 0, &answer);
    if (error)
        return error;
    writer_raw(own->writer, answer.data);
    own->ages = entity_ages(reading, &answer);
    return ERROR_NONE;
}

static enum error run_metric(struct request *request, const struct reading *reading,
                             const struct batch_item *item, struct item_answer *own)
{
    struct json_writer *writer = own->writer;
    const char *name = param(item, "name"), *window = param(item, "window");
    struct metric_answer answer;
    int64_t as_of;
    enum error error;

    if (!name)
        return needs(request, "metric request requires param 'name'.");
    error = service_moment(request, "as_of", param(item, "as_of"), &as_of);
    if (error) {
        request->fault_count = 0;
        return needs(request, "as_of is no time.");
    }
    error = read_metric(reading, name, window ? window : "1h", as_of, &answer);
    if (error)
        return error;
    writer_open_object(writer);
    write_metric_value(writer, &answer.value);
    writer_key_string(writer, "unit", metric_unit(answer.request.metric, reading->settings));
    writer_key_string(writer, "window", answer.request.window);
    if (answer.value.undefined)
        writer_key_string(writer, "reason", metric_reason(&answer.value));
    data_ages_write(writer, metric_ages(reading, &answer));
    writer_close_object(writer);
    return ERROR_NONE;
}

static void write_answer(struct json_writer *writer, const struct query_result *result,
                         const char *health)
{
    writer_open_object(writer);
    writer_key(writer, "answer");
    query_write_rows(writer, &result->answer);
    writer_key_string(writer, "sql", result->sql);
    writer_key_string(writer, "interpretation", result->interpretation);
    writer_key(writer, "metadata");
    writer_open_object(writer);
    writer_key_integer(writer, "rows_returned", (int64_t)result->answer.row_count);
    writer_key_integer(writer, "execution_time_ms", result->execution_ms);
    write_optional_number(writer, "data_freshness_seconds", result->ages.freshness_seconds);
    data_ages_write(writer, result->ages);
    writer_key_string(writer, "health", health);
    writer_close_object(writer);
    writer_close_object(writer);
}

static enum error run_query(struct request *request, const struct reading *reading,
                            const struct batch_item *item, struct item_answer *own)
{
    const char *question = param(item, "question");
    const json_t *context = json_object_get(item->params, "context");
    struct query_request asked = {.question = question,
                                  .limit = reading->settings->query_rows_max,
                                  .allowed_types = reading->types,
                                  .time_zone = service_time_zone(request)};
    struct query_result result;
    enum error error;

    if (!question)
        return needs(request, "query request requires param 'question'.");
    if (context && !json_is_object(context) && !json_is_null(context))
        return needs(request, "query param 'context' must be an object.");
    if (utf8_count(question) < QUESTION_LEAST || utf8_count(question) > QUESTION_MOST)
        return needs(request, "query param 'question' must have 3 to 1000 characters.");
    error = query_answer(&reading->storage, reading->catalog, reading->settings, &asked, &result);
    if (error)
        return service_backend_error(request, error);
    write_answer(own->writer, &result, health_words[service_health(request, reading)]);
    return ERROR_NONE;
}

static void run_item(struct request *request, const struct reading *reading,
                     const struct batch_item *item, struct json_writer *writer)
{
    static enum error (*const runs[ITEM__MAX])(struct request *, const struct reading *,
                                               const struct batch_item *, struct item_answer *) = {
        run_entity, run_metric, run_query};
    struct json_writer data_writer;
    struct item_answer own = {.writer = &data_writer};
    struct text data;
    enum error error;

    text_start(&data, request->arena, ITEM_BYTES_MAX);
    writer_start(&data_writer, &data);
    error = runs[item->type](request, reading, item, &own);
    writer_open_object(writer);
    writer_key_string(writer, "id", item->id);
    writer_key_string(writer, "status", error ? "error" : "ok");
    writer_key(writer, "data");
    if (error)
        writer_null(writer);
    else
        writer_raw(writer, data.bytes);
    writer_key_string(writer, "error", error ? request->problem.text : NULL);
    if (!error && item->type == ITEM_ENTITY)
        data_ages_write(writer, own.ages);
    writer_close_object(writer);
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

/* A batch of n costs n calls: one was charged at the door. */
static enum error charge(struct request *request, struct reply *reply, size_t count)
{
    const struct live_key *key = service_key(request);
    struct rate_decision decision;
    struct rate_rule rule;

    if (!key || count < 2)
        return ERROR_NONE;
    rule = (struct rate_rule){(uint32_t)key->rate_limit_rpm, 60};
    decision =
        rate_charge(request->server->region, arena_print(request->arena, "key:%s", key->key_id),
                    rule, (uint32_t)count - 1);
    if (decision.allowed)
        return ERROR_NONE;
    reply_add_header(reply, "Retry-After", "60");
    return problem_set(&request->problem, ERROR_BUSY, "batch_too_expensive",
                       "Rate limit exceeded: a %zu-item batch costs %zu of %lld requests/minute.",
                       count, count, (long long)key->rate_limit_rpm);
}

enum error batch_handle(struct request *request, struct reply *reply)
{
    const struct batch_body *body = request->body;
    const struct batch_item *items = body->requests.items;
    int64_t started = clock_monotonic_microseconds();
    struct json_writer writer = service_writer(reply);
    struct reading reading;
    enum error error = check_params(request, body);

    if (!error)
        error = charge(request, reply, body->requests.count);
    if (!error)
        error = service_reading(request, &reading);
    if (error)
        return error;
    writer_open_object(&writer);
    writer_key(&writer, "results");
    writer_open_array(&writer);
    for (size_t i = 0; i < body->requests.count; i++)
        run_item(request, &reading, &items[i], &writer);
    writer_close_array(&writer);
    writer_key_number(&writer, "duration_ms",
                      number_round((double)(clock_monotonic_microseconds() - started) / 1000, 3));
    writer_close_object(&writer);
    return ERROR_NONE;
}
