/* Checks a typed plan against the catalog, and makes the measure that joins, filters and groups as
 * the plan says. */
#include "livedata/query/typed_plan.h"

#include "base/number.h"
#include "base/string_list.h"
#include "base/text.h"
#include "livedata/catalog/own.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FILTER_BYTES_MAX = 20000 };

static const char *const units[] = {"hour", "day", "week", "month", NULL};

struct compiler {
    struct arena *arena;
    const struct catalog *catalog;
    const struct typed_plan *plan;
    struct compiled_plan *compiled;
    const struct serving_table *table;
    struct problem *problem;
};

__attribute__((format(printf, 2, 3))) static enum error refuse(const struct compiler *compiler,
                                                               const char *format, ...)
{
    char text[400];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return problem_set(compiler->problem, ERROR_INVALID, "plan_invalid", "%s", text);
}

static bool is_number(const struct table_column *column)
{
    return column->type == COLUMN_INTEGER || column->type == COLUMN_NUMBER ||
           column->type == COLUMN_BOOLEAN;
}

const struct table_column *typed_time_of(const struct catalog *catalog,
                                         const struct serving_table *table)
{
    const struct table_column *only = NULL, *of_metrics = NULL;
    size_t count = 0;

    for (size_t i = 0; i < table->column_count; i++) {
        const struct table_column *column = &table->columns[i];

        if (column->type != COLUMN_TIME || !column->stored)
            continue;
        if (table->own && table->own->retention_column &&
            strcmp(table->own->retention_column, column->stored) == 0)
            return column;
        only = column;
        count++;
    }
    for (size_t i = 0; i < catalog->metric_count; i++)
        if (catalog->metrics[i].table == table && catalog->metrics[i].time) {
            if (of_metrics && of_metrics != catalog->metrics[i].time)
                return count == 1 ? only : NULL;
            of_metrics = catalog->metrics[i].time;
        }
    return count == 1 ? only : of_metrics;
}

bool typed_time_is_implied(const struct catalog *catalog, const struct serving_table *table)
{
    const struct table_column *time = typed_time_of(catalog, table);
    bool implied = time && table->own && table->own->retention_column &&
                   strcmp(table->own->retention_column, time->stored) == 0;

    for (size_t i = 0; time && i < catalog->metric_count; i++)
        implied =
            implied || (catalog->metrics[i].table == table && catalog->metrics[i].time == time);
    return implied;
}

/* False for what a filter cannot have. */
static bool put_text(struct text *filter, const char *text)
{
    if (!text || !*text || text[strlen(text) - 1] == ' ' || strchr(text, '\\'))
        return false;
    for (const char *at = text; *at; at++) {
        if (strchr("!<>=;|", *at) || (at == text && *at == ' '))
            text_append_byte(filter, '\\');
        text_append_byte(filter, *at);
    }
    return true;
}

/* The values as a filter has them: `a|b`. */
static bool put_value(struct text *filter, const struct table_column *column, const json_t *value)
{
    char number[NUMBER_TEXT_MAX];
    const char *text = number;

    if (column->type == COLUMN_BOOLEAN) {
        text_append_string(filter, json_is_true(value) ? "true" : "false");
        return json_is_boolean(value);
    }
    if (column->type == COLUMN_INTEGER || column->type == COLUMN_NUMBER) {
        double real = json_number_value(value);

        if (!json_is_number(value) || !(real > -1e15 && real < 1e15))
            return false;
        if (real == (double)(int64_t)real)
            (void)integer_format((int64_t)real, number);
        else
            (void)number_format(real, number);
    } else {
        text = json_string_value(value);
    }
    return put_text(filter, text);
}

