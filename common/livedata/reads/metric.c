/* Metrics computed by the guarded way of all queries, scoped to tenant and window. */
#include "livedata/reads/metric.h"

#include "base/number.h"
#include "livedata/moment.h"
#include "livedata/query/scope.h"
#include "livedata/query/sql_guard.h"
#include "livedata/storage/journal.h"

#include <string.h>

/* The parts of a question; what stands between them comes from the metric's file and has passed the
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

        if (guard_check(arena, metric_question(arena, metric, metric->currency_of != NULL),
                        &allowed, &finding, &own))
            return problem_set(problem, ERROR_INVALID, "config_invalid", "metric %s: %s",
                               metric->name, own.text);
    }
    return ERROR_NONE;
}

/* Orders of the past come from the journal, whose rows have no stored time to filter by: then the
 * window stands in the question. */
static const char *with_window(struct arena *arena, const struct live_metric *metric,
                               const struct scope *scope, int64_t from)
{
    char begins[MOMENT_TEXT], ends[MOMENT_TEXT];
    static const char head[] = "SELECT * FROM ", word[] = " WHERE ";
    struct text text;

    moment_format(from, begins);
    moment_format(scope->orders_as_of, ends);
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
static const char *place_window(struct arena *arena, const struct live_metric *metric,
                                const char *question, const char *rows)
{
    const char *at = strstr(question, from_part);
    const char *name = at ? at + sizeof from_part - 1 : question;

    return arena_print(arena, "%.*s%s%s", (int)(name - question), question, rows,
                       name + strlen(metric->table->name));
}

static double number_of(const struct guarded_cell *cell)
{
    return cell->kind == GUARDED_INTEGER  ? (double)cell->integer
           : cell->kind == GUARDED_NUMBER ? cell->number
                                          : 0;
}

static enum error ask(const struct storage_call *call, const struct livedata_settings *settings,
                      const struct metric_request *request, bool by_currency,
                      struct guarded_answer *answer)
{
    const char *question = metric_question(call->arena, request->metric, by_currency), *sql;
    const char *tables[1];
    int64_t from;
    struct scope scope = scope_of(call, settings, request, tables, &from);
    struct guarded_rules rules =
        scope_rules(call->arena, &scope, (int)settings->query_timeout_ms, METRIC_CURRENCIES_MAX);

    if (scope.orders_as_of)
        question = place_window(call->arena, request->metric, question,
                                with_window(call->arena, request->metric, &scope, from));
    sql = scope_sql(call->arena, &scope, question, strlen(question));
    return guarded_query(call->db, call->arena, sql, &rules, answer, call->problem);
}

static enum error note_freshness(const struct storage_call *call,
                                 const struct metric_request *request, struct metric_value *value)
{
    double seconds;
    enum error error;

    if (request->as_of)
        return ERROR_NONE;
    error = freshness_of_types(call, &request->metric->source_events, &seconds);
    if (!error && seconds >= 0)
        value->freshness_seconds = GIVEN_NUMBER(seconds);
    return error;
}

enum error metric_compute(const struct storage_call *call, const struct livedata_settings *settings,
                          const struct metric_request *request, struct metric_value *value)
{
    bool money = request->metric->currency_of != NULL;
    struct guarded_answer answer;
    enum error error =
        metric_check_window(request->metric, request->window, call->arena, call->problem);

    *value = (struct metric_value){0};
    if (!error)
        error = ask(call, settings, request, money, &answer);
    if (error)
        return error;
    for (size_t i = 0; money && i < answer.row_count; i++) {
        const struct guarded_cell *cells = &answer.cells[i * answer.column_count];

        value->currencies[value->currency_count].currency = cells[1].text ? cells[1].text : "";
        value->currencies[value->currency_count++].value = number_round(number_of(&cells[0]), 4);
    }
    if (money && answer.row_count > 1)
        error = ask(call, settings, request, false, &answer);
    if (error)
        return error;
    if (answer.row_count)
        value->value = number_round(number_of(&answer.cells[0]), 4);
    return note_freshness(call, request, value);
}
