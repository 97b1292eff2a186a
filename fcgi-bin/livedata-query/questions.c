/* Questions answered and explained. */
#include "livedata-query/questions.h"

#include "i18n/i18n.h"
#include "livedata/catalog/contracts.h"

#include <string.h>

struct query_body {
    const char *question;
    const struct typed_plan *plan;
    json_t *context;
    int64_t limit;
    const char *cursor;
    BOUND_MEMBERS;
};

#define OWNER struct query_body
static const struct field query_request_fields[] = {
    STRING(OWNER, question, .nullable = true, .min_length = 3, .max_length = 1000,
           .help = "In words. Needed unless there is a plan."),
    OBJECT(OWNER, plan, typed_plan_schema, .nullable = true,
           .help =
               "Instead of a question: the `plan` of an answer, changed or not. Of some questions "
               "about the shop the plan only describes what was computed, and is refused here: "
               "revenue by product or category, top products by revenue, active sessions."),
    JSON_OBJECT(OWNER, context, .nullable = true),
    INTEGER(OWNER, limit, .lower = AT_LEAST(1), .upper = AT_MOST(1000), .default_value = 100,
            .help = "Rows of a page."),
    STRING(OWNER, cursor, .nullable = true, .help = "The next_cursor of the page before."),
    BOUND_ROWS,
};
#undef OWNER
SCHEMA(query_request_schema, struct query_body, "NLQueryRequest", query_request_fields,
       .example = "{\"question\":\"top 5 products\"}");

/* Where the page stands; the answer and its metadata both say so. */
#define PAGE_MEMBERS                                                                               \
    struct optional_integer total_count;                                                           \
    const char *next_cursor;                                                                       \
    bool has_more;                                                                                 \
    int64_t page_size
#define PAGE_ROWS                                                                                  \
    NULLABLE_INTEGER(OWNER, total_count), STRING(OWNER, next_cursor, .nullable = true),            \
        BOOLEAN(OWNER, has_more), INTEGER(OWNER, page_size)

struct query_metadata {
    QUERY_METADATA_MEMBERS;
    const char *engine;
    struct optional_boolean clamped;
    PAGE_MEMBERS;
};

#define OWNER struct query_metadata
static const struct field metadata_fields[] = {
    QUERY_METADATA_ROWS, STRING(OWNER, engine),
    NULLABLE_BOOLEAN(OWNER, clamped, .omit_if_null = true,
                     .help = "true: fewer rows than asked for."),
    PAGE_ROWS};
#undef OWNER
static SCHEMA(metadata_schema, struct query_metadata, "QueryMetadata", metadata_fields);

struct query_reply {
    const char *answer, *rows; /* the same JSON list */
    const char *sql, *interpretation;
    const struct typed_plan *plan;
    PAGE_MEMBERS;
    const struct query_metadata *metadata;
    const struct answer_freshness *freshness;
};

#define OWNER struct query_reply
static const struct field query_fields[] = {
    WRITTEN_ROWS(OWNER, answer),
    WRITTEN_ROWS(OWNER, rows),
    STRING(OWNER, sql),
    STRING(OWNER, interpretation),
    OBJECT(OWNER, plan, typed_plan_schema, .help = "What was computed, typed."),
    PAGE_ROWS,
    OBJECT(OWNER, metadata, metadata_schema),
    OBJECT(OWNER, freshness, answer_freshness_schema, .omit_if_null = true)};
#undef OWNER
SCHEMA(query_schema, struct query_reply, "QueryResponse", query_fields);

struct explain_body {
    const char *question;
    const struct typed_plan *plan;
    const char *contract_version;
};

#define OWNER struct explain_body
static const struct field explain_request_fields[] = {
    STRING(OWNER, question, .nullable = true, .min_length = 3, .max_length = 1000),
    OBJECT(OWNER, plan, typed_plan_schema, .nullable = true, .help = "Instead of a question."),
    STRING(OWNER, contract_version, .nullable = true,
           .help = "`order:2`, or `2`: a contract that must exist."),
};
#undef OWNER
SCHEMA(explain_request_schema, struct explain_body, "ExplainRequest", explain_request_fields,
       .example = "{\"question\":\"revenue today\"}");

struct explanation {
    const char *question, *sql, *interpretation;
    const struct typed_plan *plan;
    struct string_list tables_accessed;
    struct optional_integer estimated_rows;
    const char *engine, *warning;
};

#define OWNER struct explanation
static const struct field explain_fields[] = {
    STRING(OWNER, question, .nullable = true),
    STRING(OWNER, sql),
    STRING(OWNER, interpretation),
    OBJECT(OWNER, plan, typed_plan_schema),
    STRINGS(OWNER, tables_accessed),
    NULLABLE_INTEGER(OWNER, estimated_rows),
    STRING(OWNER, engine),
    STRING(OWNER, warning, .nullable = true),
};
#undef OWNER
SCHEMA(explain_schema, struct explanation, "ExplainResponse", explain_fields);

