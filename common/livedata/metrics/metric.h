/*
 * Metrics: computes a metric of a file over a window of the tenant's rows, now or as of a past
 * time.
 */
#ifndef ASSAY_LIVEDATA_METRICS_METRIC_H
#define ASSAY_LIVEDATA_METRICS_METRIC_H

#include "livedata/catalog/catalog.h"
#include "livedata/journal/ages.h"
#include "livedata/storage_call.h"

enum { METRIC_CURRENCIES_MAX = 16 };

struct metric_value {
    double value;          /* four decimals; money in the default currency */
    bool undefined;        /* the divisor is 0: `value` is 0 and must not be shown */
    bool only_others;      /* undefined, but there are rows in currencies that cannot be added */
    size_t currency_count; /* for a metric of money: its value per currency */
    struct {
        const char *currency;
        double value;
        bool left_out; /* no exchange rate: not part of `value` */
    } currencies[METRIC_CURRENCIES_MAX];
    struct event_mark newest; /* of its source events; zeroed for a past time */
};

struct metric_request {
    const struct live_metric *metric;
    const char *window;
    int64_t as_of; /* 0 = now */
};

/* ERROR_INVALID unsupported_window. Other errors are those of table_served() and the database.
 * Outside transactions. */
MUST_CHECK enum error metric_compute(const struct storage_call *call,
                                     const struct livedata_settings *settings,
                                     const struct metric_request *request,
                                     struct metric_value *value);
MUST_CHECK enum error metric_check_window(const struct live_metric *metric, const char *window,
                                          struct arena *arena, struct problem *problem);

/* The newest of the metric's source events that what `call` has read contains. */
MUST_CHECK enum error metric_newest(const struct storage_call *call,
                                    const struct live_metric *metric, struct event_mark *newest);

/* The reason why there is no value, a stable code; NULL when there is one. */
const char *metric_reason(const struct metric_value *value);
/* The unit of the value: for money, the default currency. */
const char *metric_unit(const struct live_metric *metric, const struct livedata_settings *settings);

/* Checks at start that the SQL guard accepts the expressions of each file. ERROR_INVALID names the
 * metric. */
MUST_CHECK enum error metric_check_all(struct arena *arena, const struct catalog *catalog,
                                       struct problem *problem);

/* The query on the metric's table, without its scope. */
const char *metric_question(struct arena *arena, const struct live_metric *metric,
                            bool by_currency);

#endif
