/*
 * Computes measures. Sums are exact: they are computed over the whole numbers that columns are
 * stored as, and become decimals only here, alike on every engine.
 */
#ifndef ASSAY_LIVEDATA_METRICS_MEASURE_COMPUTE_H
#define ASSAY_LIVEDATA_METRICS_MEASURE_COMPUTE_H

#include "livedata/catalog/measure.h"
#include "livedata/metrics/windows.h"
#include "livedata/settings.h"
#include "livedata/storage_call.h"

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

/* Of all time, without buckets: with the time limit, the currency and the rates of the settings. */
struct measure_request measure_request_of(const struct livedata_settings *settings,
                                          const struct measure *measure, size_t rows_max);

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

/* ERROR_BUSY query_timeout; errors of table_served() and the database. Outside transactions. */
MUST_CHECK enum error measure_compute(const struct storage_call *call,
                                      const struct measure_request *request,
                                      struct measure_rows *rows);

/* What each currency comes to in the range or in each bucket, without groups, in itself; none for
 * what is no money. What is not added has no rate, and is no part of the value. */
struct measure_currency {
    const char *name;
    int64_t bucket; /* index; -1 without buckets */
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

/* Whether the range has any row of the measure, of a ratio any row of its denominator; groups and
 * buckets do not count. Errors as above. */
MUST_CHECK enum error measure_has_rows(const struct storage_call *call,
                                       const struct measure_request *request, bool *any);

/* Private: the statement that reads the newest row of a range. */
const char *measure_newest_sql(const struct storage_call *call,
                               const struct measure_request *request);

/* Private: the statement of a measure that is no ratio. Its columns are the groups, the bucket when
 * there are buckets, and two numbers by kind: the total and the number of values; for a quantile
 * its lower and upper neighbor and the number of values. */
const char *measure_sql(const struct storage_call *call, const struct measure_request *request);
/* Private: a rate as a whole number of parts of `one`. */
int64_t measure_rate_units(const char *text, int64_t *one);

#endif
