/*
 * The statement of a measure over the copy of its table in ClickHouse, within what release 18.16
 * understands: whole numbers only, no window functions, no filters of aggregates. Rows have a sign,
 * and a row that has changed is there several times until ClickHouse has merged them. So sums and
 * counts add the sign, and whatever looks at single values first adds up the signs of each value.
 *
 * Rows of the tenant "" are marks (columnar/columnar.h). They are read by the same scan, so the
 * mark and the rows are of one moment; they make the first row of the answer. Its columns are: 1
 * for the mark, the groups, the bucket, the two or three numbers of measure_sql(), the sum as a
 * fraction (to notice sums beyond 64 bits), and block, position and time of the mark.
 */
#include "livedata/metrics/measure_columnar.h"

#include "livedata/columnar/columnar.h"
#include "livedata/outbox/outbox.h"

#include <string.h>

enum { SQL_MAX = 200000 };

static const char select_word[] = "SELECT ", from_word[] = " FROM ", where_word[] = " WHERE ",
                  group_word[] = " GROUP BY ", order_word[] = " ORDER BY m DESC",
                  marks[] = ", row_sign AS s, row_block * row_sign AS p1, row_position * row_sign"
                            " AS p2, row_complete * row_sign AS p3",
                  mark_sums[] = ", sum(p1) AS q1, sum(p2) AS q2, sum(p3) AS q3",
                  mark_sums_again[] = ", sum(q1) AS r1, sum(q2) AS r2, sum(q3) AS r3",
                  mark_rows[] = "tenant_id = ''",
                  or_rows[] = " OR (tenant_id = ", having_rows[] = " HAVING m OR sum(s) != 0",
                  having_values[] = " HAVING m OR w > 0";

struct sql {
    struct text text;
    const struct storage_call *call;
    const struct measure_request *request;
    const struct measure *measure;
    const char *table; /* in ClickHouse */
};

static void put(struct sql *sql, const char *part)
{
    text_append_string(&sql->text, part);
}

static void put_number(struct sql *sql, int64_t number)
{
    text_append_format(&sql->text, "%lld", (long long)number);
}

/* ClickHouse takes a backslash for an escape. */
static void put_literal(struct sql *sql, const char *value, size_t length)
{
    text_append_byte(&sql->text, '\'');
    for (size_t i = 0; i < length; i++) {
        if (value[i] == '\'' || value[i] == '\\')
            text_append_byte(&sql->text, '\\');
        text_append_byte(&sql->text, value[i]);
    }
    text_append_byte(&sql->text, '\'');
}

/* A literal of measure.c: a number, or a text in quotes, in which a quote stands twice. */
static const char *value_of(struct arena *arena, const char *literal, size_t *length)
{
    char *value = arena_alloc(arena, strlen(literal) + 1);

    *length = 0;
    for (const char *at = literal + 1; *at && !(*at == '\'' && at[1] != '\''); at++) {
        value[(*length)++] = *at;
        at += *at == '\'';
    }
    value[*length] = '\0';
    return value;
}

static void put_value_literal(struct sql *sql, const char *literal)
{
    size_t length;
    const char *value;

    if (*literal != '\'') {
        put(sql, literal);
        return;
    }
    value = value_of(sql->call->arena, literal, &length);
    put_literal(sql, value, length);
}

/* Rows are sorted by one of the times; without that time they have 0 there. */
static bool is_sorted_by(const struct sql *sql, const struct measure_column *column)
{
    return column->column == outbox_time_column(sql->measure->tables[0].table) &&
           sql->request->range.from > 0;
}

static void put_column(struct sql *sql, const struct measure_column *column)
{
    if (is_sorted_by(sql, column))
        put(sql, "row_time");
    else
        text_append_format(&sql->text, "c_%s", column->column->stored);
}

static void put_bounds(struct sql *sql)
{
    const struct time_bounds *bounds = &sql->request->buckets;

    put(sql, "[");
    for (size_t i = 0; i < bounds->count; i++)
        text_append_format(&sql->text, i ? ", %lld" : "%lld", (long long)bounds->items[i]);
    put(sql, "]");
}

/* The mean length of the buckets, when it leads to each bucket with an error of at most one: days
 * of 23 to 25 hours, months; else 0. */
