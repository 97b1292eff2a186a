/* Computing measures: runs the statement and turns whole numbers into values. */
#include "livedata/metrics/measure_compute.h"

#include "livedata/metrics/measure_columnar.h"

#include "base/number.h"
#include "db/sandbox.h"
#include "livedata/tables/tables.h"
#include "livedata/timestamp.h"

#include <stdlib.h>
#include <string.h>

enum {
    DECIMALS = 4,
    ANSWER_BYTES_MAX = 16 * 1024 * 1024,
    /* Of one row: as much as a whole answer can have when each byte is escaped. */
    KEYS_MAX = 7 * ANSWER_BYTES_MAX
};

static const char *const functions[] = {"count",      "sum",   "min",  "max",
                                        "row_number", "lower", "like", NULL};

static double power_of_ten(int exponent)
{
    double power = 1;

    while (exponent-- > 0)
        power *= 10;
    return power;
}

static int scale_of(const struct table_column *column)
{
    return column && column->type == COLUMN_NUMBER ? column->scale : 0;
}

static double quantile_of(const struct measure *measure, const struct sandbox_cell *cells,
                          double one)
{
    int64_t position = measure->quantile * (cells[2].integer - 1);
    double low = (double)cells[0].integer, high = (double)cells[1].integer;

    return (low + (high - low) * (double)(position % QUANTILE_UNITS) / QUANTILE_UNITS) / one;
}

static void read_value(const struct measure *measure, const struct sandbox_cell *cells,
                       struct measure_row *row)
{
    bool quantile = measure->kind == MEASURE_QUANTILE;
    int64_t count = cells[quantile ? 2 : 1].integer;
    double total = (double)cells[0].integer, one = power_of_ten(scale_of(measure->value.column));

    row->undefined = count == 0 && !measure_is_zero_when_empty(measure);
    if (count == 0)
        return;
    switch (measure->kind) {
    case MEASURE_COUNT:
    case MEASURE_DISTINCT:
        row->value = total;
        break;
    case MEASURE_AVERAGE:
        row->value = number_round_figure(total / ((double)count * one), DECIMALS);
        break;
    case MEASURE_QUANTILE:
        row->value = number_round_figure(quantile_of(measure, cells, one), DECIMALS);
        break;
    default:
        row->value = total / one;
    }
}

static void write_key(struct json_writer *writer, const struct measure_column *column,
                      const struct sandbox_cell *cell)
{
    char text[TIMESTAMP_TEXT];

    if (cell->kind == SANDBOX_TEXT) {
        writer_string(writer, cell->text);
    } else if (cell->kind != SANDBOX_INTEGER) {
        writer_null(writer);
    } else if (column->column->type == COLUMN_BOOLEAN) {
        writer_boolean(writer, cell->integer != 0);
    } else if (column->column->type == COLUMN_TIME) {
        timestamp_format(cell->integer, text);
        writer_string(writer, text);
    } else if (column->column->type == COLUMN_NUMBER) {
        writer_number(writer, (double)cell->integer / power_of_ten(column->column->scale));
    } else {
        writer_integer(writer, cell->integer);
    }
}

