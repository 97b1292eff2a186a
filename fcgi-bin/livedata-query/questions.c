/* Questions answered and explained. */
#include "livedata-query/questions.h"

#include "livedata/catalog/contracts.h"
#include "livedata/query/answer.h"
#include "livedata/shapes.h"

#include <string.h>

struct query_body {
    const char *question;
    json_t *context;
    int64_t limit;
    const char *cursor;
};

#define OWNER struct query_body
static const struct field query_request_fields[] = {
    STRING(OWNER, question, .required = true, .min_length = 3, .max_length = 1000,
           .help = "In words."),
    JSON_OBJECT(OWNER, context, .nullable = true),
    INTEGER(OWNER, limit, .lower = AT_LEAST(1), .upper = AT_MOST(1000), .default_value = 100,
            .help = "Rows of a page."),
    STRING(OWNER, cursor, .nullable = true, .help = "The next_cursor of the page before."),
};
#undef OWNER
SCHEMA(query_request_schema, struct query_body, "NLQueryRequest", query_request_fields,
       .example = "{\"question\":\"top 5 products\"}");

static const struct field query_fields[] = {
    TELLS_OBJECTS("answer"),
    TELLS_OBJECTS("rows"),
    TELLS_TEXT("sql"),
    TELLS_TEXT("interpretation"),
    TELLS_INTEGER_OR_NULL("total_count"),
    TELLS_TEXT_OR_NULL("next_cursor"),
    TELLS_FLAG("has_more"),
    TELLS_INTEGER("page_size"),
    TELLS_OBJECT("metadata"),
};
TELLING(query_schema, "QueryResponse", query_fields);

struct explain_body {
    const char *question;
    const char *contract_version;
};

#define OWNER struct explain_body
static const struct field explain_request_fields[] = {
    STRING(OWNER, question, .required = true, .min_length = 3, .max_length = 1000),
    STRING(OWNER, contract_version, .nullable = true,
           .help = "`order:2`, or `2`: a contract that must exist."),
};
#undef OWNER
SCHEMA(explain_request_schema, struct explain_body, "ExplainRequest", explain_request_fields,
       .example = "{\"question\":\"revenue today\"}");

static const struct field explain_fields[] = {
    TELLS_TEXT("question"),
    TELLS_TEXT("sql"),
    TELLS_TEXT("interpretation"),
    TELLS_TEXTS("tables_accessed"),
    TELLS_INTEGER_OR_NULL("estimated_rows"),
    TELLS_TEXT("engine"),
    TELLS_TEXT_OR_NULL("warning"),
};
TELLING(explain_schema, "ExplainResponse", explain_fields);

static void write_optional(struct json_writer *writer, const char *key,
                           struct optional_integer value)
{
    if (value.given)
        writer_key_integer(writer, key, value.value);
    else
        writer_key_null(writer, key);
}

static void write_paging(struct json_writer *writer, const struct query_result *result,
                         int64_t limit)
{
    write_optional(writer, "total_count", result->total_count);
    writer_key_string(writer, "next_cursor", result->next_cursor);
    writer_key_boolean(writer, "has_more", result->has_more);
    writer_key_integer(writer, "page_size", limit);
}

static void write_result(struct json_writer *writer, const struct query_result *result,
                         int64_t limit, const char *health)
{
    writer_open_object(writer);
    writer_key(writer, "answer");
    query_write_rows(writer, &result->answer);
    writer_key(writer, "rows");
    query_write_rows(writer, &result->answer);
    writer_key_string(writer, "sql", result->sql);
    writer_key_string(writer, "interpretation", result->interpretation);
    write_paging(writer, result, limit);
    writer_key(writer, "metadata");
    writer_open_object(writer);
    writer_key_integer(writer, "rows_returned", (int64_t)result->answer.row_count);
    writer_key_integer(writer, "execution_time_ms", result->execution_ms);
    write_optional_number(writer, "data_freshness_seconds", result->ages.freshness_seconds);
    data_ages_write(writer, result->ages);
    writer_key_string(writer, "health", health);
    writer_key_string(writer, "engine", result->engine);
    if (result->clamped)
        writer_key_boolean(writer, "clamped", true);
    write_paging(writer, result, limit);
    writer_close_object(writer);
    writer_close_object(writer);
}

enum error query_handle(struct request *request, struct reply *reply)
{
    const struct query_body *body = request->body;
    struct query_request asked = {
        .question = body->question, .limit = body->limit, .cursor = body->cursor, .paged = true};
    struct live_note *note = service_note(request);
    struct query_result result;
    struct json_writer writer;
    struct reading reading;
    enum error error = service_reading(request, &reading);

    note->query = body->question;
    note->engine = "rule_based";
    if (error)
        return error;
    asked.allowed_types = reading.types;
    asked.time_zone = service_time_zone(request);
    error = query_answer(&reading.storage, reading.catalog, reading.settings, &asked, &result);
    if (error)
        return service_backend_error(request, error);
    note->engine = result.engine;
    writer = service_writer(reply);
    write_result(&writer, &result, body->limit, health_words[service_health(request, &reading)]);
    return ERROR_NONE;
}

/* "order:2", "order:v2" or "2": one that exists. */
static enum error check_contract(struct request *request, const char *named)
{
    const struct catalog *catalog = service_catalog(request);
    const struct schema_contract *contract;
    const char *colon = named ? strchr(named, ':') : NULL;

    if (!named)
        return ERROR_NONE;
    if (colon)
        return contract_find(catalog, arena_copy(request->arena, named, (size_t)(colon - named)),
                             colon + 1, &contract, &request->problem);
    for (size_t i = 0; i < catalog->contract_count; i++)
        if (contract_compare_versions(catalog->contracts[i].version, named) == 0)
            return ERROR_NONE;
    return problem_set(&request->problem, ERROR_NOT_FOUND, "unknown_contract_version",
                       "Unknown contract version: %.100s", named);
}

static void write_explanation(struct json_writer *writer, const char *question,
                              const struct query_explanation *explanation)
{
    writer_open_object(writer);
    writer_key_string(writer, "question", question);
    writer_key_string(writer, "sql", explanation->sql);
    writer_key_string(writer, "interpretation", explanation->interpretation);
    writer_key(writer, "tables_accessed");
    writer_open_array(writer);
    for (size_t i = 0; i < explanation->tables.count; i++)
        writer_string(writer, explanation->tables.items[i]);
    writer_close_array(writer);
    write_optional(writer, "estimated_rows", explanation->estimated_rows);
    writer_key_string(writer, "engine", explanation->engine);
    writer_key_string(writer, "warning", explanation->warning);
    writer_close_object(writer);
}

enum error explain_handle(struct request *request, struct reply *reply)
{
    const struct explain_body *body = request->body;
    struct query_request asked = {.question = body->question, .limit = 1};
    struct query_explanation explanation;
    struct json_writer writer;
    struct reading reading;
    enum error error = check_contract(request, body->contract_version);

    if (!error)
        error = service_reading(request, &reading);
    if (error)
        return error;
    asked.allowed_types = reading.types;
    asked.time_zone = service_time_zone(request);
    error =
        query_explain(&reading.storage, reading.catalog, reading.settings, &asked, &explanation);
    if (error)
        return service_backend_error(request, error);
    writer = service_writer(reply);
    write_explanation(&writer, body->question, &explanation);
    return ERROR_NONE;
}
