/* Computes metrics with the guarded queries, scoped to tenant and window. */
#include "livedata/metrics/metric.h"

#include "base/number.h"
#include "livedata/columnar/columnar.h"
#include "livedata/journal/journal.h"
#include "livedata/metrics/measure_compute.h"
#include "livedata/sandbox/scope.h"
#include "livedata/sandbox/sql_guard.h"
#include "livedata/tables/tables.h"
#include "livedata/timestamp.h"

#include <string.h>

enum { DECIMALS = 4 };

/* The parts of a query; the text between them is from the metric's file and was accepted by the
 * guard. */
static const char value_part[] = "SELECT ", value_end[] = " AS value",
                  currency_part[] = ", currency", from_part[] = " FROM ", where_part[] = " WHERE (",
                  group_part[] = " GROUP BY currency ORDER BY currency";

const char *metric_question(struct arena *arena, const struct live_metric *metric, bool by_currency)
{
    struct text text;

    text_start(&text, arena, 8000);
    text_append_string(&text, value_part);
    text_append_string(&text, metric->value);
    text_append_string(&text, value_end);
    if (by_currency)
        text_append_string(&text, currency_part);
    text_append_string(&text, from_part);
    text_append_string(&text, metric->table->name);
    if (*metric->filter) {
        text_append_string(&text, where_part);
        text_append_string(&text, metric->filter);
        text_append_byte(&text, ')');
    }
    if (by_currency)
        text_append_string(&text, group_part);
    return text.bytes;
}

enum error metric_check_window(const struct live_metric *metric, const char *window,
                               struct arena *arena, struct problem *problem)
{
    for (size_t i = 0; i < metric->windows.count; i++)
        if (strcmp(metric->windows.items[i], window) == 0)
            return ERROR_NONE;
    return problem_set(problem, ERROR_INVALID, "unsupported_window",
                       "Unsupported window '%.100s' for metric '%s'. Available: %s", window,
                       metric->name, catalog_quoted_list(&metric->windows, arena));
}

enum error metric_check_all(struct arena *arena, const struct catalog *catalog,
                            struct problem *problem)
{
    for (size_t i = 0; i < catalog->metric_count; i++) {
        const struct live_metric *metric = &catalog->metrics[i];
        const struct string_list allowed = {1, (const char *[]){metric->table->name}};
        struct guard_finding finding;
        struct problem own;

        if (!metric->value)
            continue;
        if (guard_check(arena, metric_question(arena, metric, metric->currency_of != NULL),
                        &allowed, &finding, &own))
            return problem_set(problem, ERROR_INVALID, "config_invalid", "metric %s: %s",
                               metric->name, own.text);
    }
    return ERROR_NONE;
}

/* Past orders are read from the journal, whose rows have no stored time for filtering: then the
 * query itself contains the window. */
static const char *with_window(struct arena *arena, const struct live_metric *metric,
                               const struct scope *scope, int64_t from)
{
    char begins[TIMESTAMP_TEXT], ends[TIMESTAMP_TEXT];
    static const char head[] = "SELECT * FROM ", word[] = " WHERE ";
    struct text text;

    timestamp_format(from, begins);
    timestamp_format(scope->orders_as_of, ends);
    text_start(&text, arena, 8000);
    text_append_format(
        &text, "(%s%s%s%s >= %s AND %s <= %s) AS %s", head, metric->table->name, word,
        metric->time->name,
        arena_print(arena,
                    scope->engine == DB_SQLITE ? "strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ', '%s')"
                                               : "CAST('%s' AS TIMESTAMPTZ)",
                    begins),
        metric->time->name,
        arena_print(arena,
                    scope->engine == DB_SQLITE ? "strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ', '%s')"
                                               : "CAST('%s' AS TIMESTAMPTZ)",
                    ends),
        metric->table->name);
    return text.bytes;
}

