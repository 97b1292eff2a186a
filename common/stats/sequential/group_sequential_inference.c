/* Estimates after stopping, and the power that is left. */
#include "stats/sequential/group_sequential.h"

#include "math/root.h"
#include "stats/sequential/stopped_walk.h"

#include <math.h>

/* Of a drift, in standard errors at the look. */
#define TOLERANCE 1e-9
#define DRIFT_REACH 12.0

struct tail {
    const struct group_sequential_looks *looks;
    bool binding; /* stops below before the last look count */
    double z;
    struct stopped_walk *walk;
    double amount;
};

/* The probability under the drift of a result that is as large or larger (`above`), or as small or
 * smaller. */
static double tail_probability(const struct tail *tail, double drift, bool above)
{
    const struct group_sequential_looks *looks = tail->looks;
    double sum = 0, start = 0;

    walk_start(tail->walk, 0);
    for (int i = 0; i < looks->count; i++) {
        const struct group_sequential_bounds *look = &looks->at[i];
        bool last = i + 1 == looks->count;
        double root = sqrt(look->fraction), lower = tail->binding ? root * look->lower : -INFINITY;
        struct walk_step step = {1, drift * (look->fraction - start), sqrt(look->fraction - start)};
        double edge = root * (last ? tail->z : look->upper);

        if (above)
            sum += walk_above(tail->walk, &step, edge);
        else
            sum += walk_below(tail->walk, &step, last ? root * tail->z : lower);
        if (!last)
            walk_advance(tail->walk, &step, lower, root * look->upper,
                         sqrt(looks->at[i + 1].fraction - look->fraction));
        start = look->fraction;
    }
    return sum;
}

/* Near 0 the tail above keeps its digits, near 1 that below. */
static double excess_tail(double drift, const void *context)
{
    const struct tail *tail = context;
    bool above = tail->amount <= 0.5;
    double amount = above ? tail->amount : 1 - tail->amount;
    double excess = log(fmax(tail_probability(tail, drift, above), 1e-300) / amount);

    return above ? excess : -excess;
}

/* The drift under which the result has that probability above. */
static double drift_with(struct tail *tail, double amount)
{
    const struct group_sequential_bounds *last = &tail->looks->at[tail->looks->count - 1];
    double center = tail->z / sqrt(last->fraction), reach = DRIFT_REACH / sqrt(last->fraction);
    double earliest = DRIFT_REACH / sqrt(tail->looks->at[0].fraction);

    tail->amount = amount;
    return root_find(excess_tail, tail, center - fmax(reach, earliest),
                     center + fmax(reach, earliest), TOLERANCE * reach);
}

void group_sequential_estimate(const struct group_sequential_plan *plan,
                               const struct group_sequential_looks *looks, double z,
                               struct arena *arena, struct group_sequential_estimate *estimate)
{
    struct tail tail = {.looks = looks,
                        .binding = plan->futility != FUTILITY_NON_BINDING,
                        .z = z,
                        .walk = ARENA_NEW(arena, struct stopped_walk)};
    double side = plan->alpha / plan->sides, above = tail_probability(&tail, 0, true);

    estimate->p_value =
        plan->sides == 1 ? above : fmin(1, 2 * fmin(above, tail_probability(&tail, 0, false)));
    estimate->lower = drift_with(&tail, side);
    estimate->median = drift_with(&tail, 0.5);
    estimate->upper = drift_with(&tail, 1 - side);
}

/* A step of the score: under a drift, or as predicted from the score itself. */
static struct walk_step step_ahead(double from, double to, const double *drift)
{
    if (drift)
        return (struct walk_step){1, *drift * (to - from), sqrt(to - from)};
    return (struct walk_step){to / from, 0, sqrt((to - from) * to / from)};
}

static double power_ahead(const struct group_sequential_plan *plan,
                          const struct group_sequential_looks *looks, int next, double z,
                          const double *drift, bool below, struct arena *arena)
{
    struct stopped_walk *walk = ARENA_NEW(arena, struct stopped_walk);
    double start = looks->at[next - 1].fraction, power = 0;

    walk_start(walk, z * sqrt(start));
    for (int i = next; i < looks->count; i++) {
        const struct group_sequential_bounds *look = &looks->at[i];
        double root = sqrt(look->fraction);
        double lower = plan->futility == FUTILITY_NON_BINDING ? -INFINITY : root * look->lower;
        struct walk_step step = step_ahead(start, look->fraction, drift);

        power +=
            below ? walk_below(walk, &step, lower) : walk_above(walk, &step, root * look->upper);
        if (i + 1 < looks->count)
            walk_advance(walk, &step, lower, root * look->upper,
                         step_ahead(look->fraction, looks->at[i + 1].fraction, drift).deviation);
        start = look->fraction;
    }
    return power;
}

double group_sequential_conditional_power(const struct group_sequential_plan *plan,
                                          const struct group_sequential_looks *looks, int next,
                                          double z, double drift, bool below, struct arena *arena)
{
    return power_ahead(plan, looks, next, z, &drift, below, arena);
}

double group_sequential_predictive_power(const struct group_sequential_plan *plan,
                                         const struct group_sequential_looks *looks, int next,
                                         double z, bool below, struct arena *arena)
{
    return power_ahead(plan, looks, next, z, NULL, below, arena);
}