static int64_t guess_length(const struct time_bounds *bounds)
{
    int64_t first = bounds->items[0], count = (int64_t)bounds->count - 1;
    int64_t length = (bounds->items[count] - first) / count;

    for (int64_t i = 0; length && i < count; i++)
        if ((bounds->items[i] - first) / length < i - 1 ||
            (bounds->items[i + 1] - 1 - first) / length > i + 1)
            return 0;
    return length;
}

/* The number of the bucket is guessed and then corrected by its bounds; arrays begin at 1. */
static void put_bucket(struct sql *sql)
{
    const struct time_bounds *bounds = &sql->request->buckets;
    int64_t length = guess_length(bounds);
    struct text guess = {0};
    size_t before = sql->text.length;

    if (!length) {
        put(sql, "toInt64(arrayCount(e -> e <= assumeNotNull(");
        put_column(sql, &sql->measure->time);
        put(sql, "), ");
        put_bounds(sql);
        put(sql, ")) - 1");
        return;
    }
    put(sql, "least(greatest(intDiv(assumeNotNull(");
    put_column(sql, &sql->measure->time);
    text_append_format(&sql->text, ") - %lld, %lld), 0), %zu)", (long long)bounds->items[0],
                       (long long)length, bounds->count - 2);
    text_start(&guess, sql->call->arena, SQL_MAX);
    text_append(&guess, sql->text.bytes + before, sql->text.length - before);
    text_cut(&sql->text, before);
    text_append_format(&sql->text, "toInt64(%s + (assumeNotNull(", guess.bytes);
    put_column(sql, &sql->measure->time);
    put(sql, ") >= arrayElement(");
    put_bounds(sql);
    text_append_format(&sql->text, ", %s + 2)) - (assumeNotNull(", guess.bytes);
    put_column(sql, &sql->measure->time);
    put(sql, ") < arrayElement(");
    put_bounds(sql);
    text_append_format(&sql->text, ", %s + 1)))", guess.bytes);
}

/* As put_money() of measure_sql.c: whole numbers, halves away from 0. */
static void put_money(struct sql *sql)
{
    const struct currency_rates *rates = sql->request->rates;
    const char *value = sql->measure->value.column->stored;
    const char *currency = sql->measure->currency.column->stored;

    put(sql, "multiIf(");
    for (size_t i = 0; i < rates->count; i++) {
        int64_t one, units = measure_rate_units(rates->items[i].text, &one);
        long long by = (long long)one, times = (long long)units, half = (long long)(one / 2);

        text_append_format(&sql->text, "c_%s = ", currency);
        put_literal(sql, rates->items[i].currency, strlen(rates->items[i].currency));
        text_append_format(&sql->text,
                           ", intDiv(c_%s, %lld) * %lld + intDiv(c_%s %% %lld * %lld + if(c_%s < "
                           "0, -%lld, %lld), %lld), ",
                           value, by, times, value, by, times, value, half, half, by);
    }
    text_append_format(&sql->text, "c_%s)", value);
}

static void put_value(struct sql *sql)
{
    const struct measure *measure = sql->measure;

    if (!measure->value.column)
        put(sql, "1");
    else if (measure->currency.column && sql->request->rates->count &&
             measure->kind != MEASURE_DISTINCT)
        put_money(sql);
    else
        put_column(sql, &measure->value);
}

/* "%80!%%" with the escape !, as measure_contains() makes it: the text between. */
static void put_contains(struct sql *sql, const struct measure_condition *condition)
{
    size_t length, kept = 0;
    const char *pattern = value_of(sql->call->arena, condition->values.items[0], &length);
    char *text = arena_alloc(sql->call->arena, length + 1);

    for (size_t i = 1; i + 1 < length; i++) {
        i += pattern[i] == '!';
        text[kept++] = pattern[i];
    }
    put(sql, " AND position(lower(");
    put_column(sql, &condition->column);
    put(sql, "), ");
    put_literal(sql, text, kept);
    put(sql, ") > 0");
}