static struct scope scope_of(const struct storage_call *call,
                             const struct livedata_settings *settings,
                             const struct metric_request *request, const char **tables,
                             int64_t *from)
{
    int64_t anchor = request->as_of ? request->as_of : call->now, size = 0;
    struct scope scope = {.engine = db_engine(call->db), .tenant = call->tenant};

    tables[0] = request->metric->table->name;
    scope.tables = (struct string_list){1, tables};
    scope.table = request->metric->table;
    (void)window_parse(request->window, &size);
    *from = anchor - size;
    if (request->as_of && settings->metric_as_of == AS_OF_VERSIONS &&
        strcmp(tables[0], "orders_v2") == 0) {
        scope.orders_as_of = request->as_of;
    } else {
        scope.time_column = request->metric->time->name;
        scope.from = *from;
        scope.to = request->as_of;
    }
    return scope;
}

/* The table in a question is replaced by its rows of the window. */
static const char *with_time_window(struct arena *arena, const struct live_metric *metric,
                                    const char *question, const char *rows)
{
    const char *at = strstr(question, from_part);
    const char *name = at ? at + sizeof from_part - 1 : question;

    return arena_print(arena, "%.*s%s%s", (int)(name - question), question, rows,
                       name + strlen(metric->table->name));
}

static double number_of(const struct sandbox_cell *cell)
{
    return cell->kind == SANDBOX_INTEGER  ? (double)cell->integer
           : cell->kind == SANDBOX_NUMBER ? cell->number
                                          : 0;
}

/* `rows` of the currencies that are added, amounts in the default one, rounded to hundredths. */
static const char *in_default_currency(struct arena *arena, const struct live_metric *metric,
                                       const struct livedata_settings *settings, const char *rows)
{
    static const char head[] = "(SELECT ", from[] = " FROM ", where[] = " WHERE currency IN ('",
                      cases[] = "CASE currency", rest[] = " ELSE ";
    const struct currency_rates *rates = &settings->currency_rates;
    struct text text;

    text_start(&text, arena, 8000);
    text_append_string(&text, head);
    for (size_t i = 0; i < metric->table->column_count; i++) {
        const char *name = metric->table->columns[i].name;

        text_append_string(&text, i ? ", " : "");
        if (strcmp(name, metric->currency_of) == 0 && rates->count) {
            text_append_string(&text, cases);
            for (size_t j = 0; j < rates->count; j++)
                text_append_format(&text, " WHEN '%s' THEN ROUND(%s * %s * 100) / 100",
                                   rates->items[j].currency, name, rates->items[j].text);
            text_append_string(&text, rest);
            text_append_string(&text, name);
            text_append_string(&text, " END AS ");
        }
        text_append_string(&text, name);
    }
    text_append_string(&text, from);
    text_append_string(&text, rows);
    text_append_string(&text, where);
    text_append_string(&text, settings->currency);
    for (size_t j = 0; j < rates->count; j++)
        text_append_format(&text, "', '%s", rates->items[j].currency);
    text_append_format(&text, "')) AS %s", metric->table->name);
    return text.bytes;
}

enum metric_rows { ROWS_OF_ALL, ROWS_BY_CURRENCY, ROWS_ADDED };

static enum error ask(const struct storage_call *call, const struct livedata_settings *settings,
                      const struct metric_request *request, enum metric_rows rows,
                      struct sandbox_answer *answer)
{
    const struct live_metric *metric = request->metric;
    const char *question = metric_question(call->arena, metric, rows == ROWS_BY_CURRENCY), *sql;
    const char *tables[1], *table = metric->table->name;
    int64_t from;
    struct scope scope = scope_of(call, settings, request, tables, &from);
    struct sandbox_rules rules =
        scope_rules(call->arena, &scope, (int)settings->query_timeout_ms, METRIC_CURRENCIES_MAX);

    if (scope.orders_as_of)
        table = with_window(call->arena, metric, &scope, from);
    if (rows == ROWS_ADDED)
        table = in_default_currency(call->arena, metric, settings, table);
    question = with_time_window(call->arena, metric, question, table);
    sql = scope_sql(call->arena, &scope, question, strlen(question));
    return sandbox_query(call->db, call->arena, sql, &rules, answer, call->problem);
}

static bool is_added(const struct livedata_settings *settings, const char *currency)
{
    bool added = strcmp(currency, settings->currency) == 0;

    for (size_t i = 0; !added && i < settings->currency_rates.count; i++)
        added = strcmp(currency, settings->currency_rates.items[i].currency) == 0;
    return added;
}

