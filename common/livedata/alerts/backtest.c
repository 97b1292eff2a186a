/* Computes the metric of a rule window by window, and judges each. */
#include "livedata/alerts/backtest.h"

#include "livedata/metrics/measure_compute.h"
#include "livedata/timestamp.h"

enum { DAYS = 7 };

#define OWNER struct alert_check
static const struct field check_fields[] = {
    TIME(OWNER, at, .time = TIME_Z), NULLABLE_NUMBER(OWNER, value), BOOLEAN(OWNER, triggered)};
#undef OWNER
static SCHEMA(check_schema, struct alert_check, "AlertCheck", check_fields);

#define OWNER struct alert_backtest
static const struct field backtest_fields[] = {
    TIME(OWNER, from, .time = TIME_Z),
    TIME(OWNER, to, .time = TIME_Z),
    INTEGER(OWNER, checks, .help = "One at the end of each window."),
    INTEGER(OWNER, fired, .help = "How often the condition began to hold."),
    OBJECTS(OWNER, points, check_schema),
};
#undef OWNER
SCHEMA(alert_backtest_schema, struct alert_backtest, "AlertBacktest", backtest_fields);

/* Windows of a week, or as many as there may be, that end now. */
static struct time_bounds windows_until(struct arena *arena, int64_t now, int64_t size)
{
    int64_t count = DAYS * us_per_day / size;
    struct time_bounds bounds = {0};

    count = count > WINDOW_BUCKETS_MAX ? WINDOW_BUCKETS_MAX : count < 2 ? 2 : count;
    bounds.items = ARENA_ARRAY(arena, int64_t, (size_t)count + 1);
    for (; count >= 0; count--)
        bounds.items[bounds.count++] = now - count * size;
    return bounds;
}

static struct optional_number value_in(const struct measure_rows *rows, size_t *next,
                                       int64_t bucket, bool zero)
{
    if (*next < rows->count && rows->items[*next].bucket == bucket) {
        const struct measure_row *row = &rows->items[(*next)++];

        return (struct optional_number){!row->undefined, row->value};
    }
    return (struct optional_number){zero, 0};
}

/* A window without a value changes nothing, as in an evaluation. */
static void judge(const struct alert_rule *rule, const struct live_metric *metric,
                  const struct time_bounds *bounds, const struct measure_rows *rows,
                  struct alert_check *checks, struct alert_backtest *backtest)
{
    size_t first = (size_t)rows->items[0].bucket, next = 0;
    struct optional_number before = {0};
    bool held = false;

    for (size_t i = first; i + 1 < bounds->count; i++) {
        struct alert_check *check = &checks[backtest->checks++];
        struct alert_reading reading;

        *check = (struct alert_check){
            .at = bounds->items[i + 1],
            .value = value_in(rows, &next, (int64_t)i, metric->zero_when_empty)};
        if (check->value.given) {
            alert_read(rule->condition, rule->threshold, check->value.value, before, &reading);
            check->triggered = !reading.no_data && reading.triggered;
            backtest->fired += check->triggered && !held;
            held = reading.no_data ? held : reading.triggered;
        }
        before = check->value;
    }
    backtest->from = bounds->items[first];
    backtest->to = bounds->items[bounds->count - 1];
}

enum error alert_backtest(const struct storage_call *call, const struct livedata_settings *settings,
                          const struct live_metric *metric, const struct alert_rule *rule,
                          const struct alert_backtest **backtest)
{
    struct measure_request request =
        measure_request_of(settings, metric->measure, WINDOW_BUCKETS_MAX);
    struct alert_backtest *found = ARENA_NEW(call->arena, struct alert_backtest);
    struct alert_check *checks;
    struct measure_rows rows;
    int64_t size;
    enum error error;

    *backtest = NULL;
    if (!metric->measure || !window_parse(rule->window, &size))
        return ERROR_NONE;
    request.buckets = windows_until(call->arena, call->now, size);
    request.range = (struct time_range){request.buckets.items[0],
                                        request.buckets.items[request.buckets.count - 1]};
    error = measure_compute(call, &request, &rows);
    if (error || !rows.count)
        return error;
    checks = ARENA_ARRAY(call->arena, struct alert_check, request.buckets.count);
    *found = (struct alert_backtest){0};
    judge(rule, metric, &request.buckets, &rows, checks, found);
    found->points.count = (size_t)found->checks;
    found->points.items = checks;
    *backtest = found;
    return ERROR_NONE;
}
