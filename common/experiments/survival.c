/* Risk sets and the product-limit estimate. */
#include "experiments/survival.h"

#include "experiments/sample.h"
#include "math/normal.h"

#include <math.h>

/* The times of one arm of one kind, sorted, and how many of them have passed. */
struct queue {
    size_t count, passed;
    double *times;
};

struct queues {
    struct queue events, censored;
};

static struct queue collect(const struct survival_arm *arm, bool events, struct arena *arena)
{
    struct queue queue = {.times = ARENA_ARRAY(arena, double, arm->durations.count)};

    for (size_t i = 0; i < arm->durations.count; i++)
        if (arm->events_observed.items[i] == events)
            queue.times[queue.count++] = arm->durations.items[i] + 0.0; /* -0 becomes 0 */
    sample_sort_values(queue.times, queue.count, arena);
    return queue;
}

/* The earliest event that has not passed; infinite when there is none. */
static double next_time(const struct queues *queues, size_t count)
{
    double next = INFINITY;

    for (size_t arm = 0; arm < count; arm++) {
        const struct queue *events = &queues[arm].events;

        if (events->passed < events->count)
            next = fmin(next, events->times[events->passed]);
    }
    return next;
}

/* Passes what lies before `time`, and its events, which are counted. */
static int64_t pass_until(struct queues *queues, double time, int64_t *left)
{
    struct queue *events = &queues->events, *censored = &queues->censored;
    size_t before = events->passed;

    while (censored->passed < censored->count && censored->times[censored->passed] < time)
        censored->passed++;
    *left = (int64_t)(events->count - events->passed + censored->count - censored->passed);
    while (events->passed < events->count && events->times[events->passed] == time)
        events->passed++;
    return (int64_t)(events->passed - before);
}

void survival_table_build(const struct survival_arm *arms, size_t count, struct arena *arena,
                          struct survival_table *table)
{
    struct queues queues[SURVIVAL_ARMS_MAX];
    size_t events = 0, row = 0;
    double *times;
    int64_t *at_risk, *passed;

    *table = (struct survival_table){.arm_count = count};
    for (size_t arm = 0; arm < count; arm++) {
        queues[arm] =
            (struct queues){collect(&arms[arm], true, arena), collect(&arms[arm], false, arena)};
        table->subjects[arm] = (int64_t)arms[arm].durations.count;
        table->observed[arm] = (int64_t)queues[arm].events.count;
        events += queues[arm].events.count;
    }
    times = ARENA_ARRAY(arena, double, events);
    at_risk = ARENA_ARRAY(arena, int64_t, events * count);
    passed = ARENA_ARRAY(arena, int64_t, events * count);
    for (double time; (time = next_time(queues, count)) < INFINITY; row++) {
        times[row] = time;
        for (size_t arm = 0; arm < count; arm++)
            passed[row * count + arm] = pass_until(&queues[arm], time, &at_risk[row * count + arm]);
    }
    table->time_count = row;
    table->times = times;
    table->at_risk = at_risk;
    table->events = passed;
}

struct object_list kaplan_meier(const struct survival_table *table, size_t arm, double alpha,
                                struct arena *arena)
{
    struct survival_point *points =
        ARENA_ARRAY(arena, struct survival_point, (size_t)table->observed[arm]);
    double survival = 1, greenwood = 0, critical = normal_upper_quantile(alpha / 2);
    size_t count = 0;

    for (size_t row = 0; row < table->time_count; row++) {
        int64_t n = table->at_risk[row * table->arm_count + arm];
        int64_t d = table->events[row * table->arm_count + arm];
        double error = 0;

        if (d == 0)
            continue;
        survival *= (double)(n - d) / (double)n;
        if (n > d) {
            greenwood += (double)d / ((double)n * (double)(n - d));
            error = survival * sqrt(greenwood);
        }
        points[count++] = (struct survival_point){.time = table->times[row],
                                                  .survival = survival,
                                                  .at_risk = n,
                                                  .n_events = d,
                                                  .std_error = error,
                                                  .ci_lower = fmax(0, survival - critical * error),
                                                  .ci_upper = fmin(1, survival + critical * error)};
    }
    return (struct object_list){count, points};
}