static void put_listed(struct sql *sql, const struct measure_condition *condition)
{
    bool in = condition->kind == CONDITION_IN;

    put(sql, in ? " AND " : " AND (isNull(");
    put_column(sql, &condition->column);
    if (!in) {
        put(sql, ") OR ");
        put_column(sql, &condition->column);
    }
    put(sql, in ? " IN (" : " NOT IN (");
    for (size_t i = 0; i < condition->values.count; i++) {
        put(sql, i ? ", " : "");
        put_value_literal(sql, condition->values.items[i]);
    }
    put(sql, in ? ")" : "))");
}

static void put_condition(struct sql *sql, const struct measure_condition *condition)
{
    static const char *const operators[] = {[CONDITION_BELOW] = " < ",
                                            [CONDITION_AT_MOST] = " <= ",
                                            [CONDITION_ABOVE] = " > ",
                                            [CONDITION_AT_LEAST] = " >= "};

    if (condition->kind == CONDITION_CONTAINS) {
        put_contains(sql, condition);
    } else if (!condition->values.count) {
        put(sql, condition->kind == CONDITION_IN ? " AND isNull(" : " AND isNotNull(");
        put_column(sql, &condition->column);
        put(sql, ")");
    } else if (condition->kind <= CONDITION_NOT_IN) {
        put_listed(sql, condition);
    } else {
        put(sql, " AND ");
        put_column(sql, &condition->column);
        put(sql, operators[condition->kind]);
        put_value_literal(sql, condition->values.items[0]);
    }
}

static void put_currencies(struct sql *sql)
{
    const struct currency_rates *rates = sql->request->rates;

    put(sql, " AND ");
    put_column(sql, &sql->measure->currency);
    put(sql, " IN (");
    put_literal(sql, sql->request->currency, strlen(sql->request->currency));
    for (size_t i = 0; i < rates->count; i++) {
        put(sql, ", ");
        put_literal(sql, rates->items[i].currency, strlen(rates->items[i].currency));
    }
    put(sql, ")");
}

static void put_range(struct sql *sql)
{
    const struct time_range *range = &sql->request->range;
    const struct time_bounds *buckets = &sql->request->buckets;
    int64_t from = range->from, to = range->to;

    if (buckets->count && (!from || from < buckets->items[0]))
        from = buckets->items[0];
    if (buckets->count && (!to || to > buckets->items[buckets->count - 1]))
        to = buckets->items[buckets->count - 1];
    if (from) {
        put(sql, " AND ");
        put_column(sql, &sql->measure->time);
        put(sql, " >= ");
        put_number(sql, from);
    }
    if (to) {
        put(sql, " AND ");
        put_column(sql, &sql->measure->time);
        put(sql, " < ");
        put_number(sql, to);
    }
}

/* The rows and the marks, with the groups, the bucket, the value and the sign. */
static void put_rows(struct sql *sql)
{
    const struct measure *measure = sql->measure;

    put(sql, select_word);
    put(sql, mark_rows);
    put(sql, " AS m, ");
    for (size_t i = 0; i < measure->group_count; i++) {
        /* All marks have NULL there, but not the same row_time. */
        text_append_format(&sql->text, "c_%s AS k%zu, ", measure->groups[i].column->stored, i);
    }
    if (sql->request->buckets.count) {
        put(sql, "if(");
        put(sql, mark_rows);
        put(sql, ", 0, ");
        put_bucket(sql);
        put(sql, ") AS b, ");
    }
    put_value(sql);
    put(sql, " AS x");
    put(sql, marks);
    put(sql, from_word);
    put(sql, sql->table);
    put(sql, where_word);
    put(sql, mark_rows);
    put(sql, or_rows);
    put_literal(sql, sql->call->tenant, strlen(sql->call->tenant));
    put_range(sql);
    for (size_t i = 0; i < measure->condition_count; i++)
        put_condition(sql, &measure->conditions[i]);
    if (measure->currency.column)
        put_currencies(sql);
    put(sql, ")");
}

/* "m, k0, k1, b" */
static void put_keys(struct sql *sql)
{
    put(sql, "m");
    for (size_t i = 0; i < sql->measure->group_count; i++)
        text_append_format(&sql->text, ", k%zu", i);
    if (sql->request->buckets.count)
        put(sql, ", b");
}

