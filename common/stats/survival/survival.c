/* Risk sets and the product-limit estimate. */
#include "stats/survival/survival.h"

#include "math/normal.h"
#include "math/sort.h"

#include <math.h>

/* An item's label is twice the arm index, plus 1 for an event. */
static struct sort_item *collect(const struct survival_arm *arms, size_t count, size_t subjects,
                                 struct arena *arena)
{
    struct sort_item *items = ARENA_ARRAY(arena, struct sort_item, subjects), *next = items;

    for (size_t arm = 0; arm < count; arm++) {
        const double *durations = arms[arm].durations.items;
        const bool *events = arms[arm].events_observed.items;

        for (size_t i = 0; i < arms[arm].durations.count; i++)
            *next++ = (struct sort_item){durations[i] + 0.0, /* -0 becomes 0 */
                                         (uint32_t)(2 * arm + events[i])};
    }
    sort_labelled(items, ARENA_ARRAY(arena, struct sort_item, subjects), subjects);
    return items;
}

static void count_subjects(const struct survival_arm *arms, struct survival_table *table)
{
    for (size_t arm = 0; arm < table->arm_count; arm++) {
        const struct boolean_list *events = &arms[arm].events_observed;

        table->subjects[arm] = (int64_t)events->count;
        for (size_t i = 0; i < events->count; i++)
            table->observed[arm] += events->items[i];
    }
}

void survival_table_build(const struct survival_arm *arms, size_t count, struct arena *arena,
                          struct survival_table *table)
{
    size_t subjects = 0, events = 0, rows = 0;
    int64_t gone[SURVIVAL_ARMS_MAX] = {0}, *at_risk, *passed;
    const struct sort_item *items;
    double *times;

    *table = (struct survival_table){.arm_count = count};
    count_subjects(arms, table);
    for (size_t arm = 0; arm < count; arm++) {
        subjects += (size_t)table->subjects[arm];
        events += (size_t)table->observed[arm];
    }
    items = collect(arms, count, subjects, arena);
    /* one more row: the current time, overwritten until it has an event */
    times = ARENA_ARRAY(arena, double, events + 1);
    at_risk = ARENA_ARRAY(arena, int64_t, (events + 1) * count);
    passed = ARENA_ARRAY(arena, int64_t, (events + 1) * count);
    for (size_t i = 0; i < subjects;) {
        double time = items[i].value;
        uint32_t any = 0;

        times[rows] = time;
        for (size_t arm = 0; arm < count; arm++)
            at_risk[rows * count + arm] = table->subjects[arm] - gone[arm];
        do {
            uint32_t arm = items[i].label / 2, event = items[i].label % 2;

            passed[rows * count + arm] += event;
            gone[arm]++;
            any |= event;
        } while (++i < subjects && items[i].value == time);
        rows += any;
    }
    table->time_count = rows;
    table->times = times;
    table->at_risk = at_risk;
    table->events = passed;
}

struct object_list kaplan_meier(const struct survival_table *table, size_t arm, double alpha,
                                struct arena *arena)
{
    struct survival_point *points =
        ARENA_ARRAY(arena, struct survival_point, (size_t)table->observed[arm]);
    long double product = 1; /* so that 51/128 is exact in any order of steps */
    double survival, greenwood = 0, critical = normal_upper_quantile(alpha / 2);
    size_t count = 0;

    for (size_t row = 0; row < table->time_count; row++) {
        int64_t n = table->at_risk[row * table->arm_count + arm];
        int64_t d = table->events[row * table->arm_count + arm];
        double error = 0;

        if (d == 0)
            continue;
        product *= (long double)(n - d) / (long double)n;
        survival = (double)product;
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
