/* The statement of rows and records. The constants here are parts of a statement that the guard
 * parses afterwards; between them stand names of the catalog, and literals that measure.c has
 * checked. */
#include "livedata/query/typed_plan.h"

#include "base/number.h"
#include "base/text.h"
#include "livedata/timestamp.h"

#include <stdlib.h>
#include <string.h>

enum { SQL_BYTES_MAX = 40000, MILLISECOND = 1000 };

static const char select_word[] = "SELECT ", from_word[] = " FROM ", join_word[] = " LEFT JOIN ",
                  where_word[] = " WHERE ", and_word[] = " AND ", order_word[] = " ORDER BY ",
                  limit_word[] = " LIMIT ";

struct builder {
    const struct plan_context *context;
    const struct compiled_plan *compiled;
    struct text text;
    bool filtered;
};

static void put(struct builder *builder, const char *part)
{
    text_append_string(&builder->text, part);
}

static void put_column(struct builder *builder, const struct measure_column *column)
{
    text_append_format(&builder->text, "t%zu.%s", column->table, column->column->name);
}

/* "machine_site" of machine.site. */
const char *typed_column_alias(struct arena *arena, const char *path)
{
    char *alias = arena_copy_string(arena, path);

    for (char *at = alias; *at; at++)
        if (*at == '.')
            *at = '_';
    return alias;
}

static void put_shown(struct builder *builder, const struct measure_column *column)
{
    put_column(builder, column);
    put(builder, " AS ");
    put(builder, typed_column_alias(builder->context->arena, column->name));
}

static bool is_of(const struct measure_column *column, const char *name)
{
    return column->column && column->table == 0 && strcmp(column->column->name, name) == 0;
}

/* The entity's columns, or its key and the one that is asked for; then the one that orders. */
static void put_columns(struct builder *builder)
{
    const struct compiled_plan *compiled = builder->compiled;
    const struct serving_table *table = compiled->type->table;
    const struct measure_column *shown = &compiled->column, *order = &compiled->order;

    put(builder, select_word);
    for (size_t i = 0, count = 0; i < table->column_count; i++) {
        const char *name = table->columns[i].name;

        if (shown->column && strcmp(name, table->primary_key) != 0 && !is_of(shown, name) &&
            !is_of(order, name))
            continue;
        text_append_format(&builder->text, "%st0.%s AS %s", count++ ? ", " : "", name, name);
    }
    if (shown->column && shown->table) {
        put(builder, ", ");
        put_shown(builder, shown);
    }
    if (order->column && order->table &&
        (order->table != shown->table || order->column != shown->column)) {
        put(builder, ", ");
        put_shown(builder, order);
    }
}

static void put_tables(struct builder *builder)
{
    const struct measure *measure = builder->compiled->measure;

    put(builder, from_word);
    text_append_format(&builder->text, "%s t0", measure->tables[0].table->name);
    for (size_t i = 1; i < measure->table_count; i++) {
        const struct measure_table *joined = &measure->tables[i];

        put(builder, join_word);
        text_append_format(&builder->text, "%s t%zu ON t%zu.%s = t%zu.%s", joined->table->name, i,
                           i, joined->table->primary_key, joined->from, joined->column->name);
    }
}

static void begin_condition(struct builder *builder)
{
    put(builder, builder->filtered ? and_word : where_word);
    builder->filtered = true;
}

/* Whole units as the decimal that the column shows: 12345 thousandths are 12.345. */
static void put_decimal(struct builder *builder, const char *units, int scale)
{
    int64_t one = 1, value = strtoll(units, NULL, 10);

    for (int i = 0; i < scale; i++)
        one *= 10;
    text_append_format(&builder->text, "%s%lld", value < 0 ? "-" : "",
                       (long long)(llabs(value) / one));
    if (scale)
        text_append_format(&builder->text, ".%0*lld", scale, (long long)(llabs(value) % one));
}

/* Times are shown in whole milliseconds on SQLite. What is `upward` keeps, or excludes, all that is
 * before the time: the next millisecond stands for it. */
static void put_time(struct builder *builder, int64_t at, bool upward)
{
    char text[TIMESTAMP_TEXT];
    bool whole = builder->context->engine == DB_SQLITE;
    int64_t within;

    if (whole && upward)
        at += MILLISECOND - 1;
    within = at % us_per_second;
    within += within < 0 ? us_per_second : 0;
    timestamp_format_seconds(at, text);
    if (whole)
        text_append_format(&builder->text, "'%.19s.%03lldZ'", text,
                           (long long)(within / MILLISECOND));
    else
        text_append_format(&builder->text, "CAST('%.19s.%06lldZ' AS TIMESTAMPTZ)", text,
                           (long long)within);
}

