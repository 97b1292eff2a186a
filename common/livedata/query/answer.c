/* Answers a question with a page of rows. */
#include "livedata/query/answer.h"

#include "base/clock.h"
#include "base/string_list.h"
#include "base/text.h"
#include "crypto/digest.h"
#include "livedata/journal/journal.h"
#include "livedata/query/pages.h"
#include "livedata/query/prepared.h"
#include "livedata/query/typed_values.h"

#include <stdio.h>
#include <string.h>

enum { COUNT_MOST = 10000, ROWS_TEXT_MAX = 64 * 1024 * 1024 };

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

static void add_flag(struct arena *arena, const struct measure_column *column,
                     struct string_list *flags)
{
    if (column->column && column->column->type == COLUMN_BOOLEAN)
        flags->items[flags->count++] = typed_column_alias(arena, column->name);
}

/* Columns that hold 0 and 1 for false and true. */
static struct string_list flags_of(struct arena *arena, const struct prepared_question *prepared)
{
    const struct measure *measure = prepared->compiled.measure;
    const struct serving_table *table;
    struct string_list flags = {0};

    if (!measure)
        return flags;
    if (measure->kind == MEASURE_RATIO)
        measure = measure->denominator;
    table = measure->tables[0].table;
    flags.items = ARENA_ARRAY(arena, const char *, table->column_count + MEASURE_GROUPS_MAX + 2);
    for (size_t i = 0; prepared->sql && i < table->column_count; i++)
        if (table->columns[i].type == COLUMN_BOOLEAN)
            flags.items[flags.count++] = table->columns[i].name;
    if (prepared->sql) {
        add_flag(arena, &prepared->compiled.column, &flags);
        add_flag(arena, &prepared->compiled.order, &flags);
    }
    for (size_t i = 0; i < measure->group_count; i++)
        if (measure->groups[i].column->type == COLUMN_BOOLEAN)
            flags.items[flags.count++] = measure->groups[i].name;
    return flags;
}

static enum error answer_rows(const struct storage_call *call,
                              const struct livedata_settings *settings,
                              const struct query_request *request,
                              const struct prepared_question *prepared, struct query_result *result)
{
    char hash[DIGEST_SHA256_TEXT];
    const char *values;
    enum error error;

    result->sql = scope_sql(call->arena, &prepared->scope, prepared->sql, prepared->length);
    if (!result->sql)
        return problem_set(call->problem, ERROR_INVALID, "query_failed", "the query is too long");
    hash_of(call, prepared->identity ? prepared->identity : result->sql, hash);
    error = read_cursor(call, request, hash, &values);
    return error ? error : read_page(call, request, prepared, hash, values, result, settings);
}

static enum error answer_values(const struct storage_call *call,
                                const struct query_request *request,
                                const struct prepared_question *prepared,
                                struct query_result *result)
{
    struct sandbox_answer all;
    char hash[DIGEST_SHA256_TEXT];
    const char *values, *next;
    enum error error;

    hash_of(call, prepared->identity, hash);
    error = read_cursor(call, request, hash, &values);
    if (!error)
        error = typed_values(call, &prepared->context, &prepared->compiled, &all, &result->sql);
    if (error)
        return error;
    if (!typed_values_page(call->arena, &prepared->compiled, &all, request->limit, values,
                           &result->answer, &next))
        return problem_set(call->problem, ERROR_INVALID, "invalid_cursor", "Invalid cursor value.");
    result->has_more = result->answer.cut;
    result->next_cursor = next ? cursor_make(call->arena, hash, next) : NULL;
    if (request->paged)
        result->total_count = GIVEN_INTEGER((int64_t)all.row_count);
    return ERROR_NONE;
}

enum error query_answer(const struct storage_call *call, const struct catalog *catalog,
                        const struct livedata_settings *settings,
                        const struct query_request *request, struct query_result *result)
{
    int64_t started = clock_monotonic_microseconds();
    struct prepared_question prepared;
    enum error error = prepare_question(call, catalog, settings, request, &prepared);

    *result = (struct query_result){0};
    if (error)
        return error;
    result->engine = prepared.engine;
    result->tables = prepared.tables;
    result->interpretation = prepared.interpretation;
    result->plan = prepared.plan;
    result->clamped = prepared.clamped;
    result->flags = flags_of(call->arena, &prepared);
    error = prepared.sql ? answer_rows(call, settings, request, &prepared, result)
                         : answer_values(call, request, &prepared, result);
    if (!error)
        error = ages_of_tables(call, &result->tables, &result->ages);
    result->execution_ms = (clock_monotonic_microseconds() - started) / 1000;
    return error;
}

/* The statement as it runs, of a ratio the first, and what it may read. */
static enum error statement_of(const struct storage_call *call,
                               const struct livedata_settings *settings,
                               struct prepared_question *prepared, struct sandbox_rules *rules,
                               const char **sql)
{
    if (!prepared->sql)
        prepared->scope = (struct scope){
            .engine = db_engine(call->db), .tenant = call->tenant, .tables = prepared->tables};
    *rules = scope_rules(call->arena, &prepared->scope, (int)settings->query_timeout_ms,
                         (size_t)settings->query_rows_max);
    if (!prepared->sql)
        return typed_values_sql(call, &prepared->context, &prepared->compiled, sql);
    *sql = scope_sql(call->arena, &prepared->scope, prepared->sql, prepared->length);
    return ERROR_NONE;
}

enum error query_explain(const struct storage_call *call, const struct catalog *catalog,
                         const struct livedata_settings *settings,
                         const struct query_request *request, struct query_explanation *explanation)
{
    struct prepared_question prepared;
    struct sandbox_rules rules;
    struct sandbox_plan plan;
    enum error error = prepare_question(call, catalog, settings, request, &prepared);

    *explanation = (struct query_explanation){0};
    if (error)
        return error;
    error = statement_of(call, settings, &prepared, &rules, &explanation->sql);
    if (error)
        return error;
    explanation->engine = prepared.engine;
    explanation->interpretation = prepared.interpretation;
    explanation->plan = prepared.plan;
    explanation->again = prepared.compiled.measure ? prepared.plan : NULL;
    explanation->language = prepared.language;
    explanation->tables = prepared.tables;
    if (!explanation->sql)
        return problem_set(call->problem, ERROR_INVALID, "query_failed", "the query is too long");
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

static void write_cell(struct json_writer *writer, const struct query_result *result,
                       const char *column, const struct sandbox_cell *cell)
{
    if (cell->kind == SANDBOX_INTEGER && string_list_has(&result->flags, column))
        writer_boolean(writer, cell->integer != 0);
    else
        scope_write_cell(writer, column, cell);
}

const char *query_rows_text(struct arena *arena, const struct query_result *result)
{
    const struct sandbox_answer *answer = &result->answer;
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, ROWS_TEXT_MAX);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    for (size_t row = 0; row < answer->row_count; row++) {
        writer_open_object(&writer);
        for (size_t i = 0; i < answer->column_count; i++) {
            writer_key(&writer, answer->columns[i]);
            write_cell(&writer, result, answer->columns[i],
                       &answer->cells[row * answer->column_count + i]);
        }
        writer_close_object(&writer);
    }
    writer_close_array(&writer);
    return text.bytes;
}
