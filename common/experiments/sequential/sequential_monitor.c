/*
 * Observed looks under a plan. Alpha is spent by what was observed, not by what was planned. All is
 * computed for a positive good direction: a plan for a decrease turns the signs of what comes in
 * and of what goes out.
 */
#include "experiments/sequential/sequential_internal.h"

#include "experiments/design/sizing.h"

#include <math.h>

#define Z_MAX 1000.0
#define DRIFT_MAX 1e6 /* more than any drift of a z within that */

enum decision {
    DECISION_CONTINUE,
    DECISION_EFFICACY,
    DECISION_FUTILITY,
    DECISION_NONE,
    DECISION_OVERRUN,
    DECISION__MAX
};
static const char *const decision_names[DECISION__MAX] = {"continue", "efficacy", "futility",
                                                          "no_rejection", "overrun"};
static const char *const verdict_keys[DECISION__MAX] = {
    "sequential.verdict.continue", "sequential.verdict.efficacy", "sequential.verdict.futility",
    "sequential.verdict.no_rejection"};

struct monitor {
    const struct sequential_call *call;
    const struct sequential_monitor_request *request;
    const struct observed_look *seen;
    struct group_sequential_plan plan;
    double sign;   /* of the good direction */
    double drift;  /* planned */
    bool is_final; /* the last look spends all that is left */
    int made;
    struct group_sequential_looks *looks; /* those made, and those to come */
    enum decision decision[SEQUENTIAL_PLAN_LOOKS_MAX];
    int stopped; /* index of the look that ended the test; -1 = it goes on */
};

/* In the good direction. */
static double z_of(const struct monitor *monitor, int index)
{
    const struct observed_look *look = &monitor->seen[index];

    return monitor->sign *
           (look->z.given ? look->z.value : look->estimate.value / look->standard_error.value);
}

/* What a drift of 1 is in the unit of the answers, as seen at a look. */
static double unit_of(const struct monitor *monitor, int index)
{
    const struct observed_look *look = &monitor->seen[index];

    return look->z.given ? 1 : look->standard_error.value * sqrt(look->information_fraction);
}

/* Whether a z is within what can be told apart, and a hundred units are numbers. */
static bool looks_are_usable(const struct monitor *monitor)
{
    for (int i = 0; i < monitor->made; i++)
        if (!(fabs(z_of(monitor, i)) <= Z_MAX) || !isfinite(DRIFT_MAX * unit_of(monitor, i)))
            return false;
    return true;
}

/* The looks made, then those of the plan that are to come. */
static int list_fractions(const struct monitor *monitor, double *fractions)
{
    const struct number_list *planned = &monitor->request->plan->information_fractions;
    double last = monitor->seen[monitor->made - 1].information_fraction;
    int count = 0;

    for (; count < monitor->made; count++)
        fractions[count] = monitor->seen[count].information_fraction;
    for (size_t i = 0; i < planned->count && !monitor->is_final; i++)
        if (planned->items[i] >= last + GROUP_SEQUENTIAL_STEP_MIN)
            fractions[count++] = planned->items[i];
    return count;
}

static bool solve_looks_of(struct monitor *monitor)
{
    const struct number_list *planned = &monitor->request->plan->information_fractions;
    double fractions[GROUP_SEQUENTIAL_LOOKS_MAX];
    double last = monitor->seen[monitor->made - 1].information_fraction;
    int count;

    monitor->is_final = monitor->request->is_final || last > 1 - GROUP_SEQUENTIAL_STEP_MIN;
    count = list_fractions(monitor, fractions);
    monitor->drift = group_sequential_drift(&monitor->plan, planned->items, (int)planned->count,
                                            monitor->call->arena);
    return !isnan(monitor->drift) &&
           group_sequential_solve(&monitor->plan, fractions, count, true, monitor->drift,
                                  monitor->call->arena, monitor->looks);
}

static enum decision decide(const struct monitor *monitor, int index)
{
    const struct group_sequential_bounds *at = &monitor->looks->at[index];
    double z = z_of(monitor, index);

