/* The boundaries of a plan and what they cost. */
#include "experiments/sequential/sequential_internal.h"

#include "experiments/design/sizing.h"
#include "math/normal.h"
#include "stats/sequential/stopped_walk.h"

#include <math.h>

/* Of walk_work(): a hundred even looks take near a second, 20 units. */
#define WORK_PER_UNIT 8e4

int64_t sequential_design_cost_units(const struct sequential_plan *plan)
{
    const struct number_list *fractions = &plan->information_fractions;

    return 1 + (int64_t)(walk_work(fractions->items, fractions->count) / WORK_PER_UNIT);
}

int64_t sequential_monitor_cost_units(const struct sequential_monitor_request *request)
{
    const struct observed_look *looks = request->looks.items;
    double fractions[SEQUENTIAL_PLAN_LOOKS_MAX];

    for (size_t i = 0; i < request->looks.count; i++)
        fractions[i] = looks[i].information_fraction;
    return sequential_design_cost_units(request->plan) +
           (int64_t)(walk_work(fractions, request->looks.count) / WORK_PER_UNIT);
}

static struct optional_number when_finite(double value)
{
    return isfinite(value) ? GIVEN_NUMBER(value) : (struct optional_number){0};
}

/* Mean fraction at the stop. */
static double expected_fraction(const struct group_sequential_looks *looks,
                                const struct group_sequential_stops *stops)
{
    double running = 1, sum = 0;

    for (int i = 0; i < looks->count; i++) {
        double stopped = i + 1 < looks->count ? stops->above[i] + stops->below[i] : running;

        sum += stopped * looks->at[i].fraction;
        running -= stopped;
    }
    return sum;
}

static void describe_look(const struct sequential_plan *plan,
                          const struct group_sequential_looks *looks, int index,
                          const struct group_sequential_stops *with,
                          const struct group_sequential_stops *null,
                          struct sequential_plan_look *look)
{
    const struct group_sequential_bounds *at = &looks->at[index];
    double sign = plan->sides == 1 && plan->direction == GOAL_DECREASE ? -1 : 1;
    bool futility = plan->futility != FUTILITY_NONE;

    *look = (struct sequential_plan_look){
        .look = index + 1,
        .information_fraction = at->fraction,
        .efficacy_z = when_finite(sign * at->upper),
        .efficacy_p = when_finite((double)plan->sides * normal_survival(at->upper)),
        .futility_z = futility ? when_finite(sign * at->lower) : (struct optional_number){0},
        .alpha_spent = at->alpha_spent,
        .beta_spent = at->beta_spent,
        .efficacy_probability = with->above[index],
        .futility_probability = futility ? with->below[index] : 0,
        .null_efficacy_probability =
            null->above[index] + (plan->sides == 2 ? null->below[index] : 0),
        .null_futility_probability = futility ? null->below[index] : 0};
}

struct group_sequential_plan sequential_plan_of(const struct sequential_plan *plan)
{
    return (struct group_sequential_plan){
        .sides = (int)plan->sides,
        .alpha = plan->alpha,
        .power = plan->power,
        .alpha_spending = {plan->alpha_spending, plan->alpha_parameter.value},
        .futility = plan->futility,
        .beta_spending = {plan->beta_spending, plan->beta_parameter.value}};
}

enum error sequential_unsolved(struct problem *problem)
{
    return problem_set(problem, ERROR_INVALID, "sequential_unsolved",
                       "No boundaries spend these error rates at these looks.");
}

enum error sequential_design_plan(const struct sequential_call *call,
                                  const struct sequential_plan *plan,
                                  struct sequential_design_reply *reply)
{
    struct group_sequential_plan test = sequential_plan_of(plan);
    const double *fractions = plan->information_fractions.items;
    int count = (int)plan->information_fractions.count;
    struct group_sequential_looks *looks = ARENA_NEW(call->arena, struct group_sequential_looks);
    struct group_sequential_stops *with = ARENA_NEW(call->arena, struct group_sequential_stops);
    struct group_sequential_stops *null = ARENA_NEW(call->arena, struct group_sequential_stops);
    struct sequential_plan_look *items =
        ARENA_ARRAY(call->arena, struct sequential_plan_look, (size_t)count);
    double fixed = group_sequential_fixed_drift(&test);
    double drift = group_sequential_drift(&test, fractions, count, call->arena);

    if (isnan(drift) ||
        !group_sequential_solve(&test, fractions, count, true, drift, call->arena, looks))
        return sequential_unsolved(call->problem);
    group_sequential_stops(looks, drift, call->arena, with);
    group_sequential_stops(looks, 0, call->arena, null);
    for (int i = 0; i < count; i++)
        describe_look(plan, looks, i, with, null, &items[i]);
    *reply = (struct sequential_design_reply){
        .drift = drift,
        .fixed_drift = fixed,
        .inflation_factor = drift / fixed * (drift / fixed),
        .expected_information = expected_fraction(looks, with),
        .null_expected_information = expected_fraction(looks, null),
        .looks = {(size_t)count, items}};
    return ERROR_NONE;
}
