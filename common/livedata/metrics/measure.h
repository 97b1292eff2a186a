/*
 * Measures: a metric as a typed aggregate instead of SQL, so that it can be grouped, filtered, cut
 * into a series and computed over related rows. Sums are exact: they are computed over the whole
 * numbers that columns are stored as, and become decimals only here, alike on every engine.
 */
#ifndef ASSAY_LIVEDATA_METRICS_MEASURE_H
#define ASSAY_LIVEDATA_METRICS_MEASURE_H

#include "livedata/catalog/catalog.h"
#include "livedata/metrics/windows.h"
#include "livedata/storage_call.h"

enum { MEASURE_TABLES_MAX = 6, MEASURE_GROUPS_MAX = 4, MEASURE_CONDITIONS_MAX = 12 };

enum measure_kind {
    MEASURE_COUNT,
    MEASURE_SUM,
    MEASURE_DISTINCT,
    MEASURE_AVERAGE,
    MEASURE_MIN,
    MEASURE_MAX,
    MEASURE_QUANTILE, /* linear between its neighbors */
    MEASURE_RATIO,
    MEASURE_KIND__MAX
};
extern const char *const measure_kinds[];

/* A column of the measure's table or of one joined to it; `column` NULL = none. */
struct measure_column {
    const struct table_column *column;
    size_t table; /* index in `tables` */
    const char *name;
};

enum condition_kind {
    CONDITION_IN, /* one of the values; none given: no value */
    CONDITION_NOT_IN,
    CONDITION_BELOW,
    CONDITION_AT_MOST,
    CONDITION_ABOVE,
    CONDITION_AT_LEAST
};

struct measure_condition {
    struct measure_column column;
    enum condition_kind kind;
    struct string_list values; /* checked: SQL literals */
};

struct measure {
    enum measure_kind kind;
    /* The table with its relations, each the row of `table` whose key is in `column` of `from`. */
    struct measure_table {
        const struct serving_table *table;
        const char *path; /* "order.user" */
        size_t from;
        const struct table_column *column;
    } tables[MEASURE_TABLES_MAX];
    size_t table_count;
    struct measure_column value;
    struct measure_column time;
    struct measure_column currency; /* of the value; NULL = no money */
    int64_t quantile;               /* of 10,000 */
    struct measure_condition conditions[MEASURE_CONDITIONS_MAX];
    size_t condition_count;
    struct measure_column groups[MEASURE_GROUPS_MAX]; /* of a request */
    size_t group_count;
    const struct measure *numerator, *denominator; /* of a ratio, whose other members stay unused */
};

/*
 * The measure that a metric's file declares beside or instead of SQL; NULL without `kind`:
 *
 *     kind: sum              # or count, distinct, average, min, max, quantile, ratio
 *     column: quantity       # also of related rows: order.total_amount
 *     quantile: 0.95
 *     where: [status != cancelled, order.currency = EUR|USD]
 *     time: order.created_at
 *     numerator: {kind: count, where: [topic = events.deadletter]}   # of a ratio; or a metric
 *     denominator: {kind: count}
 *
 * ERROR_INVALID names what is wrong.
 */
MUST_CHECK enum error measure_read(struct arena *arena, const struct catalog *catalog,
                                   const struct serving_table *table, const json_t *json,
                                   const struct measure **measure, struct problem *problem);

/* A copy with the conditions of a filter, and groups by columns ("status,order.currency"); NULL =
 * none. Both parts of a ratio get them. */
MUST_CHECK enum error measure_refine(struct arena *arena, const struct catalog *catalog,
                                     const struct measure *measure, const char *filter,
                                     const char *group_by, const struct measure **refined,
                                     struct problem *problem);

/* Adds conditions, separated by `;`: `status = shipped|delivered; total_amount >= 100`. Operators
 * are = != < <= > >=, values are separated by `|`, an empty value is no value. ERROR_INVALID
 * filter_invalid. */
MUST_CHECK enum error measure_filter(struct arena *arena, const struct catalog *catalog,
                                     struct measure *measure, const char *filter,
                                     struct problem *problem);

/* Finds a column by its path, and joins the tables on the way. ERROR_INVALID unknown_column. */
MUST_CHECK enum error measure_find(struct arena *arena, const struct catalog *catalog,
                                   struct measure *measure, const char *path,
                                   struct measure_column *column, struct problem *problem);

struct measure_request {
    const struct measure *measure;
    struct time_range range;    /* 0 = open */
    struct time_bounds buckets; /* none: the range is one; else they cut it */
    size_t rows_max;
    int timeout_ms;
    /* Of money: what is added, and at which rates. */
    const char *currency;
    const struct currency_rates *rates;
};

struct measure_row {
    int64_t bucket;   /* index; -1 without buckets */
    const char *keys; /* of the groups: a JSON object; the same for the same group */
    const char *name; /* the first group, when it is a text; else NULL */
    bool undefined;   /* `value` is 0 then */
    double value;
};

struct measure_rows {
    size_t count;
    struct measure_row *items; /* by groups, then bucket; without rows of its own a group or bucket
                                  is missing */
    bool cut;                  /* there were more than rows_max */
};

/* ERROR_BUSY query_timeout; errors of the database. Outside transactions. */
MUST_CHECK enum error measure_compute(const struct storage_call *call,
                                      const struct measure_request *request,
                                      struct measure_rows *rows);

/* What each currency in the range comes to, without buckets and groups, in itself; none for what is
 * no money. What is not added has no rate, and is no part of the value. */
struct measure_currency {
    const char *name;
    double value;
    bool added;
};
struct measure_currencies {
    size_t count;
    struct measure_currency *items;
};
MUST_CHECK enum error measure_by_currency(const struct storage_call *call,
                                          const struct measure_request *request,
                                          struct measure_currencies *currencies);

/* Whether the value without any rows is 0: of counts and sums. */
bool measure_is_zero_when_empty(const struct measure *measure);

/* Private: the statement of a measure that is no ratio. Its columns are the groups, the bucket when
 * there are buckets, and two numbers by kind: the total and the number of values; for a quantile
 * its lower and upper neighbor and the number of values. */
const char *measure_sql(const struct storage_call *call, const struct measure_request *request);

#endif