/* How each operator is written in a filter; between is two of them. */
static const struct {
    const char *sign;
    size_t least, most; /* values */
    bool ordered;       /* only for what is less or more */
} signs[] = {[TYPED_EQUAL] = {"=", 1, 1, false},     [TYPED_NOT_EQUAL] = {"!=", 1, 1, false},
             [TYPED_BELOW] = {"<", 1, 1, true},      [TYPED_AT_MOST] = {"<=", 1, 1, true},
             [TYPED_ABOVE] = {">", 1, 1, true},      [TYPED_AT_LEAST] = {">=", 1, 1, true},
             [TYPED_BETWEEN] = {">=", 2, 2, true},   [TYPED_IN] = {"=", 1, 100, false},
             [TYPED_NOT_IN] = {"!=", 1, 100, false}, [TYPED_CONTAINS] = {NULL, 1, 1, false},
             [TYPED_IS_NULL] = {"=", 0, 0, false},   [TYPED_IS_NOT_NULL] = {"!=", 0, 0, false}};

static enum error put_filter(const struct compiler *compiler, const struct typed_filter *filter,
                             const struct table_column *column, struct text *text)
{
    size_t count = json_array_size(filter->values);
    bool between = filter->op == TYPED_BETWEEN;

    text_append_format(text, "%s %s ", filter->column, signs[filter->op].sign);
    for (size_t i = 0; i < count; i++) {
        if (i)
            text_append_string(
                text, between ? arena_print(compiler->arena, "; %s <= ", filter->column) : "|");
        if (!put_value(text, column, json_array_get(filter->values, i)))
            return refuse(compiler,
                          "The values of %.100s must have its type, and be neither empty nor end "
                          "with a blank, nor have a backslash.",
                          filter->column);
    }
    return ERROR_NONE;
}

static enum error add_filter(const struct compiler *compiler, struct measure *measure,
                             const struct typed_filter *filter)
{
    size_t count = json_array_size(filter->values);
    struct measure_column column;
    struct text text;
    enum error error;

    if (filter->values && !json_is_null(filter->values) && !json_is_array(filter->values))
        return refuse(compiler, "The values of %.100s are a list.", filter->column);
    if (count < signs[filter->op].least || count > signs[filter->op].most)
        return refuse(compiler, "%s of %.100s has %zu to %zu values.", typed_operators[filter->op],
                      filter->column, signs[filter->op].least, signs[filter->op].most);
    error = measure_find(compiler->arena, compiler->catalog, measure, filter->column, &column,
                         compiler->problem);
    if (error)
        return error;
    if (signs[filter->op].ordered &&
        (!(is_number(column.column) || column.column->type == COLUMN_TIME) ||
         column.column->type == COLUMN_BOOLEAN))
        return refuse(compiler, "%.100s is neither a number nor a time.", filter->column);
    if (filter->op == TYPED_CONTAINS) {
        const char *value = json_string_value(json_array_get(filter->values, 0));

        if (!value || strchr(value, '\\'))
            return refuse(compiler, "%.100s contains a text without a backslash.", filter->column);
        return measure_contains(compiler->arena, compiler->catalog, measure, filter->column, value,
                                compiler->problem);
    }
    text_start(&text, compiler->arena, FILTER_BYTES_MAX);
    error = put_filter(compiler, filter, column.column, &text);
    if (error)
        return error;
    return text.overflowed ? refuse(compiler, "The values of %.100s are too long.", filter->column)
                           : measure_filter(compiler->arena, compiler->catalog, measure, text.bytes,
                                            compiler->problem);
}

static enum error add_key(const struct compiler *compiler, struct measure *measure)
{
    struct text text;

    if (!compiler->plan->key)
        return ERROR_NONE;
    text_start(&text, compiler->arena, FILTER_BYTES_MAX);
    text_append_format(&text, "%s = ", compiler->table->primary_key);
    if (!put_text(&text, compiler->plan->key))
        return refuse(compiler, "key is a text.");
    return measure_filter(compiler->arena, compiler->catalog, measure, text.bytes,
                          compiler->problem);
}

static const char *unit_of(const struct compiler *compiler, const char *name)
{
    for (size_t i = 0; units[i]; i++)
        if (strcmp(units[i], name) == 0 && !serving_column_find(compiler->table, name))
            return units[i];
    return NULL;
}

static enum error add_groups(const struct compiler *compiler, struct measure *measure)
{
    const struct string_list *groups = &compiler->plan->group_by;
    const char *unit = NULL;