/* A literal of the stored column, as the column is shown. */
static void put_literal(struct builder *builder, const struct measure_condition *condition,
                        const char *literal)
{
    const struct table_column *column = condition->column.column;

    if (column->type == COLUMN_TIME)
        put_time(builder, strtoll(literal, NULL, 10),
                 condition->kind == CONDITION_BELOW || condition->kind == CONDITION_AT_LEAST);
    else if (column->type == COLUMN_NUMBER)
        put_decimal(builder, literal, column->scale);
    else
        put(builder, literal);
}

static void put_list(struct builder *builder, const struct measure_condition *condition)
{
    for (size_t i = 0; i < condition->values.count; i++) {
        put(builder, i ? ", " : "");
        put_literal(builder, condition, condition->values.items[i]);
    }
}

static void put_condition(struct builder *builder, const struct measure_condition *condition)
{
    static const char *const operators[] = {[CONDITION_BELOW] = " < ",
                                            [CONDITION_AT_MOST] = " <= ",
                                            [CONDITION_ABOVE] = " > ",
                                            [CONDITION_AT_LEAST] = " >= "};
    bool in = condition->kind == CONDITION_IN, listed = condition->kind <= CONDITION_NOT_IN;

    begin_condition(builder);
    if (condition->kind == CONDITION_CONTAINS) {
        put(builder, "lower(");
        put_column(builder, &condition->column);
        put(builder, ") LIKE ");
        put(builder, condition->values.items[0]);
        put(builder, " ESCAPE '!'");
        return;
    }
    put(builder, "(");
    put_column(builder, &condition->column);
    if (!condition->values.count) {
        put(builder, in ? " IS NULL)" : " IS NOT NULL)");
        return;
    }
    put(builder, !listed ? operators[condition->kind] : in ? " IN (" : " NOT IN (");
    put_list(builder, condition);
    put(builder, listed ? ")" : "");
    if (condition->kind == CONDITION_NOT_IN) {
        put(builder, " OR ");
        put_column(builder, &condition->column);
        put(builder, " IS NULL");
    }
    put(builder, ")");
}

static void put_bound(struct builder *builder, const char *sign, struct optional_integer bound)
{
    if (!bound.given)
        return;
    begin_condition(builder);
    put_column(builder, &builder->compiled->measure->time);
    put(builder, sign);
    put_time(builder, bound.value, true);
}

/* Rows without a value are neither among the highest nor the lowest. */
static void put_order(struct builder *builder)
{
    const struct compiled_plan *compiled = builder->compiled;
    const struct measure_column *time = &compiled->measure->time,
                                *order = compiled->order.column ? &compiled->order : time;
    bool descending = compiled->plan->order ? compiled->plan->order->descending : true;

    if (compiled->plan->order && compiled->plan->limit.given) {
        begin_condition(builder);
        put_column(builder, order);
        put(builder, " IS NOT NULL");
    }
    put(builder, order_word);
    if (order->column && (compiled->plan->order || !compiled->plan->column)) {
        put(builder, order->table ? typed_column_alias(builder->context->arena, order->name)
                                  : order->column->name);
        put(builder, descending ? " DESC, " : ", ");
    }
    put(builder, compiled->type->table->primary_key);
}

const char *typed_rows_sql(const struct plan_context *context, const struct compiled_plan *compiled)
{
    struct builder builder = {.context = context, .compiled = compiled};
    const struct typed_plan *plan = compiled->plan;

    text_start(&builder.text, context->arena, SQL_BYTES_MAX);
    put_columns(&builder);
    put_tables(&builder);
    for (size_t i = 0; i < compiled->measure->condition_count; i++)
        put_condition(&builder, &compiled->measure->conditions[i]);
    if (plan->period) {
        put_bound(&builder, " >= ", plan->period->from);
        put_bound(&builder, " < ", plan->period->to);
    }
    put_order(&builder);
    if (plan->limit.given) {
        put(&builder, limit_word);
        text_append_format(&builder.text, "%lld", (long long)plan->limit.value);
    }
    return builder.text.overflowed ? NULL : builder.text.bytes;
}
