/* Answers a question with a page of rows. */
#include "livedata/query/answer.h"

#include "base/clock.h"
#include "base/text.h"
#include "crypto/digest.h"
#include "livedata/journal/journal.h"
#include "livedata/query/model.h"
#include "livedata/query/pages.h"
#include "livedata/query/plan.h"
#include "livedata/sandbox/scope.h"
#include "livedata/sandbox/sql_guard.h"

#include <stdio.h>
#include <string.h>

enum {
    COUNT_MOST = 10000,
    LEFT_BYTES_MAX = 2000,
    QUESTION_SHOWN = 200,
    ROWS_TEXT_MAX = 64 * 1024 * 1024
};

static void append_name(struct text *names, const struct serving_table *table, const char *name)
{
    if (!table->own)
        text_append_format(names, "%s%s", names->length ? ", " : "", name);
}

/* Names the words that no plan has used, so that the user can remove or rephrase them, and what
 * questions can be about: the shop, not other domains. */
static enum error untranslatable(const struct storage_call *call, const struct catalog *catalog,
                                 const char *question, const struct string_list *left)
{
    struct text entities, metrics, words;

    text_start(&entities, call->arena, 2000);
    text_start(&metrics, call->arena, 4000);
    text_start(&words, call->arena, LEFT_BYTES_MAX);
    for (size_t i = 0; i < left->count; i++)
        text_append_format(&words, "%s'%s'", i ? ", " : "", left->items[i]);
    for (size_t i = 0; i < catalog->entity_count; i++)
        append_name(&entities, catalog->entities[i].table, catalog->entities[i].name);
    for (size_t i = 0; i < catalog->metric_count; i++)
        append_name(&metrics, catalog->metrics[i].table, catalog->metrics[i].name);
    return problem_set(call->problem, ERROR_INVALID, "untranslatable",
                       "Could not translate question: '%.*s'. %s%s%sTry asking about: [%s] or "
                       "metrics: [%s]. For example: 'revenue today', 'which orders still have not "
                       "arrived', 'top 5 products by revenue today'",
                       (int)utf8_valid_prefix(question, strnlen(question, QUESTION_SHOWN)),
                       question, left->count ? "Words that were not understood: " : "",
                       left->count ? words.bytes : "It names nothing to compute", ". ",
                       entities.bytes, metrics.bytes);
}

struct prepared_question {
    const char *sql; /* accepted by the guard, not scoped */
    size_t length;
    const char *engine;
    const char *interpretation;
    struct scope scope;
    struct guard_finding finding;
    bool clamped;
};

static enum error refuse_unsafe(const struct storage_call *call, const struct problem *why)
{
    return problem_set(call->problem, ERROR_FORBIDDEN, "unsafe_query",
                       "NL-to-SQL produced unsafe query: %s", why->text);
}

/* Translates by the rules, or by a model if there is one and the rules fail. */
static enum error prepare(const struct storage_call *call, const struct catalog *catalog,
                          const struct livedata_settings *settings,
                          const struct query_request *request, struct prepared_question *prepared)
{
    struct string_list allowed = scope_allowed_tables(call->arena, catalog, request->allowed_types);
    const struct plan_context context = {.arena = call->arena,
                                         .engine = db_engine(call->db),
                                         .now = call->now,
                                         .zone = request->time_zone ? request->time_zone
                                                                    : settings->time_zone,
                                         .settings = settings};
    struct question_plan plan;
    struct string_list left;
    struct problem why = {0};

    *prepared = (struct prepared_question){.engine = "rule_based"};
    if (!catalog->shop)
        return problem_set(call->problem, ERROR_INVALID, "untranslatable",
                           "Questions are about the shop, which this tenant does not see.");
    plan_read(&context, request->question, &plan, &left);
    if (plan.measure) {
        prepared->sql = plan_sql(&context, &plan);
        prepared->interpretation = plan_sentence(&context, &plan);
        prepared->clamped = plan.period.clamped;
    } else if (settings->orchestrator_url) {
        prepared->engine = "llm";
        prepared->sql = model_translate(call->arena, db_engine(call->db), catalog, settings,
                                        &allowed, request->question);
        prepared->interpretation =
            "A model wrote the statement in `sql`; the answer is its result.";
    }
    if (!prepared->sql)
        return untranslatable(call, catalog, request->question, &left);
    if (guard_check(call->arena, prepared->sql, &allowed, &prepared->finding, &why))
        return refuse_unsafe(call, &why);
    prepared->length = prepared->finding.length;
    prepared->scope = (struct scope){
        .engine = db_engine(call->db), .tenant = call->tenant, .tables = prepared->finding.tables};
    return ERROR_NONE;
}

static void hash_of(const struct storage_call *call, const char *sql, char hash[DIGEST_SHA256_TEXT])
{
    const char *text = arena_print(call->arena, "%s:%s", call->tenant, sql);

    digest_sha256_hex(text, strlen(text), hash);
}

/* The values after which the page begins; NULL for the first one. */
static enum error read_cursor(const struct storage_call *call, const struct query_request *request,
                              const char *hash, const char **values)
{
    const char *named;

    *values = NULL;
    if (!request->cursor)
        return ERROR_NONE;
    if (!cursor_read(call->arena, request->cursor, &named, values))
        return problem_set(call->problem, ERROR_INVALID, "invalid_cursor", "Invalid cursor value.");
    if (strcmp(named, hash) != 0)
        return problem_set(call->problem, ERROR_INVALID, "foreign_cursor",
                           "Cursor does not match the requested query.");
    return ERROR_NONE;
}