    for (size_t i = 0; i < groups->count; i++) {
        const char *name = groups->items[i];
        struct measure_column *group = &measure->groups[measure->group_count];
        enum error error;

        for (size_t j = 0; j < i; j++)
            if (strcmp(groups->items[j], name) == 0)
                return refuse(compiler, "%.100s is grouped by twice.", name);
        if (unit_of(compiler, name)) {
            if (unit || !measure->time.column)
                return refuse(compiler,
                              unit ? "There is one unit of time to group by, not %.100s."
                                   : "There is no time to group by %.100s.",
                              name);
            if (compiler->plan->compare)
                return refuse(compiler,
                              "compare does not go with group_by %s: no %s is in both periods.",
                              name, name);
            unit = compiler->compiled->unit = unit_of(compiler, name);
            continue;
        }
        if (measure->group_count == MEASURE_GROUPS_MAX)
            return refuse(compiler, "There are more than %d groups.", MEASURE_GROUPS_MAX);
        error = measure_find(compiler->arena, compiler->catalog, measure, name, group,
                             compiler->problem);
        if (error)
            return error;
        if (group->column->type == COLUMN_TIME || group->column->type == COLUMN_JSON)
            return refuse(compiler, "%.100s cannot be grouped by.", name);
        measure->group_count++;
    }
    return ERROR_NONE;
}

static void add_tables(const struct compiler *compiler, const struct measure *measure)
{
    for (size_t i = 0; i < measure->table_count; i++)
        string_list_add_new(&compiler->compiled->tables, measure->tables[i].table->name);
}

static bool is_same(const struct measure_column *one, const struct measure_column *other)
{
    return one->column == other->column && one->table == other->table;
}

/* Amounts of one currency, and each currency in itself, need no rates. */
static void choose_currency(struct measure *measure)
{
    bool single = false;

    for (size_t i = 0; i < measure->condition_count; i++)
        single = single || (measure->conditions[i].kind == CONDITION_IN &&
                            measure->conditions[i].values.count == 1 &&
                            is_same(&measure->conditions[i].column, &measure->currency));
    for (size_t i = 0; i < measure->group_count; i++)
        single = single || is_same(&measure->groups[i], &measure->currency);
    if (single)
        measure->currency = (struct measure_column){0};
}

/* Adds the plan's conditions and groups to a measure, which is a copy; to both parts of a ratio. */
static enum error refine(const struct compiler *compiler, struct measure *measure)
{
    const struct typed_plan *plan = compiler->plan;
    const struct typed_filter *filters = plan->filters.items;
    enum error error = ERROR_NONE;

    if (measure->kind == MEASURE_RATIO) {
        struct measure *parts = ARENA_ARRAY(compiler->arena, struct measure, 2);

        parts[0] = *measure->numerator;
        parts[1] = *measure->denominator;
        measure->numerator = &parts[0];
        measure->denominator = &parts[1];
        error = refine(compiler, &parts[0]);
        return error ? error : refine(compiler, &parts[1]);
    }
    for (size_t i = 0; !error && i < plan->filters.count; i++)
        error = add_filter(compiler, measure, &filters[i]);
    if (!error)
        error = add_key(compiler, measure);
    if (!error)
        error = add_groups(compiler, measure);
    if (!error && (plan->period || plan->compare) && !measure->time.column)
        error = refuse(compiler, "There is no one time of '%s' that a period could be about.",
                       plan->entity ? plan->entity : plan->metric);
    choose_currency(measure);
    add_tables(compiler, measure);
    return error;
}

/* A column that metrics declare to be money has its currency beside it. */
static enum error find_currency(const struct compiler *compiler, struct measure *measure)
{
    const struct measure_table *table = &measure->tables[measure->value.table];