static void put_end(struct sql *sql)
{
    put(sql, order_word);
    for (size_t i = 0; i < sql->measure->group_count; i++)
        text_append_format(&sql->text, ", k%zu", i);
    if (sql->request->buckets.count)
        put(sql, ", b");
    text_append_format(&sql->text, " LIMIT %zu FORMAT JSONCompact", sql->request->rows_max + 2);
}

/* Counts, sums and averages: by the sign. */
static void put_signed(struct sql *sql)
{
    put(sql, select_word);
    put_keys(sql);
    put(sql, sql->measure->kind == MEASURE_COUNT ? ", sum(s) AS total" : ", sum(x * s) AS total");
    put(sql, ", sum(if(isNull(x), 0, s)) AS n, sum(toFloat64(x) * s) AS f");
    put(sql, mark_sums);
    put(sql, from_word);
    put(sql, "(");
    put_rows(sql);
    put(sql, ")");
    put(sql, group_word);
    put_keys(sql);
    put(sql, having_rows);
    put_end(sql);
}

/* Each value with the number of rows that have it; a value that no row has any more is left out. */
static void put_values(struct sql *sql)
{
    put(sql, "(");
    put(sql, select_word);
    put_keys(sql);
    put(sql, ", x, sum(s) AS w");
    put(sql, mark_sums);
    put(sql, from_word);
    put(sql, "(");
    put_rows(sql);
    put(sql, ")");
    put(sql, group_word);
    put_keys(sql);
    put(sql, ", x");
    put(sql, having_values);
    put(sql, ")");
}

static void put_by_value(struct sql *sql)
{
    static const char *const totals[] = {
        [MEASURE_DISTINCT] = "count(x)", [MEASURE_MIN] = "min(x)", [MEASURE_MAX] = "max(x)"};

    put(sql, select_word);
    put_keys(sql);
    put(sql, ", ");
    put(sql, totals[sql->measure->kind]);
    put(sql, " AS total, sum(if(isNull(x), 0, w)) AS n, 0 AS f");
    put(sql, mark_sums_again);
    put(sql, from_word);
    put_values(sql);
    put(sql, group_word);
    put_keys(sql);
    put_end(sql);
}

/* The values in order with how many rows come up to each, and those beside the position. */
static void put_quantile(struct sql *sql)
{
    long long share = (long long)sql->measure->quantile;

    put(sql, select_word);
    put_keys(sql);
    text_append_format(&sql->text,
                       ", vs[arrayFirstIndex(c -> c > intDiv(%lld * (n - 1), %d), cs)] AS low,"
                       " vs[arrayFirstIndex(c -> c > intDiv(%lld * (n - 1) + %d, %d), cs)] AS high,"
                       " n, 0 AS f, r1, r2, r3",
                       share, QUANTILE_UNITS, share, QUANTILE_UNITS - 1, QUANTILE_UNITS);
    put(sql, from_word);
    put(sql, "(");
    put(sql, select_word);
    put_keys(sql);
    put(sql, ", arraySort(groupArray(tuple(assumeNotNull(x), w))) AS a, arrayMap(t ->"
             " tupleElement(t, 1), a) AS vs, arrayCumSum(arrayMap(t -> tupleElement(t, 2), a)) AS"
             " cs, sum(w) AS n");
    put(sql, mark_sums_again);
    put(sql, from_word);
    put_values(sql);
    put(sql, where_word);
    put(sql, "m OR isNotNull(x)");
    put(sql, group_word);
    put_keys(sql);
    put(sql, ")");
    put_end(sql);
}

const char *measure_clickhouse_sql(const struct storage_call *call,
                                   const struct measure_request *request, const char *table)
{
    struct sql sql = {
        .call = call, .request = request, .measure = request->measure, .table = table};

    text_start(&sql.text, call->arena, SQL_MAX + 200 * request->buckets.count);
    if (sql.measure->kind == MEASURE_QUANTILE)
        put_quantile(&sql);
    else if (sql.measure->kind == MEASURE_DISTINCT || sql.measure->kind == MEASURE_MIN ||
             sql.measure->kind == MEASURE_MAX)
        put_by_value(&sql);
    else
        put_signed(&sql);
    return sql.text.overflowed ? NULL : sql.text.bytes;
}
