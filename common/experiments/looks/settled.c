/* Counts them, no further than asked for. */
#include "experiments/looks/settled.h"

#include "base/clock.h"
#include "db/query.h"
#include "experiments/live/bucket_store.h"

#include <math.h>

static const struct statement count_settled = {
    .name = "look_users_settled",
    .sql = "SELECT count(*) FROM (SELECT 1 FROM live_units WHERE experiment = ?"
           " AND variation >= 0 AND exposed_at <= ? AND occurred_at <= ? LIMIT ?) AS settled",
};

static const int64_t second = 1000000; /* microseconds */
static const double day = 86400e6;

static double window_of(const struct payload_metrics *design, const char *metric)
{
    struct optional_number days;

    return payload_window(design, metric, &days) == WINDOW_AFTER_EXPOSURE && days.given
               ? days.value * day
               : 0;
}

static int64_t longest_window(const struct payload_metrics *design)
{
    if (design->metric_type != METRIC_RATIO)
        return (int64_t)window_of(design, design->primary_metric_name);
    return (int64_t)fmax(window_of(design, design->numerator_metric_name),
                         window_of(design, design->denominator_metric_name));
}

struct limits {
    int64_t received, exposed; /* until then */
};

/* Counts down. */
static enum error take_bucket(const struct live_call *call, int64_t bucket,
                              const struct limits *limits, int64_t *missing)
{
    struct query *query = db_query(call->db, &count_settled);

    query_bind_integer(query, bucket);
    query_bind_integer(query, limits->received);
    query_bind_integer(query, limits->exposed);
    query_bind_integer(query, *missing);
    if (query_next(query))
        *missing -= query_integer(query, 0);
    return query_end(query, call->problem);
}

enum error look_users_settled(const struct live_call *call, const struct live_view *view,
                              int64_t settling_seconds, int64_t users, bool *settled)
{
    const struct live_experiment *experiment = &view->experiment;
    int64_t now = clock_unix_microseconds(), buckets = live_bucket_count(experiment);
    const struct limits limits = {now - settling_seconds * second,
                                  now - longest_window(view->design->metrics)};
    enum error error = ERROR_NONE;

    for (int64_t i = 0; !error && users > 0 && i < buckets; i++)
        error = take_bucket(call, live_bucket_number(experiment, i), &limits, &users);
    *settled = !error && users <= 0;
    return error;
}