/* Executes the statement without rows to find its columns. */
static enum error order_of(const struct storage_call *call,
                           const struct prepared_question *prepared,
                           const struct sandbox_rules *rules, const char *sql,
                           struct page_order *order)
{
    struct sandbox_answer none;
    enum error error =
        sandbox_query(call->db, call->arena, arena_print(call->arena, "%s LIMIT 0", sql), rules,
                      &none, call->problem);

    if (!error)
        *order = page_order(call->arena, &prepared->finding, &none);
    return error;
}

static enum error count_rows(const struct storage_call *call, const struct sandbox_rules *rules,
                             const char *sql, struct optional_integer *total)
{
    static const char head[] = "SELECT COUNT(*) FROM (", tail[] = ") AS counted";
    struct sandbox_answer answer;
    enum error error =
        sandbox_query(call->db, call->arena,
                      arena_print(call->arena, "%s%s LIMIT %d%s", head, sql, COUNT_MOST + 1, tail),
                      rules, &answer, call->problem);

    if (!error && answer.row_count && answer.cells[0].kind == SANDBOX_INTEGER &&
        answer.cells[0].integer <= COUNT_MOST)
        *total = GIVEN_INTEGER(answer.cells[0].integer);
    return error;
}

/* Rows that are indistinguishable, or ordered by a column that is not in the result, are returned
 * in one page. */
static enum error read_page(const struct storage_call *call, const struct query_request *request,
                            const struct prepared_question *prepared, const char *hash,
                            const char *values, struct query_result *result,
                            const struct livedata_settings *settings)
{
    struct sandbox_rules rules = scope_rules(
        call->arena, &prepared->scope, (int)settings->query_timeout_ms, (size_t)request->limit);
    struct sandbox_answer *answer = &result->answer;
    const char *paged = NULL, *last = NULL;
    struct page_order order;
    enum error error = order_of(call, prepared, &rules, result->sql, &order);

    if (!error && !order.count && !values)
        paged =
            arena_print(call->arena, "%s LIMIT %lld", result->sql, (long long)request->limit + 1);
    else if (!error && !page_sql(call->arena, db_engine(call->db), result->sql, &order, values,
                                 request->limit + 1, &paged))
        error =
            problem_set(call->problem, ERROR_INVALID, "invalid_cursor", "Invalid cursor value.");
    if (!error)
        error = sandbox_query(call->db, call->arena, paged, &rules, answer, call->problem);
    if (error)
        return error;
    result->has_more = answer->cut;
    if (answer->cut && order.count && answer->row_count)
        last = page_values(call->arena, &order, answer, answer->row_count - 1);
    if (last)
        result->next_cursor = cursor_make(call->arena, hash, last);
    return request->paged ? count_rows(call, &rules, result->sql, &result->total_count)
                          : ERROR_NONE;
}

enum error query_answer(const struct storage_call *call, const struct catalog *catalog,
                        const struct livedata_settings *settings,
                        const struct query_request *request, struct query_result *result)
{
    int64_t started = clock_monotonic_microseconds();
    struct prepared_question prepared;
    char hash[DIGEST_SHA256_TEXT];
    const char *values;
    enum error error = prepare(call, catalog, settings, request, &prepared);

    *result = (struct query_result){0};
    if (error)
        return error;
    result->sql = scope_sql(call->arena, &prepared.scope, prepared.sql, prepared.length);
    if (!result->sql)
        return problem_set(call->problem, ERROR_INVALID, "query_failed", "the query is too long");
    result->engine = prepared.engine;
    result->tables = prepared.finding.tables;
    result->interpretation = prepared.interpretation;
    result->clamped = prepared.clamped;
    hash_of(call, result->sql, hash);
    error = read_cursor(call, request, hash, &values);
    if (!error)
        error = read_page(call, request, &prepared, hash, values, result, settings);
    if (!error)
        error = ages_of_tables(call, &result->tables, &result->ages);
    result->execution_ms = (clock_monotonic_microseconds() - started) / 1000;
    return error;
}

enum error query_explain(const struct storage_call *call, const struct catalog *catalog,
                         const struct livedata_settings *settings,
                         const struct query_request *request, struct query_explanation *explanation)
{
    struct prepared_question prepared;
    struct sandbox_rules rules;
    struct sandbox_plan plan;
    enum error error = prepare(call, catalog, settings, request, &prepared);

    *explanation = (struct query_explanation){0};
    if (error)
        return error;
    explanation->sql = scope_sql(call->arena, &prepared.scope, prepared.sql, prepared.length);
    explanation->engine = prepared.engine;
    explanation->interpretation = prepared.interpretation;
    explanation->tables = prepared.finding.tables;
    if (!explanation->sql)
        return problem_set(call->problem, ERROR_INVALID, "query_failed", "the query is too long");
    rules = scope_rules(call->arena, &prepared.scope, (int)settings->query_timeout_ms,
                        (size_t)settings->query_rows_max);
    error = sandbox_explain(call->db, call->arena, explanation->sql, &rules, &plan, call->problem);
    if (error)
        return error;
    if (plan.rows >= 0)
        explanation->estimated_rows = GIVEN_INTEGER(plan.rows);
    if (plan.scan_count && explanation->tables.count)
        explanation->warning = arena_print(call->arena, "Full table scan on %s (no index)",
                                           explanation->tables.items[0]);
    return ERROR_NONE;
}

const char *query_rows_text(struct arena *arena, const struct sandbox_answer *answer)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, ROWS_TEXT_MAX);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    for (size_t row = 0; row < answer->row_count; row++) {
        writer_open_object(&writer);
        for (size_t i = 0; i < answer->column_count; i++) {
            writer_key(&writer, answer->columns[i]);
            scope_write_cell(&writer, answer->columns[i],
                             &answer->cells[row * answer->column_count + i]);
        }
        writer_close_object(&writer);
    }
    writer_close_array(&writer);
    return text.bytes;
}
