/* The statement of a measure. The constants here are parts of statements; between them stand names
 * of the catalog, whole numbers, the tenant, and literals that measure.c has checked. */
#include "livedata/metrics/measure_compute.h"

#include <stdlib.h>
#include <string.h>

enum { SQL_MAX = 60000 };

static const char select_word[] = "SELECT ", from_word[] = " FROM ", where_word[] = " WHERE ",
                  tenant_is[] = "t0.tenant_id = '", left_join[] = " LEFT JOIN ",
                  same_tenant[] = ".tenant_id = t0.tenant_id AND ", group_word[] = " GROUP BY ",
                  order_word[] = " ORDER BY ", partition_word[] = "PARTITION BY ",
                  with_spans[] = "WITH span(n, lo, hi) AS (", values_word[] = "VALUES ",
                  span_from[] = "span CROSS JOIN ", span_join[] = " CROSS JOIN span",
                  case_word[] = "CASE ", rank_word[] = "row_number() OVER (",
                  count_word[] = "count(*) OVER (", newest_first[] = " DESC LIMIT 1";

struct sql {
    struct text text;
    const struct measure_request *request;
    const struct measure *measure;
    bool spans; /* the buckets differ in length: they are a table of their own */
};

static void put(struct sql *sql, const char *part)
{
    text_append_string(&sql->text, part);
}

static void put_number(struct sql *sql, int64_t number)
{
    text_append_format(&sql->text, "%lld", (long long)number);
}

static void put_column(struct sql *sql, const struct measure_column *column)
{
    bool flag = column->column->type == COLUMN_BOOLEAN;

    text_append_format(&sql->text, flag ? "CAST(t%zu.%s AS INTEGER)" : "t%zu.%s", column->table,
                       column->column->stored);
}

/* The length that all buckets but the cut ones have; 0 when they differ. */
static int64_t bucket_length(const struct time_bounds *bounds)
{
    size_t last = bounds->count - 1;
    int64_t length = bounds->count > 2 ? bounds->items[2] - bounds->items[1]
                                       : bounds->items[1] - bounds->items[0];

    for (size_t i = 1; i + 1 < last; i++)
        if (bounds->items[i + 1] - bounds->items[i] != length)
            return 0;
    if (bounds->count > 3 && (bounds->items[1] - bounds->items[0] > length ||
                              bounds->items[last] - bounds->items[last - 1] > length))
        return 0;
    return bounds->count == 3 && bounds->items[1] - bounds->items[0] > length ? 0 : length;
}

static void put_bucket(struct sql *sql)
{
    const struct time_bounds *bounds = &sql->request->buckets;
    int64_t length = bucket_length(bounds);

    if (sql->spans) {
        put(sql, "span.n");
        return;
    }
    put(sql, "(");
    put_column(sql, &sql->measure->time);
    put(sql, " - ");
    put_number(sql, bounds->items[1] - length);
    put(sql, ") / ");
    put_number(sql, length);
}

/* "90.50" as 9050 hundredths. */
int64_t measure_rate_units(const char *text, int64_t *one)
{
    int64_t units = 0;

    *one = 1;
    for (bool places = false; *text; text++) {
        if (*text == '.') {
            places = true;
            continue;
        }
        units = units * 10 + (*text - '0');
        *one *= places ? 10 : 1;
    }
    return units;
}

/* An amount in the default currency: each is rounded to the smallest unit, halves away from 0. It
 * is divided before it is multiplied, and its rest apart: only what comes out must fit 64 bits. */
