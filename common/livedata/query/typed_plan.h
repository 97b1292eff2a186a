/*
 * The typed plan of a question, over every entity and metric that a tenant sees: what is selected
 * from which entity, by which conditions, of which period, grouped and ordered how. Planners make
 * it from words, clients may send it instead of words, and a model may propose it; all three pass
 * typed_compile().
 */
#ifndef ASSAY_LIVEDATA_QUERY_TYPED_PLAN_H
#define ASSAY_LIVEDATA_QUERY_TYPED_PLAN_H

#include "base/schema.h"
#include "livedata/catalog/measure.h"
#include "livedata/query/plan.h"

enum typed_select {
    TYPED_ROWS,
    TYPED_RECORD, /* the row of one key */
    TYPED_COUNT,
    TYPED_SUM,
    TYPED_AVERAGE,
    TYPED_MIN,
    TYPED_MAX,
    TYPED_DISTINCT, /* how many different values */
    TYPED_QUANTILE,
    TYPED_METRIC,
    TYPED_SELECT__MAX
};
extern const char *const typed_selects[TYPED_SELECT__MAX];

enum typed_operator {
    TYPED_EQUAL,
    TYPED_NOT_EQUAL,
    TYPED_BELOW,
    TYPED_AT_MOST,
    TYPED_ABOVE,
    TYPED_AT_LEAST,
    TYPED_BETWEEN, /* both ends included */
    TYPED_IN,
    TYPED_NOT_IN,
    TYPED_CONTAINS,
    TYPED_IS_NULL,
    TYPED_IS_NOT_NULL,
    TYPED_OPERATOR__MAX
};
extern const char *const typed_operators[TYPED_OPERATOR__MAX];

/* Paths name a column of the entity, or of a related one: "machine.site". */
struct typed_filter {
    const char *column;
    int op;
    json_t *values;       /* a list of texts, numbers and true or false; times are texts */
    const char *relative; /* not in JSON: a bound of that period, as of typed_period */
};

/* A time that is missing leaves that side open. */
struct typed_period {
    struct optional_integer from, to;
    const char *relative; /* not in JSON: "last 3 hours", which has other times with each call */
};

struct typed_order {
    const char *by; /* a path, or "value" for what is computed */
    bool descending;
};

struct typed_plan {
    const char *entity; /* NULL = of a metric whose table belongs to none */
    int select;
    const char *column;
    const char *metric;
    const char *key;
    OBJECT_LIST(struct typed_filter, filters);
    const struct typed_period *period; /* of the entity's time; or NULL */
    struct string_list group_by;       /* paths, and one of hour, day, week and month */
    const struct typed_order *order;
    struct optional_integer limit;
    const struct typed_period *compare;
    struct optional_number quantile; /* 0.5 = the median */

    /* Not in JSON: what the period was called, for pages of a question that go on later and for the
     * interpretation; NULL = by its times. */
    const char *relative;
    bool clamped; /* an excessive number was reduced */
};
SCHEMA_OF(typed_plan_schema, struct typed_plan);

/* Lists of values, as filters have them. */
json_t *typed_texts(struct arena *arena, const struct string_list *texts);
json_t *typed_numbers(struct arena *arena, const double *numbers, size_t count);
json_t *typed_flag(struct arena *arena, bool value);

/* The period at that time; NULL for none and for all time. */
const struct typed_period *typed_period_of(struct arena *arena, const struct period *period,
                                           int64_t now);
/* "last 3 hours" of a duration; else NULL. */
const char *typed_relative(struct arena *arena, const struct period *period);

/* What a page's cursor belongs to: as JSON, but relative periods by their words. */
const char *typed_plan_text(struct arena *arena, const struct typed_plan *plan);

/* A plan whose names exist, whose values have the types of their columns, and which says something
 * that can be computed. */
struct compiled_plan {
    const struct typed_plan *plan;
    const struct entity_type *type; /* NULL = a metric whose table belongs to no entity */
    const struct live_metric *metric;
    /* Tables joined, conditions and groups. Of rows, `kind` means nothing; of a ratio, both parts
     * have them. */
    const struct measure *measure;
    struct measure_column column, order; /* of rows */
    const char *unit;                    /* hour, day, week or month to group by; or NULL */
    struct string_list tables;           /* that it reads */
};

/* ERROR_INVALID plan_invalid with a sentence that names what is wrong. */
MUST_CHECK enum error typed_compile(struct arena *arena, const struct catalog *catalog,
                                    const struct typed_plan *plan, struct compiled_plan *compiled,
                                    struct problem *problem);

/* The time that periods of an entity are about: its only time column, the one that its retention
 * goes by, or the one that its metrics have; NULL when there is none or it is not clear. */
const struct table_column *typed_time_of(const struct catalog *catalog,
                                         const struct serving_table *table);
/* Whether its rows happen at that time, as readings and orders do: retention or metrics go by it. A
 * machine only has a time; its state of last week is not known. */
bool typed_time_is_implied(const struct catalog *catalog, const struct serving_table *table);

/* The shop's plan in this form. Revenue by products and categories, which lines of orders have, is
 * grouped by the paths "items.product_id" and "items.product.category": typed_compile() does not
 * know them. */
struct typed_plan typed_of_shop(const struct plan_context *context,
                                const struct question_plan *plan);

/* One sentence in the language of that tag, of locales/; in English for NULL and others. The
 * catalogs must be open. */
const char *typed_sentence(const struct plan_context *context, const struct compiled_plan *compiled,
                           const char *language);

/* Of rows and records: the statement, before it is scoped to a tenant. */
const char *typed_rows_sql(const struct plan_context *context,
                           const struct compiled_plan *compiled);
/* How a path is named there: "machine.site" is machine_site. */
const char *typed_column_alias(struct arena *arena, const char *path);

#endif