    if (z >= at->upper || (monitor->plan.sides == 2 && z <= at->lower))
        return DECISION_EFFICACY;
    if (monitor->is_final && index + 1 == monitor->made)
        return DECISION_NONE;
    if (monitor->plan.futility != FUTILITY_NONE && z <= at->lower)
        return DECISION_FUTILITY;
    return DECISION_CONTINUE;
}

/* Who goes on after non-binding futility has not stopped. */
static void decide_all(struct monitor *monitor)
{
    monitor->stopped = -1;
    for (int i = 0; i < monitor->made; i++) {
        enum decision decision = monitor->stopped >= 0 ? DECISION_OVERRUN : decide(monitor, i);

        monitor->decision[i] = decision;
        if (decision == DECISION_EFFICACY || decision == DECISION_NONE ||
            (decision == DECISION_FUTILITY &&
             (monitor->plan.futility == FUTILITY_BINDING || i + 1 == monitor->made)))
            if (monitor->stopped < 0)
                monitor->stopped = i;
    }
}

static struct optional_number shown(const struct monitor *monitor, double value)
{
    return isfinite(value) ? GIVEN_NUMBER(monitor->sign * value) : (struct optional_number){0};
}

/* An interval in the unit of the answers; a plan for a decrease turns it around. */
static void show_interval(const struct monitor *monitor, double lower, double upper, double unit,
                          struct optional_number *shown_lower, struct optional_number *shown_upper)
{
    bool turned = monitor->sign < 0;

    *shown_lower = shown(monitor, unit * (turned ? upper : lower));
    *shown_upper = shown(monitor, unit * (turned ? lower : upper));
}

static void describe(const struct monitor *monitor, int index, struct monitored_look *look)
{
    const struct group_sequential_bounds *at = &monitor->looks->at[index];
    double z = z_of(monitor, index), scale = unit_of(monitor, index) / sqrt(at->fraction);
    bool two = monitor->plan.sides == 2;

    *look = (struct monitored_look){.look = index + 1,
                                    .information_fraction = at->fraction,
                                    .z = monitor->sign * z,
                                    .efficacy_z = shown(monitor, at->upper),
                                    .futility_z = monitor->plan.futility != FUTILITY_NONE
                                                      ? shown(monitor, at->lower)
                                                      : (struct optional_number){0},
                                    .alpha_spent = at->alpha_spent,
                                    .beta_spent = at->beta_spent,
                                    .decision = decision_names[monitor->decision[index]],
                                    .estimate = monitor->sign * z * scale};
    show_interval(monitor, z - at->upper, two ? z + at->upper : INFINITY, scale,
                  &look->repeated_ci_lower, &look->repeated_ci_upper);
}

/* The looks before the stop, and the last one made: the look that stopped is left out if data came
 * after it. */
static struct group_sequential_looks *stagewise_looks(const struct monitor *monitor)
{
    struct group_sequential_looks *looks =
        ARENA_NEW(monitor->call->arena, struct group_sequential_looks);

    *looks = *monitor->looks;
    looks->count = monitor->stopped + 1;
    looks->at[monitor->stopped] = monitor->looks->at[monitor->made - 1];
    return looks;
}

static const struct sequential_adjusted *adjust(const struct monitor *monitor)
{
    struct sequential_adjusted *adjusted =
        ARENA_NEW(monitor->call->arena, struct sequential_adjusted);
    double alpha = monitor->plan.alpha, unit = unit_of(monitor, monitor->made - 1);
    struct group_sequential_estimate estimate;
    struct optional_number lower, upper;

    group_sequential_estimate(&monitor->plan, stagewise_looks(monitor),
                              z_of(monitor, monitor->made - 1), monitor->call->arena, &estimate);
    if (isnan(estimate.lower) || isnan(estimate.upper) || isnan(estimate.median))
        return NULL;
    show_interval(monitor, estimate.lower, estimate.upper, unit, &lower, &upper);
    *adjusted = (struct sequential_adjusted){.p_value = estimate.p_value,
                                             .is_significant = estimate.p_value <= alpha,
                                             .estimate = monitor->sign * estimate.median * unit,
                                             .ci_lower = lower.value,
                                             .ci_upper = upper.value,
                                             .ci_level = monitor->plan.sides == 2 ? 1 - alpha
                                                                                  : 1 - 2 * alpha};
    return adjusted;
}