/* The value of each currency; `others` says whether any of them is missing in the total. */
static enum error ask_currencies(const struct storage_call *call,
                                 const struct livedata_settings *settings,
                                 const struct metric_request *request, struct metric_value *value,
                                 bool *others)
{
    struct sandbox_answer answer;
    enum error error = ask(call, settings, request, ROWS_BY_CURRENCY, &answer);

    *others = false;
    for (size_t i = 0; !error && i < answer.row_count; i++) {
        const struct sandbox_cell *cells = &answer.cells[i * answer.column_count];
        const char *currency = cells[1].text ? cells[1].text : "";
        bool left_out = !is_added(settings, currency);

        value->currencies[value->currency_count].currency = currency;
        value->currencies[value->currency_count].left_out = left_out;
        value->currencies[value->currency_count++].value =
            number_round(number_of(&cells[0]), DECIMALS);
        *others = *others || left_out;
    }
    return error;
}

const char *metric_reason(const struct metric_value *value)
{
    if (!value->undefined)
        return NULL;
    return value->only_others ? "no_rows_in_default_currency" : "no_rows_in_window";
}

const char *metric_unit(const struct live_metric *metric, const struct livedata_settings *settings)
{
    return metric->currency_of ? settings->currency : metric->unit;
}

/* A metric that is a measure alone. A duration has no end: what is dated a little ahead counts. */
static enum error compute_measure(const struct storage_call *call,
                                  const struct livedata_settings *settings,
                                  const struct metric_request *request, struct metric_value *value)
{
    struct measure_request measured = measure_request_of(settings, request->metric->measure, 1);
    struct measure_currencies currencies;
    struct measure_rows rows;
    int64_t size = 0;
    enum error error;

    (void)window_parse(request->window, &size);
    measured.range.from = (request->as_of ? request->as_of : call->now) - size;
    measured.range.to = request->as_of ? request->as_of + 1 : 0;
    error = measure_compute(call, &measured, &rows);
    if (!error)
        error = measure_by_currency(call, &measured, &currencies);
    if (error)
        return error;
    value->value = rows.count ? rows.items[0].value : 0;
    value->undefined = !rows.count || rows.items[0].undefined;
    value->only_others = value->undefined && currencies.count;
    for (size_t i = 0; i < currencies.count && i < METRIC_CURRENCIES_MAX; i++) {
        const struct measure_currency *one = &currencies.items[i];

        value->currencies[value->currency_count].currency = one->name;
        value->currencies[value->currency_count].value = one->value;
        value->currencies[value->currency_count++].left_out = !one->added;
    }
    return ERROR_NONE;
}

enum error metric_newest(const struct storage_call *call, const struct live_metric *metric,
                         struct event_mark *newest)
{
    enum error error = newest_of_types(call, &metric->source_events, newest);

    return error ? error : columnar_newest(call, metric->table->entity, newest);
}

static enum error newest_of(const struct storage_call *call, const struct metric_request *request,
                            struct metric_value *value)
{
    return request->as_of ? ERROR_NONE : metric_newest(call, request->metric, &value->newest);
}

enum error metric_compute(const struct storage_call *call, const struct livedata_settings *settings,
                          const struct metric_request *request, struct metric_value *value)
{
    const struct live_metric *metric = request->metric;
    bool money = metric->currency_of != NULL, others = false;
    struct sandbox_answer answer;
    enum error error = metric_check_window(metric, request->window, call->arena, call->problem);

    *value = (struct metric_value){0};
    if (!error && !metric->value) {
        error = compute_measure(call, settings, request, value);
        return error ? error : newest_of(call, request, value);
    }
    if (!error)
        error = table_served(metric->table, call->problem);
    if (!error && money)
        error = ask_currencies(call, settings, request, value, &others);
    if (!error)
        error = ask(call, settings, request, money ? ROWS_ADDED : ROWS_OF_ALL, &answer);
    if (error)
        return error;
    if (answer.row_count)
        value->value = number_round(number_of(&answer.cells[0]), DECIMALS);
    value->undefined =
        !metric->zero_when_empty && (!answer.row_count || answer.cells[0].kind == SANDBOX_NULL);
    value->only_others = value->undefined && others;
    return newest_of(call, request, value);
}