static void put_money(struct sql *sql)
{
    const struct currency_rates *rates = sql->request->rates;
    const struct measure_column *value = &sql->measure->value;

    put(sql, case_word);
    put_column(sql, &sql->measure->currency);
    for (size_t i = 0; i < rates->count; i++) {
        int64_t one, units = measure_rate_units(rates->items[i].text, &one);

        text_append_format(&sql->text, " WHEN '%s' THEN ", rates->items[i].currency);
        put_column(sql, value);
        text_append_format(&sql->text, " / %lld * %lld + (", (long long)one, (long long)units);
        put_column(sql, value);
        text_append_format(&sql->text, " %% %lld * %lld + CASE WHEN ", (long long)one,
                           (long long)units);
        put_column(sql, value);
        text_append_format(&sql->text, " < 0 THEN -%lld ELSE %lld END) / %lld",
                           (long long)(one / 2), (long long)(one / 2), (long long)one);
    }
    put(sql, " ELSE ");
    put_column(sql, value);
    put(sql, " END");
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

static void put_condition(struct sql *sql, const struct measure_condition *condition)
{
    static const char *const operators[] = {[CONDITION_BELOW] = " < ",
                                            [CONDITION_AT_MOST] = " <= ",
                                            [CONDITION_ABOVE] = " > ",
                                            [CONDITION_AT_LEAST] = " >= "};
    bool in = condition->kind == CONDITION_IN, listed = condition->kind <= CONDITION_NOT_IN;

    if (condition->kind == CONDITION_CONTAINS) {
        put(sql, " AND (lower(");
        put_column(sql, &condition->column);
        put(sql, ") LIKE ");
        put(sql, condition->values.items[0]);
        put(sql, " ESCAPE '!')");
        return;
    }
    put(sql, " AND (");
    put_column(sql, &condition->column);
    if (!condition->values.count) {
        put(sql, in ? " IS NULL)" : " IS NOT NULL)");
        return;
    }
    put(sql, !listed ? operators[condition->kind] : in ? " IN (" : " NOT IN (");
    for (size_t i = 0; i < condition->values.count; i++) {
        put(sql, i ? ", " : "");
        put(sql, condition->values.items[i]);
    }
    put(sql, listed ? ")" : "");
    if (condition->kind == CONDITION_NOT_IN) {
        put(sql, " OR ");
        put_column(sql, &condition->column);
        put(sql, " IS NULL");
    }
    put(sql, ")");
}

/* Amounts without a rate are not added. */
static void put_currencies(struct sql *sql)
{
    const struct currency_rates *rates = sql->request->rates;

    put(sql, " AND ");
    put_column(sql, &sql->measure->currency);
    text_append_format(&sql->text, " IN ('%s'", sql->request->currency);
    for (size_t i = 0; i < rates->count; i++)
        text_append_format(&sql->text, ", '%s'", rates->items[i].currency);
    put(sql, ")");
}

static void put_range(struct sql *sql)
{
    const struct time_range *range = &sql->request->range;

    if (range->from) {
        put(sql, " AND ");
        put_column(sql, &sql->measure->time);
        put(sql, " >= ");
        put_number(sql, range->from);
    }
    if (range->to) {
        put(sql, " AND ");
        put_column(sql, &sql->measure->time);
        put(sql, " < ");
        put_number(sql, range->to);
    }
    if (!sql->spans)
        return;
    put(sql, " AND ");
    put_column(sql, &sql->measure->time);
    put(sql, " >= span.lo AND ");
    put_column(sql, &sql->measure->time);
    put(sql, " < span.hi");
}

static void put_tables(struct sql *sql)
{
    const struct measure *measure = sql->measure;

    put(sql, sql->spans && !measure->time.table ? span_from : "");
    text_append_format(&sql->text, "%s AS t0", measure->tables[0].table->name);
    for (size_t i = 1; i < measure->table_count; i++) {
        const struct measure_table *joined = &measure->tables[i];

        put(sql, left_join);
        text_append_format(&sql->text, "%s AS t%zu ON t%zu", joined->table->name, i, i);
        put(sql, same_tenant);
        text_append_format(&sql->text, "t%zu.%s = t%zu.%s", i, joined->table->primary_key,
                           joined->from, joined->column->stored);
    }
    put(sql, sql->spans && measure->time.table ? span_join : "");
}

/* The rows: groups, bucket and value. */
static void put_rows(struct sql *sql, const char *tenant)
{
    const struct measure *measure = sql->measure;

    put(sql, select_word);
    for (size_t i = 0; i < sql->measure->group_count; i++) {
        put_column(sql, &sql->measure->groups[i]);
        text_append_format(&sql->text, " AS k%zu, ", i);
    }
    if (sql->request->buckets.count) {
        put_bucket(sql);
        put(sql, " AS b, ");
    }
    put_value(sql);
    put(sql, " AS x");
    put(sql, from_word);
    put_tables(sql);
    put(sql, where_word);
    put(sql, tenant_is);
    put(sql, tenant);
    put(sql, "'");
    put_range(sql);
    for (size_t i = 0; i < measure->condition_count; i++)
        put_condition(sql, &measure->conditions[i]);
    if (measure->currency.column)
        put_currencies(sql);
}

/* "k0, k1, b"; `end` follows when there are any. */
static void put_keys(struct sql *sql, const char *start, const char *end)
{
    size_t count = sql->measure->group_count;

    if (!count && !sql->request->buckets.count)
        return;
    put(sql, start);
    for (size_t i = 0; i < count; i++)
        text_append_format(&sql->text, i ? ", k%zu" : "k%zu", i);
    if (sql->request->buckets.count)
        put(sql, count ? ", b" : "b");
    put(sql, end);
}

static void put_spans(struct sql *sql)
{
    const struct time_bounds *bounds = &sql->request->buckets;

    put(sql, with_spans);
    put(sql, values_word);
    for (size_t i = 0; i + 1 < bounds->count; i++)
        text_append_format(&sql->text, "%s(%zu, %lld, %lld)", i ? ", " : "", i,
                           (long long)bounds->items[i], (long long)bounds->items[i + 1]);
    put(sql, ") ");
}

static void put_aggregate(struct sql *sql, const char *tenant)
{
    static const char *const totals[] = {
        [MEASURE_COUNT] = "count(*)",
        [MEASURE_SUM] = "CAST(sum(x) AS BIGINT)",
        [MEASURE_AVERAGE] = "CAST(sum(x) AS BIGINT)",
        [MEASURE_DISTINCT] = "count(DISTINCT x)",
        [MEASURE_MIN] = "CAST(min(x) AS BIGINT)",
        [MEASURE_MAX] = "CAST(max(x) AS BIGINT)",
    };

    put(sql, select_word);
    put_keys(sql, "", ", ");
    put(sql, totals[sql->measure->kind]);
    put(sql, " AS total, count(x) AS n");
    put(sql, from_word);
    put(sql, "(");
    put_rows(sql, tenant);
    put(sql, ") AS r");
    put_keys(sql, group_word, "");
    put_keys(sql, order_word, "");
}

/* Ranks the values, and takes those beside the position of the quantile. */
static void put_quantile(struct sql *sql, const char *tenant)
{
    long long share = (long long)sql->measure->quantile;

    put(sql, select_word);
    put_keys(sql, "", ", ");
    put(sql, "CAST(min(x) AS BIGINT) AS low, CAST(max(x) AS BIGINT) AS high, max(n) AS n");
    put(sql, from_word);
    put(sql, "(");
    put(sql, select_word);
    put_keys(sql, "", ", ");
    put(sql, "x, ");
    put(sql, rank_word);
    put_keys(sql, partition_word, " ");
    put(sql, "ORDER BY x) - 1 AS p, ");
    put(sql, count_word);
    put_keys(sql, partition_word, "");
    put(sql, ") AS n");
    put(sql, from_word);
    put(sql, "(");
    put_rows(sql, tenant);
    put(sql, ") AS r");
    put(sql, where_word);
    put(sql, "x IS NOT NULL) AS q");
    put(sql, where_word);
    text_append_format(&sql->text, "p >= %lld * (n - 1) / %d AND p <= (%lld * (n - 1) + %d) / %d",
                       share, QUANTILE_UNITS, share, QUANTILE_UNITS - 1, QUANTILE_UNITS);
    put_keys(sql, group_word, "");
    put_keys(sql, order_word, "");
}

const char *measure_newest_sql(const struct storage_call *call,
                               const struct measure_request *request)
{
    struct sql sql = {.request = request, .measure = request->measure};

    text_start(&sql.text, call->arena, SQL_MAX);
    put_rows(&sql, call->tenant);
    put(&sql, order_word);
    put_column(&sql, &request->measure->time);
    put(&sql, newest_first);
    return sql.text.overflowed ? NULL : sql.text.bytes;
}

const char *measure_sql(const struct storage_call *call, const struct measure_request *request)
{
    struct sql sql = {.request = request, .measure = request->measure};

    sql.spans = request->buckets.count && !bucket_length(&request->buckets);
    text_start(&sql.text, call->arena, SQL_MAX + 60 * request->buckets.count);
    if (sql.spans)
        put_spans(&sql);
    if (request->measure->kind == MEASURE_QUANTILE)
        put_quantile(&sql, call->tenant);
    else
        put_aggregate(&sql, call->tenant);
    return sql.text.overflowed ? NULL : sql.text.bytes;
}