/* A two-sided test looks ahead in the direction of what it sees. */
static double power_for(const struct monitor *monitor, double drift, bool below)
{
    return group_sequential_conditional_power(&monitor->plan, monitor->looks, monitor->made,
                                              z_of(monitor, monitor->made - 1), drift, below,
                                              monitor->call->arena);
}

static const struct sequential_outlook *look_ahead(const struct monitor *monitor)
{
    struct sequential_outlook *outlook = ARENA_NEW(monitor->call->arena, struct sequential_outlook);
    int last = monitor->made - 1, ahead = monitor->looks->count - monitor->made;
    double *fractions = ARENA_ARRAY(monitor->call->arena, double, (size_t)ahead);
    double z = z_of(monitor, last);
    bool below = monitor->plan.sides == 2 && z < 0;
    struct optional_number effect = monitor->request->effect;

    for (int i = 0; i < ahead; i++)
        fractions[i] = monitor->looks->at[monitor->made + i].fraction;
    *outlook = (struct sequential_outlook){
        .information_fractions = {(size_t)ahead, fractions},
        .conditional_power_planned =
            power_for(monitor, below ? -monitor->drift : monitor->drift, below),
        .conditional_power_observed =
            power_for(monitor, z / sqrt(monitor->looks->at[last].fraction), below),
        .predictive_power = group_sequential_predictive_power(
            &monitor->plan, monitor->looks, monitor->made, z, below, monitor->call->arena)};
    if (effect.given) {
        double drift =
            monitor->sign * fmin(fmax(effect.value / unit_of(monitor, last), -Z_MAX), Z_MAX);

        outlook->conditional_power_effect =
            GIVEN_NUMBER(power_for(monitor, drift, monitor->plan.sides == 2 && drift < 0));
    }
    return outlook;
}

static void answer(const struct monitor *monitor, struct sequential_monitor_reply *reply)
{
    const struct sequential_call *call = monitor->call;
    struct monitored_look *looks =
        ARENA_ARRAY(call->arena, struct monitored_look, (size_t)monitor->made);
    struct group_sequential_looks *made = ARENA_NEW(call->arena, struct group_sequential_looks);
    int last = monitor->made - 1, stopped = monitor->stopped;
    enum decision decision = stopped < 0 ? DECISION_CONTINUE : monitor->decision[stopped];

    *made = *monitor->looks;
    made->count = monitor->made;
    for (int i = 0; i < monitor->made; i++)
        describe(monitor, i, &looks[i]);
    *reply = (struct sequential_monitor_reply){
        .status = decision_names[decision],
        .verdict =
            locale_format(call->locale, call->arena, verdict_keys[decision], NO_TEXT_ARGUMENTS),
        .scale = monitor->seen[0].z.given ? "drift" : "estimate",
        .overrun = (stopped >= 0 && stopped < last) || monitor->looks->at[last].fraction > 1,
        .looks = {(size_t)monitor->made, looks},
        .repeated_p_value = group_sequential_repeated_p(&monitor->plan, made, monitor->is_final,
                                                        z_of(monitor, last), call->arena)};
    if (stopped >= 0)
        reply->adjusted = adjust(monitor);
    else
        reply->outlook = look_ahead(monitor);
}

enum error sequential_monitor(const struct sequential_call *call,
                              const struct sequential_monitor_request *request,
                              struct sequential_monitor_reply *reply)
{
    struct monitor *monitor = ARENA_NEW(call->arena, struct monitor);
    bool decrease = request->plan->sides == 1 && request->plan->direction == GOAL_DECREASE;

    *monitor = (struct monitor){.call = call,
                                .request = request,
                                .seen = request->looks.items,
                                .plan = sequential_plan_of(request->plan),
                                .sign = decrease ? -1 : 1,
                                .made = (int)request->looks.count,
                                .looks = ARENA_NEW(call->arena, struct group_sequential_looks)};
    if (!looks_are_usable(monitor))
        return problem_set(call->problem, ERROR_INVALID, "statistic_out_of_range",
                           "estimate over standard_error must lie between -1000 and 1000.");
    if (!solve_looks_of(monitor))
        return sequential_unsolved(call->problem);
    decide_all(monitor);
    answer(monitor, reply);
    return ERROR_NONE;
}