    for (size_t i = 0; i < compiler->catalog->metric_count; i++) {
        const struct live_metric *metric = &compiler->catalog->metrics[i];

        if (metric->currency_of && metric->table == table->table &&
            strcmp(metric->currency_of, measure->value.column->name) == 0)
            return measure_find(compiler->arena, compiler->catalog, measure,
                                *table->path
                                    ? arena_print(compiler->arena, "%s.currency", table->path)
                                    : "currency",
                                &measure->currency, compiler->problem);
    }
    return ERROR_NONE;
}

/* What is computed over the column. */
static enum error add_value(const struct compiler *compiler, struct measure *measure)
{
    static const enum measure_kind kinds[] = {
        [TYPED_COUNT] = MEASURE_COUNT,       [TYPED_SUM] = MEASURE_SUM,
        [TYPED_AVERAGE] = MEASURE_AVERAGE,   [TYPED_MIN] = MEASURE_MIN,
        [TYPED_MAX] = MEASURE_MAX,           [TYPED_DISTINCT] = MEASURE_DISTINCT,
        [TYPED_QUANTILE] = MEASURE_QUANTILE,
    };
    const struct typed_plan *plan = compiler->plan;
    const struct table_column *column;
    enum error error;

    measure->kind = kinds[plan->select];
    if (plan->select == TYPED_COUNT)
        return plan->column ? refuse(compiler, "count has no column.") : ERROR_NONE;
    if (!plan->column)
        return refuse(compiler, "%s needs a column.", typed_selects[plan->select]);
    error = measure_find(compiler->arena, compiler->catalog, measure, plan->column, &measure->value,
                         compiler->problem);
    if (error)
        return error;
    column = measure->value.column;
    if (column->type == COLUMN_JSON ||
        (plan->select != TYPED_DISTINCT && !is_number(column) &&
         !(column->type == COLUMN_TIME &&
           (plan->select == TYPED_MIN || plan->select == TYPED_MAX))))
        return refuse(compiler, "There is no %s of %.100s.", typed_selects[plan->select],
                      plan->column);
    if (plan->select == TYPED_QUANTILE)
        measure->quantile =
            (int64_t)((plan->quantile.given ? plan->quantile.value : 0.5) * QUANTILE_UNITS + 0.5);
    if (plan->select == TYPED_QUANTILE &&
        (measure->quantile < 1 || measure->quantile >= QUANTILE_UNITS))
        return refuse(compiler, "quantile is between 0 and 1.");
    return plan->select == TYPED_DISTINCT ? ERROR_NONE : find_currency(compiler, measure);
}

/* Members that mean nothing for what is selected. */
static enum error check_members(const struct compiler *compiler)
{
    const struct typed_plan *plan = compiler->plan;
    bool rows = plan->select <= TYPED_RECORD, record = plan->select == TYPED_RECORD;
    const struct {
        bool wrong;
        const char *name;
    } members[] = {{(plan->select == TYPED_METRIC) != (plan->metric != NULL), "metric"},
                   {record != (plan->key != NULL), "key"},
                   {plan->column && plan->select == TYPED_METRIC, "column"},
                   {plan->quantile.given && plan->select != TYPED_QUANTILE, "quantile"},
                   {rows && plan->group_by.count, "group_by"},
                   {(rows || !plan->period) && plan->compare, "compare"},
                   {record && plan->filters.count, "filters"},
                   {record && plan->period, "period"},
                   {(record || (!rows && !plan->group_by.count)) && plan->order, "order"},
                   {(record || (!rows && !plan->group_by.count)) && plan->limit.given, "limit"}};
    const struct typed_period *periods[] = {plan->period, plan->compare};

    for (size_t i = 0; i < COUNT_OF(members); i++)
        if (members[i].wrong)
            return refuse(compiler, "%s does not go with select %s here.", members[i].name,
                          typed_selects[plan->select]);
    for (size_t i = 0; i < COUNT_OF(periods); i++)
        if (periods[i] && periods[i]->from.given && periods[i]->to.given &&
            periods[i]->from.value >= periods[i]->to.value)
            return refuse(compiler, "from must be before to.");
    for (size_t i = 0; i < COUNT_OF(periods); i++)
        if (periods[i] && ((periods[i]->from.given && periods[i]->from.value <= 0) ||
                           (periods[i]->to.given && periods[i]->to.value <= 0)))
            return refuse(compiler, "Periods begin and end after 1970-01-01T00:00:00Z.");
    return ERROR_NONE;
}