static const struct query_metadata *metadata_of(struct arena *arena,
                                                const struct query_result *result, int64_t limit,
                                                const char *health)
{
    struct query_metadata *metadata = ARENA_NEW(arena, struct query_metadata);

    *metadata = (struct query_metadata){.rows_returned = (int64_t)result->answer.row_count,
                                        .execution_time_ms = result->execution_ms,
                                        .data_freshness_seconds = result->ages.freshness_seconds,
                                        .freshness_seconds = result->ages.freshness_seconds,
                                        .event_age_seconds = result->ages.event_age_seconds,
                                        .health = health,
                                        .engine = result->engine,
                                        .total_count = result->total_count,
                                        .next_cursor = result->next_cursor,
                                        .has_more = result->has_more,
                                        .page_size = limit};
    if (result->clamped)
        metadata->clamped = GIVEN_BOOLEAN(true);
    return metadata;
}

static struct query_reply *reply_of(struct arena *arena, const struct query_result *result,
                                    int64_t limit, const char *health)
{
    struct query_reply *reply = ARENA_NEW(arena, struct query_reply);
    const char *rows = query_rows_text(arena, result);

    *reply = (struct query_reply){.answer = rows,
                                  .rows = rows,
                                  .sql = result->sql,
                                  .interpretation = result->interpretation,
                                  .plan = result->plan,
                                  .total_count = result->total_count,
                                  .next_cursor = result->next_cursor,
                                  .has_more = result->has_more,
                                  .page_size = limit,
                                  .metadata = metadata_of(arena, result, limit, health)};
    return reply;
}

/* The tables of a question are known once it is translated; the same plan then answers it. */
static enum error demand(struct request *request, struct reply *reply,
                         const struct query_body *body, struct query_request *asked,
                         struct reading *reading)
{
    const struct bound_texts texts = BOUND_TEXTS(body);
    struct string_list tables = {1, (const char *[]){"pipeline_events"}};
    struct query_explanation explanation;
    enum error error = ERROR_NONE;

    if (texts.max_event_age)
        error = query_explain(&reading->storage, reading->catalog, reading->settings, asked,
                              &explanation);
    if (error)
        return error;
    if (texts.max_event_age) {
        tables = explanation.tables;
        asked->plan = explanation.again;
        asked->engine = explanation.engine;
        asked->language = explanation.language;
    }
    return service_demand(request, reply, "body", &texts, &tables, reading);
}

/* Says how fresh the tables of the answer are. */
static const struct answer_freshness *freshness_of(struct reading *reading,
                                                   const struct query_result *result)
{
    if (watermark_read(&reading->storage, reading->cache, &result->tables,
                       &reading->fresh.watermark))
        return NULL;
    return freshness_show(&reading->storage, &reading->fresh,
                          reading->settings->freshness_sla_seconds);
}

/* Either a question or a plan. */
static enum error check_asked(struct request *request, const char *question,
                              const struct typed_plan *plan)
{
    if (!question && !plan)
        return request_fault(request, "body", "question", "missing", "Field required");
    if (question && plan)
        return request_fault(request, "body", "plan", "value_error",
                             "Value error, a plan comes instead of a question");
    return ERROR_NONE;
}

const char *questions_language(const struct request *request)
{
    const char *header = request_header(request, "HTTP_ACCEPT_LANGUAGE");

    return header && *header ? language_tag(locale_language(request->locale)) : NULL;
}

enum error query_handle(struct request *request, struct reply *reply)
{
    const struct query_body *body = request->body;
    struct query_request asked = {.question = body->question,
                                  .plan = body->plan,
                                  .language = questions_language(request),
                                  .limit = body->limit,
                                  .cursor = body->cursor,
                                  .paged = true};
    struct live_note *note = service_note(request);
    struct query_result result;
    struct query_reply *answer;
    struct reading reading;
    enum error error = check_asked(request, body->question, body->plan);

    note->query = body->question;
    note->engine = "rule_based";
    if (!error)
        error = service_reading(request, &reading);
    if (error)
        return error;
    asked.allowed_types = reading.types;
    asked.time_zone = service_time_zone(request);
    error = demand(request, reply, body, &asked, &reading);
    if (!error)
        error = query_answer(&reading.storage, reading.catalog, reading.settings, &asked, &result);
    if (error)
        return service_backend_error(request, error);
    note->engine = result.engine;
    answer = reply_of(request->arena, &result, body->limit,
                      health_words[service_health(request, &reading)]);
    answer->freshness = freshness_of(&reading, &result);
    reply->object = answer;
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

enum error explain_handle(struct request *request, struct reply *reply)
{
    const struct explain_body *body = request->body;
    struct query_request asked = {.question = body->question,
                                  .plan = body->plan,
                                  .language = questions_language(request),
                                  .limit = 1};
    struct query_explanation explanation;
    struct explanation *answer = ARENA_NEW(request->arena, struct explanation);
    struct reading reading;
    enum error error = check_asked(request, body->question, body->plan);

    if (!error)
        error = check_contract(request, body->contract_version);
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
    *answer = (struct explanation){.question = body->question,
                                   .sql = explanation.sql,
                                   .interpretation = explanation.interpretation,
                                   .plan = explanation.plan,
                                   .tables_accessed = explanation.tables,
                                   .estimated_rows = explanation.estimated_rows,
                                   .engine = explanation.engine,
                                   .warning = explanation.warning};
    reply->object = answer;
    return ERROR_NONE;
}