static const char *keys_of(struct arena *arena, const struct measure *measure,
                           const struct sandbox_cell *cells)
{
    struct json_writer writer;
    struct text text;

    if (!measure->group_count)
        return "{}";
    text_start(&text, arena, KEYS_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    for (size_t i = 0; i < measure->group_count; i++) {
        writer_key(&writer, measure->groups[i].name);
        write_key(&writer, &measure->groups[i], &cells[i]);
    }
    writer_close_object(&writer);
    return text.bytes;
}

static int by_key(const void *left, const void *right)
{
    const struct measure_row *a = left, *b = right;
    int order = strcmp(a->keys, b->keys);

    return order ? order : a->bucket < b->bucket ? -1 : a->bucket > b->bucket;
}

struct measure_request measure_request_of(const struct livedata_settings *settings,
                                          const struct measure *measure, size_t rows_max)
{
    return (struct measure_request){.measure = measure,
                                    .rows_max = rows_max,
                                    .timeout_ms = (int)settings->query_timeout_ms,
                                    .currency = settings->currency,
                                    .rates = &settings->currency_rates};
}

static enum error run(const struct storage_call *call, const struct measure_request *request,
                      const char *sql, struct sandbox_answer *answer)
{
    const struct measure *measure = request->measure;
    const char *tables[MEASURE_TABLES_MAX + 1] = {NULL};
    const struct sandbox_rules rules = {.tables = tables,
                                        .functions = functions,
                                        .timeout_ms = request->timeout_ms,
                                        .rows_max = request->rows_max,
                                        .bytes_max = ANSWER_BYTES_MAX};
    enum error error = ERROR_NONE;

    if (!sql)
        return problem_set(call->problem, ERROR_INVALID, "filter_invalid",
                           "The filter is too long.");
    for (size_t i = 0; !error && i < measure->table_count; i++) {
        tables[i] = measure->tables[i].table->name;
        error = table_served(measure->tables[i].table, call->problem);
    }
    return error ? error : sandbox_query(call->db, call->arena, sql, &rules, answer, call->problem);
}

/* By the copy of the table or by the table. */
static enum error ask(const struct storage_call *call, const struct measure_request *request,
                      struct sandbox_answer *answer)
{
    bool served = false;
    enum error error = ERROR_NONE;

    if (measure_is_columnar(call, request->measure)) {
        error = table_served(request->measure->tables[0].table, call->problem);
        if (!error)
            error = measure_ask_columnar(call, request, answer, &served);
    }
    return error || served ? error : run(call, request, measure_sql(call, request), answer);
}

static enum error compute_one(const struct storage_call *call,
                              const struct measure_request *request, struct measure_rows *rows)
{
    const struct measure *measure = request->measure;
    struct sandbox_answer answer = {0};
    enum error error = ask(call, request, &answer);

    *rows = (struct measure_rows){0};
    if (error)
        return error;
    *rows = (struct measure_rows){
        .items = ARENA_ARRAY(call->arena, struct measure_row, answer.row_count + 1),
        .cut = answer.cut};
    for (size_t i = 0; i < answer.row_count; i++) {
        const struct sandbox_cell *cells = &answer.cells[i * answer.column_count];
        const struct sandbox_cell *values = cells + measure->group_count;
        struct measure_row *row = &rows->items[rows->count++];

        *row = (struct measure_row){.bucket = -1, .keys = keys_of(call->arena, measure, cells)};
        if (measure->group_count && cells[0].kind == SANDBOX_TEXT)
            row->name = cells[0].text;
        if (request->buckets.count)
            row->bucket = (values++)->integer;
        read_value(measure, values, row);
    }
    qsort(rows->items, rows->count, sizeof rows->items[0], by_key);
    return ERROR_NONE;
}

/* Divides by what the same group and bucket has in the denominator. Rows are cut in the order of
 * their keys: what was not found may be among those that were cut. */
static enum error compute_ratio(const struct storage_call *call,
                                const struct measure_request *request, struct measure_rows *rows)
{
    const struct measure *above = request->measure->numerator;
    struct measure_request part = *request;
    struct measure_rows numerators;
    enum error error;

    part.measure = request->measure->denominator;
    error = compute_one(call, &part, rows);
    part.measure = above;
    if (!error)
        error = compute_one(call, &part, &numerators);
    for (size_t i = 0; !error && i < rows->count; i++) {
        struct measure_row *row = &rows->items[i];
        const struct measure_row none = {.undefined =
                                             numerators.cut || !measure_is_zero_when_empty(above)};
        const struct measure_row *found = numerators.count
                                              ? bsearch(row, numerators.items, numerators.count,
                                                        sizeof numerators.items[0], by_key)
                                              : NULL;

        found = found ? found : &none;
        row->undefined = row->undefined || found->undefined || row->value == 0;
        row->value = row->undefined ? 0 : number_round_figure(found->value / row->value, DECIMALS);
    }
    if (!error)
        rows->cut = rows->cut || numerators.cut;
    return error;
}

static bool is_added(const struct measure_request *request, const char *currency)
{
    bool added = strcmp(currency, request->currency) == 0;

    for (size_t i = 0; !added && i < request->rates->count; i++)
        added = strcmp(currency, request->rates->items[i].currency) == 0;
    return added;
}

enum error measure_compute(const struct storage_call *call, const struct measure_request *request,
                           struct measure_rows *rows)
{
    return request->measure->kind == MEASURE_RATIO ? compute_ratio(call, request, rows)
                                                   : compute_one(call, request, rows);
}

enum error measure_has_rows(const struct storage_call *call, const struct measure_request *request,
                            bool *any)
{
    const struct measure *measure = request->measure;
    struct measure own = measure->kind == MEASURE_RATIO ? *measure->denominator : *measure;
    struct measure_request newest = *request;
    struct sandbox_answer answer = {0};
    enum error error;

    own.group_count = 0;
    newest.measure = &own;
    newest.buckets = (struct time_bounds){0};
    newest.rows_max = 1;
    if (!measure_is_columnar(call, &own)) {
        error = run(call, &newest, measure_newest_sql(call, &newest), &answer);
        *any = answer.row_count > 0;
        return error;
    }
    own.kind = MEASURE_COUNT;
    own.value = (struct measure_column){0};
    error = ask(call, &newest, &answer);
    *any = answer.row_count > 0 && answer.cells[0].integer > 0;
    return error;
}

enum error measure_by_currency(const struct storage_call *call,
                               const struct measure_request *request,
                               struct measure_currencies *currencies)
{
    struct measure own = *request->measure;
    struct measure_request by_currency = *request;
    struct measure_rows rows;
    enum error error;

    *currencies = (struct measure_currencies){0};
    if (!own.currency.column)
        return ERROR_NONE;
    own.groups[0] = own.currency;
    own.group_count = 1;
    own.currency = (struct measure_column){0};
    by_currency.measure = &own;
    by_currency.rows_max = CURRENCY_RATES_MAX * (request->buckets.count + 1);
    error = measure_compute(call, &by_currency, &rows);
    if (error)
        return error;
    currencies->items = ARENA_ARRAY(call->arena, struct measure_currency, rows.count + 1);
    for (size_t i = 0; i < rows.count; i++) {
        const struct measure_row *row = &rows.items[i];

        if (row->name)
            currencies->items[currencies->count++] = (struct measure_currency){
                row->name, row->bucket, row->value, is_added(request, row->name)};
    }
    return ERROR_NONE;
}
