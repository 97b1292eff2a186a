/* Measures by ClickHouse: when it answers, when the database does, and reading its rows. */
#include "livedata/metrics/measure_columnar.h"

#include "base/log.h"
#include "livedata/columnar/columnar.h"

#include <math.h>
#include <string.h>

enum { COUNT_SQL_MAX = 1000, MARK_COLUMNS = 3 };

/* Sums of doubles are not exact: far enough below 2^63. */
#define SUM_MAX 9.2e18

bool measure_is_columnar(const struct storage_call *call, const struct measure *measure)
{
    return call->columnar && measure->kind != MEASURE_RATIO && measure->table_count == 1 &&
           columnar_chosen(call->columnar->settings, measure->tables[0].table);
}

static bool is_text(const struct measure_column *column)
{
    return column->column->type == COLUMN_TEXT || column->column->type == COLUMN_JSON;
}

static struct sandbox_cell cell_of(const json_t *row, size_t column, bool text)
{
    const json_t *value = json_array_get(row, column);

    if (json_is_null(value))
        return (struct sandbox_cell){.kind = SANDBOX_NULL};
    if (text)
        return (struct sandbox_cell){.kind = SANDBOX_TEXT, .text = json_string_value(value)};
    return (struct sandbox_cell){.kind = SANDBOX_INTEGER,
                                 .integer = clickhouse_integer(row, column)};
}

/* The groups, the bucket and the numbers, without what the mark has. False when a sum is beyond 64
 * bits. */
static bool take_row(const struct measure_request *request, const json_t *row,
                     struct sandbox_cell *cells, size_t column_count)
{
    size_t groups = request->measure->group_count;

    for (size_t i = 0; i < column_count; i++)
        cells[i] = cell_of(row, 1 + i, i < groups && is_text(&request->measure->groups[i]));
    return fabs(json_number_value(json_array_get(row, 1 + column_count))) < SUM_MAX;
}

static struct columnar_mark mark_of(const json_t *row, size_t column_count)
{
    size_t first = 2 + column_count;

    return (struct columnar_mark){clickhouse_integer(row, first),
                                  clickhouse_integer(row, first + 1),
                                  clickhouse_integer(row, first + 2)};
}

/* Without groups and buckets the engines answer one row, also of no rows. */
static void add_empty_row(const struct measure_request *request, struct sandbox_answer *answer)
{
    if (request->measure->group_count || request->buckets.count || answer->row_count)
        return;
    memset(answer->cells, 0, answer->column_count * sizeof *answer->cells);
    for (size_t i = 0; i < answer->column_count; i++)
        answer->cells[i].kind = SANDBOX_INTEGER;
    answer->row_count = 1;
}

static enum error read_rows(const struct storage_call *call, const struct measure_request *request,
                            const json_t *rows, struct sandbox_answer *answer,
                            struct columnar_mark *mark)
{
    size_t numbers = request->measure->kind == MEASURE_QUANTILE ? 3 : 2, i;
    bool fits = true;
    const json_t *row;

    *answer = (struct sandbox_answer){.column_count = request->measure->group_count +
                                                      (request->buckets.count > 0) + numbers};
    *mark = (struct columnar_mark){0};
    answer->cells = ARENA_ARRAY(call->arena, struct sandbox_cell,
                                (json_array_size(rows) + 1) * answer->column_count);
    json_array_foreach(rows, i, row)
    {
        struct sandbox_cell *cells = answer->cells + answer->row_count * answer->column_count;

        if (clickhouse_integer(row, 0)) {
            *mark = mark_of(row, answer->column_count);
        } else if (answer->row_count == request->rows_max) {
            answer->cut = true;
        } else {
            fits &= take_row(request, row, cells, answer->column_count);
            answer->row_count++;
        }
    }
    add_empty_row(request, answer);
    return fits ? ERROR_NONE
                : problem_set(call->problem, ERROR_INVALID, "query_failed",
                              "the sum is beyond 64 bits");
}

