/*
 * Measures: a metric as a typed aggregate instead of SQL, so that it can be grouped, filtered, cut
 * into a series and computed over related rows (metrics/measure_compute.h).
 */
#ifndef ASSAY_LIVEDATA_CATALOG_MEASURE_H
#define ASSAY_LIVEDATA_CATALOG_MEASURE_H

#include "livedata/catalog/catalog.h"

enum {
    MEASURE_TABLES_MAX = 6,
    MEASURE_GROUPS_MAX = 4,
    MEASURE_CONDITIONS_MAX = 12,
    QUANTILE_UNITS = 10000
};

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
    CONDITION_AT_LEAST,
    CONDITION_CONTAINS /* a text, without case as far as ASCII goes */
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
    int64_t quantile;               /* of QUANTILE_UNITS */
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

/* The names in `group_by` of a request ("status, day"), without blanks around them; NULL = none. */
struct string_list measure_group_names(struct arena *arena, const char *group_by);

/* A copy with the conditions of a filter, and groups by columns ("status", "order.currency"); NULL
 * = none. Both parts of a ratio get them. */
MUST_CHECK enum error measure_refine(struct arena *arena, const struct catalog *catalog,
                                     const struct measure *measure, const char *filter,
                                     const struct string_list *groups,
                                     const struct measure **refined, struct problem *problem);

/* Adds conditions, separated by `;`: `status = shipped|delivered; total_amount >= 100`. Operators
 * are = != < <= > >=, values are separated by `|`, an empty value is no value. ERROR_INVALID
 * filter_invalid. */
MUST_CHECK enum error measure_filter(struct arena *arena, const struct catalog *catalog,
                                     struct measure *measure, const char *filter,
                                     struct problem *problem);

/* Adds the condition that the text column of the path contains a text. ERROR_INVALID
 * unknown_column, filter_invalid. */
MUST_CHECK enum error measure_contains(struct arena *arena, const struct catalog *catalog,
                                       struct measure *measure, const char *path, const char *text,
                                       struct problem *problem);

/* Finds a column by its path, and joins the tables on the way. ERROR_INVALID unknown_column. */
MUST_CHECK enum error measure_find(struct arena *arena, const struct catalog *catalog,
                                   struct measure *measure, const char *path,
                                   struct measure_column *column, struct problem *problem);

/* The tables, each once, that the metric is computed from: its own, and those of `measure`; NULL =
 * of the metric as its file has it, in SQL where there is any. */
enum { METRIC_TABLES_MAX = 1 + 2 * MEASURE_TABLES_MAX };
struct metric_tables {
    size_t count;
    const struct serving_table *items[METRIC_TABLES_MAX];
};
struct metric_tables metric_tables(const struct live_metric *metric, const struct measure *measure);

/* Whether the value without any rows is 0: of counts and sums. */
bool measure_is_zero_when_empty(const struct measure *measure);

#endif