static enum error find_subject(struct compiler *compiler)
{
    const struct typed_plan *plan = compiler->plan;
    struct compiled_plan *compiled = compiler->compiled;

    if (plan->entity) {
        compiled->type = catalog_entity(compiler->catalog, plan->entity);
        if (!compiled->type)
            return refuse(compiler, "There is no entity '%.100s'.", plan->entity);
        compiler->table = compiled->type->table;
    }
    if (plan->metric) {
        compiled->metric = catalog_metric(compiler->catalog, plan->metric);
        if (!compiled->metric)
            return refuse(compiler, "There is no metric '%.100s'.", plan->metric);
        if (!compiled->metric->measure)
            return refuse(compiler,
                          "Metric '%.100s' has only its windows: its file declares no kind.",
                          plan->metric);
        if (compiler->table && compiled->metric->table != compiler->table)
            return refuse(compiler, "Metric '%.100s' is not of '%.100s'.", plan->metric,
                          plan->entity);
        compiler->table = compiled->metric->table;
    }
    return compiler->table ? ERROR_NONE : refuse(compiler, "entity is needed.");
}

/* The order is by what is computed, or by a group. */
static enum error check_order(const struct compiler *compiler)
{
    const struct typed_plan *plan = compiler->plan;

    if (!plan->order || strcmp(plan->order->by, "value") == 0 ||
        string_list_has(&plan->group_by, plan->order->by))
        return ERROR_NONE;
    return refuse(compiler, "The order is by value or by a group, not by %.100s.", plan->order->by);
}

static enum error find_shown(const struct compiler *compiler, struct measure *measure)
{
    const struct typed_plan *plan = compiler->plan;
    enum error error = ERROR_NONE;

    if (plan->column)
        error = measure_find(compiler->arena, compiler->catalog, measure, plan->column,
                             &compiler->compiled->column, compiler->problem);
    if (!error && plan->order)
        error = measure_find(compiler->arena, compiler->catalog, measure, plan->order->by,
                             &compiler->compiled->order, compiler->problem);
    if (!error && plan->order && compiler->compiled->order.column->type == COLUMN_JSON)
        error = refuse(compiler, "%.100s has no order.", plan->order->by);
    return error;
}

/* What measures refuse is wrong in the plan, too. */
static enum error as_plan_fault(const struct compiler *compiler, enum error error)
{
    return error == ERROR_INVALID
               ? refuse(compiler, "%s", arena_copy_string(compiler->arena, compiler->problem->text))
               : error;
}

enum error typed_compile(struct arena *arena, const struct catalog *catalog,
                         const struct typed_plan *plan, struct compiled_plan *compiled,
                         struct problem *problem)
{
    struct compiler compiler = {arena, catalog, plan, compiled, NULL, problem};
    struct measure *measure = ARENA_NEW(arena, struct measure);
    const struct table_column *time;
    enum error error;

    *compiled = (struct compiled_plan){.plan = plan, .measure = measure};
    compiled->tables.items = ARENA_ARRAY(arena, const char *, 2 * MEASURE_TABLES_MAX + 1);
    error = find_subject(&compiler);
    if (!error)
        error = check_members(&compiler);
    if (error)
        return error;
    if (compiled->metric) {
        *measure = *compiled->metric->measure;
    } else {
        *measure = (struct measure){.table_count = 1};
        measure->tables[0] = (struct measure_table){.table = compiler.table, .path = ""};
        time = typed_time_of(catalog, compiler.table);
        if (time)
            measure->time = (struct measure_column){time, 0, time->name};
        error = plan->select > TYPED_RECORD ? add_value(&compiler, measure)
                                            : find_shown(&compiler, measure);
    }
    if (!error && plan->select > TYPED_RECORD)
        error = check_order(&compiler);
    if (!error)
        error = refine(&compiler, measure);
    return as_plan_fault(&compiler, error);
}