static enum error ask(const struct storage_call *call, const struct measure_request *request,
                      const struct columnar_copy *copy, struct sandbox_answer *answer)
{
    const struct columnar_read *read = call->columnar;
    const struct clickhouse clickhouse = {read->settings, read->region, call->arena, call->problem};
    const char *table = request->measure->tables[0].table->name;
    const struct clickhouse_call statement = {
        .sql = measure_clickhouse_sql(call, request,
                                      columnar_name(call->arena, table, copy->incarnation)),
        .timeout_ms = request->timeout_ms};
    struct columnar_mark mark;
    json_t *rows = NULL;
    enum error error;

    if (!statement.sql)
        return problem_set(call->problem, ERROR_INVALID, "filter_invalid",
                           "The filter is too long.");
    switch (clickhouse_run(&clickhouse, &statement, &rows)) {
    case CLICKHOUSE_DONE:
        break;
    case CLICKHOUSE_TIMEOUT:
        return problem_set(call->problem, ERROR_BUSY, "query_timeout", "The query took too long.");
    default:
        return ERROR_UNAVAILABLE;
    }
    error = read_rows(call, request, rows, answer, &mark);
    return error ? error : columnar_accept(call, copy, &mark);
}

/* Whether the tenant has few enough rows that the database may answer. */
static enum error is_small(const struct storage_call *call, const struct measure_request *request,
                           bool *small)
{
    static const char head[] = "SELECT count(*) FROM (SELECT 1 FROM ",
                      where[] = " WHERE tenant_id = '", limit[] = "' LIMIT ";
    const char *table = request->measure->tables[0].table->name;
    const char *tables[] = {table, NULL}, *functions[] = {"count", NULL};
    const struct sandbox_rules rules = {.tables = tables,
                                        .functions = functions,
                                        .timeout_ms = request->timeout_ms,
                                        .rows_max = 1,
                                        .bytes_max = COUNT_SQL_MAX};
    int64_t most = call->columnar->settings->columnar_fallback_rows;
    struct sandbox_answer answer = {0};
    struct problem unused;
    struct text sql;
    enum error error;

    text_start(&sql, call->arena, COUNT_SQL_MAX);
    text_append_strings(&sql, (const char *const[]){head, table, where, call->tenant, limit, NULL});
    text_append_format(&sql, "%lld) AS r", (long long)most + 1);
    error = sandbox_query(call->db, call->arena, sql.bytes, &rules, &answer, &unused);
    *small = !error && answer.row_count && answer.cells[0].integer <= most;
    return error == ERROR_BUSY ? ERROR_NONE : error;
}

static enum error fall_back(const struct storage_call *call, const struct measure_request *request,
                            bool *served)
{
    const struct problem why = *call->problem;
    bool small = false;
    enum error error = is_small(call, request, &small);

    *served = !small;
    if (error || small)
        return error;
    log_event(LOG_WARNING, "columnar_unavailable", why.text);
    return problem_set(call->problem, ERROR_UNAVAILABLE, "columnar_unavailable",
                       "The store of large tables does not answer, and the tenant has too many "
                       "rows for the database.");
}

enum error measure_ask_columnar(const struct storage_call *call,
                                const struct measure_request *request,
                                struct sandbox_answer *answer, bool *served)
{
    double most = call->columnar->settings->columnar_lag_seconds * 1e6;
    struct columnar_copy copy;
    enum error error = columnar_look(call, request->measure->tables[0].table, &copy);

    *served = true;
    if (error)
        return error;
    if (copy.live && (double)copy.lag <= most)
        error = ask(call, request, &copy, answer);
    else
        error = problem_set(call->problem, ERROR_UNAVAILABLE, "columnar_behind",
                            "the copy of %s %s", request->measure->tables[0].table->name,
                            copy.live ? "lags behind too far" : "is not filled");
    return error == ERROR_UNAVAILABLE ? fall_back(call, request, served) : error;
}

enum error measure_lags(const struct storage_call *call, const struct measure *measure, bool *lags)
{
    struct columnar_copy copy;
    enum error error;

    *lags = false;
    if (measure->kind == MEASURE_RATIO) {
        error = measure_lags(call, measure->numerator, lags);
        return error || *lags ? error : measure_lags(call, measure->denominator, lags);
    }
    if (!measure_is_columnar(call, measure))
        return ERROR_NONE;
    error = columnar_look(call, measure->tables[0].table, &copy);
    *lags = !error && copy.live && copy.lag > 0;
    return error;
}
