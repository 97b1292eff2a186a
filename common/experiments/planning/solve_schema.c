/* The schemas of /design/solve, and the rules over several fields. */
#include "experiments/planning/solve_request.h"

#include "experiments/design/sizing.h"

#include <math.h>

enum { RUNS_MAX = 200000 };

const char *const solve_unknown_names[SOLVE__MAX] = {[SOLVE_SIZE] = "size",
                                                     [SOLVE_POWER] = "power",
                                                     [SOLVE_EFFECT] = "effect",
                                                     [SOLVE_DAYS] = "days"};
static const char *const test_names[PLAN_METRIC__MAX] = {[PLAN_BINARY] = "proportions",
                                                         [PLAN_CONTINUOUS] = "means",
                                                         [PLAN_RANKS] = "ranks",
                                                         [PLAN_RATIO] = "ratios",
                                                         [PLAN_COUNT] = "counts"};
static const char *const alternative_names[PLAN_ALTERNATIVE__MAX] = {
    [PLAN_TWO_SIDED] = "two_sided",
    [PLAN_ONE_SIDED] = "one_sided",
    [PLAN_NON_INFERIORITY] = "non_inferiority",
    [PLAN_EQUIVALENCE] = "equivalence"};
static const char *const correction_names[PLAN_CORRECTION__MAX] = {[PLAN_NONE] = "none",
                                                                   [PLAN_BONFERRONI] = "bonferroni",
                                                                   [PLAN_HOLM] = "holm",
                                                                   [PLAN_DUNNETT] = "dunnett"};
static const char *const target_names[PLAN_TARGET__MAX] = {
    [PLAN_EACH] = "each", [PLAN_ANY] = "any", [PLAN_ALL] = "all"};

#define OWNER struct solve_history
static const struct field history_fields[] = {
    INTEGER(OWNER, users, .required = true, .lower = AT_LEAST(2)),
    NUMBER(OWNER, numerator_sum, .required = true),
    NUMBER(OWNER, denominator_sum, .required = true, .lower = ABOVE(0)),
    NUMBER(OWNER, numerator_squares, .required = true, .lower = AT_LEAST(0),
           .help = "Sum of the squared numerators of the users."),
    NUMBER(OWNER, denominator_squares, .required = true, .lower = AT_LEAST(0)),
    NUMBER(OWNER, products, .required = true,
           .help = "Sum of numerator times denominator of the users."),
};
#undef OWNER
static SCHEMA(history_schema, struct solve_history, "SolveHistory", history_fields,
              .help = "Sums over past users: the ratio and its deviation per user.");

#define OWNER struct solve_clusters
static const struct field clusters_fields[] = {
    NUMBER(OWNER, average_size, .required = true, .lower = AT_LEAST(1), .upper = AT_MOST(1e9)),
    NUMBER(OWNER, size_cv, .lower = AT_LEAST(0), .upper = AT_MOST(10),
           .help = "Standard deviation of the clusters' sizes over their mean."),
    NUMBER(OWNER, icc, .required = true, .lower = AT_LEAST(0), .upper = AT_MOST(1),
           .help = "Share of the variance between clusters; /results/cluster estimates it."),
};
#undef OWNER
static SCHEMA(clusters_schema, struct solve_clusters, "SolveClusters", clusters_fields,
              .help =
                  "Clusters are assigned: sizes are in whole clusters, and the test is a t-test "
                  "on their number.");

#define OWNER struct solve_switchback
static const struct field switchback_fields[] = {
    NUMBER(OWNER, slots_per_day, .required = true, .lower = ABOVE(0), .upper = AT_MOST(86400)),
    INTEGER(OWNER, units, .lower = AT_LEAST(1), .upper = AT_MOST(1e6), .default_value = 1,
            .help = "Markets or cities that are switched on their own; they share the traffic."),
    NUMBER(OWNER, washout_share, .lower = AT_LEAST(0), .upper = BELOW(1),
           .help = "Of every slot, left out at its beginning."),
    NUMBER(OWNER, size_cv, .lower = AT_LEAST(0), .upper = AT_MOST(10)),
    NUMBER(OWNER, icc, .required = true, .lower = AT_LEAST(0), .upper = AT_MOST(1),
           .help = "Share of the variance between slots."),
};
#undef OWNER
static SCHEMA(switchback_schema, struct solve_switchback, "SolveSwitchback", switchback_fields,
              .help = "Slots of time are assigned; daily_traffic makes their size.");

#define OWNER struct solve_request
static const struct field request_fields[] = {
    CHOICE(OWNER, solve_for, solve_unknown_names, .choice_count = SOLVE__MAX, .required = true,
           .help = "Give the other ones: the effect as mde_pct (margin_pct for non_inferiority and "
                   "equivalence), power, and the size as total_users or as days of daily_traffic."),
    CHOICE(OWNER, test, test_names, .choice_count = PLAN_METRIC__MAX, .required = true),
    CHOICE(OWNER, alternative, alternative_names, .choice_count = PLAN_ALTERNATIVE__MAX,
           .help = "All but two_sided have alpha on one side."),
    CHOICE(OWNER, correction, correction_names, .choice_count = PLAN_CORRECTION__MAX,
           .help = "Of several treatments against the control."),
    CHOICE(OWNER, power_of, target_names, .choice_count = PLAN_TARGET__MAX,
           .help = "each: a given treatment is found, whatever the others do; any: at least one of "
                   "treatments that all have the effect; all: every one of them."),
    CHOICE(OWNER, direction, goal_direction_names, .choice_count = GOAL__MAX),
    NULLABLE_NUMBER(OWNER, baseline_value,
                    .help = "Rate, mean, ratio, or events per user of the control; known from "
                            "history for ratios."),
    NULLABLE_NUMBER(OWNER, std_dev, .lower = ABOVE(0),
                    .help = "Per user, for means and ranks; for ratios that of numerator - ratio * "
                            "denominator over the mean denominator, unless history is given."),
    OBJECT(OWNER, history, history_schema, .nullable = true),
    NULLABLE_NUMBER(OWNER, mde_pct, .lower = AT_LEAST(0),
                    .help = "Effect in percent of the baseline, in the direction of the goal. For "
                            "non_inferiority and equivalence the true one; 0 when absent."),
    NULLABLE_NUMBER(OWNER, margin_pct, .lower = ABOVE(0), .help = "In percent of the baseline."),
    NULLABLE_NUMBER(OWNER, power, .lower = ABOVE(0), .upper = BELOW(1)),
    NULLABLE_INTEGER(OWNER, total_users, .lower = AT_LEAST(4), .upper = AT_MOST(1e15)),
    NULLABLE_NUMBER(OWNER, days, .lower = ABOVE(0), .upper = AT_MOST(1e5)),
    NULLABLE_NUMBER(OWNER, daily_traffic, .lower = ABOVE(0), .upper = AT_MOST(1e10),
                    .help = "Users a day in all variants together."),
    NUMBER(OWNER, alpha, .lower = AT_LEAST(1e-6), .upper = AT_MOST(0.5), .default_value = 0.05),
    INTEGER(OWNER, variants, .lower = AT_LEAST(2), .upper = AT_MOST(PLAN_ARMS_MAX),
            .default_value = 2, .help = "Control included."),
    NUMBERS(OWNER, allocation, .nullable = true, .lower = ABOVE(0), .upper = AT_MOST(1e6),
            .help = "Weights of the variants, control first; equal when absent."),
    BOOLEAN(OWNER, optimal_allocation,
            .help = "Choose the control's share, so that the users in all are fewest; about the "
                    "root of the number of treatments times the users of one of them."),
    OBJECT(OWNER, clusters, clusters_schema, .nullable = true),
    OBJECT(OWNER, switchback, switchback_schema, .nullable = true),
    NULLABLE_INTEGER(OWNER, simulation_runs, .lower = AT_LEAST(1000), .upper = AT_MOST(RUNS_MAX),
                     .help = "Also simulates so many data sets of this plan, each analysed by the "
                             "test; fewer of many arms or clusters."),
    INTEGER(OWNER, seed, .lower = AT_LEAST(0), .upper = AT_MOST(0x1p53), .default_value = 1),
};
#undef OWNER

static bool is_above(struct optional_number number, double least)
{
    return number.given && number.value > least;
}

static bool baseline_holds(const void *object)
{
    const struct solve_request *request = object;

    if (request->test == PLAN_RATIO && request->history)
        return !request->baseline_value.given;
    return is_above(request->baseline_value, 0) &&
           (request->test != PLAN_BINARY || request->baseline_value.value < 1);
}

static bool deviation_holds(const void *object)
{
    const struct solve_request *request = object;
    bool needed = request->test == PLAN_CONTINUOUS || request->test == PLAN_RANKS ||
                  (request->test == PLAN_RATIO && !request->history);

    return request->std_dev.given == needed && (!request->history || request->test == PLAN_RATIO);
}

static bool seeks_margin(const struct solve_request *request)
{
    return request->alternative == PLAN_NON_INFERIORITY || request->alternative == PLAN_EQUIVALENCE;
}

static bool effect_is_given(const struct solve_request *request)
{
    return seeks_margin(request) ? request->margin_pct.given
                                 : is_above(request->mde_pct, 0) && !request->margin_pct.given;
}

static bool effect_holds(const struct solve_request *request)
{
    if (request->solve_for != SOLVE_EFFECT)
        return effect_is_given(request);
    return !request->margin_pct.given && (seeks_margin(request) || !request->mde_pct.given);
}

static bool size_holds(const struct solve_request *request)
{
    bool size = request->total_users.given, days = request->days.given;

    if (request->solve_for == SOLVE_DAYS)
        return !size && !days && request->daily_traffic.given;
    if (request->solve_for == SOLVE_SIZE)
        return !size && !days;
    return size != days && (size || request->daily_traffic.given);
}

static bool unknowns_hold(const void *object)
{
    const struct solve_request *request = object;

    return effect_holds(request) && size_holds(request) &&
           request->power.given == (request->solve_for != SOLVE_POWER);
}

static bool power_is_above_alpha(const void *object)
{
    const struct solve_request *request = object;

    return !request->power.given || request->power.value > request->alpha;
}

static bool margin_is_beyond_effect(const void *object)
{
    const struct solve_request *request = object;

    return request->alternative != PLAN_EQUIVALENCE || !request->mde_pct.given ||
           !request->margin_pct.given || request->mde_pct.value < request->margin_pct.value;
}

static bool allocation_holds(const void *object)
{
    const struct solve_request *request = object;

    if (!request->allocation.items)
        return true;
    return !request->optimal_allocation && request->allocation.count == (size_t)request->variants;
}

static bool clusters_hold(const void *object)
{
    const struct solve_request *request = object;

    return !request->switchback || (!request->clusters && request->daily_traffic.given);
}

static bool power_of_holds(const void *object)
{
    const struct solve_request *request = object;

    return request->power_of == PLAN_EACH || request->alternative != PLAN_EQUIVALENCE;
}

static const struct schema_rule request_rules[] = {
    {"errors.schemas.plan_baseline", baseline_holds},
    {"errors.schemas.plan_deviation", deviation_holds},
    {"errors.schemas.plan_unknowns", unknowns_hold},
    {"errors.schemas.plan_power_above_alpha", power_is_above_alpha},
    {"errors.schemas.plan_margin", margin_is_beyond_effect},
    {"errors.schemas.plan_allocation", allocation_holds},
    {"errors.schemas.plan_switchback", clusters_hold},
    {"errors.schemas.plan_power_of", power_of_holds},
};

SCHEMA(solve_request_schema, struct solve_request, "SolveRequest", request_fields,
       .help = "A plan of which one number is open.", RULES(request_rules),
       .example = "{\"solve_for\":\"size\",\"test\":\"proportions\",\"baseline_value\":0.05,"
                  "\"mde_pct\":10,\"power\":0.8,\"variants\":4,\"correction\":\"dunnett\","
                  "\"optimal_allocation\":true,\"daily_traffic\":20000}");

#define OWNER struct solve_simulated
static const struct field simulated_fields[] = {
    NUMBER(OWNER, power, ROUNDED(6)),
    NUMBER(OWNER, standard_error, ROUNDED(6), .help = "Of the simulation."),
    INTEGER(OWNER, runs),
};
#undef OWNER
static SCHEMA(
    simulated_schema, struct solve_simulated, "SimulatedPower", simulated_fields,
    .help = "The share of simulated data sets in which the test finds what power_of asks.");

#define OWNER struct solve_reply
static const struct field reply_fields[] = {
    STRING(OWNER, solve_for),
    NUMBER(OWNER, effect_pct, ROUNDED(6), .help = "Negative for a decrease."),
    NUMBER(OWNER, effect, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, margin_pct, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, margin, ROUNDED(6)),
    NUMBER(OWNER, power, ROUNDED(6), .help = "Of the plan as rounded up to whole users."),
    NUMBER(OWNER, power_standard_error, ROUNDED(6),
           .help =
               "Of the simulation, where no formula exists (all treatments under holm); else 0."),
    NUMBER(OWNER, alpha),
    NUMBER(OWNER, critical_value, ROUNDED(6), .help = "Of the t or z statistic."),
    NULLABLE_NUMBER(OWNER, degrees_of_freedom, .help = "Null for normal statistics."),
    INTEGER(OWNER, comparisons),
    NUMBERS(OWNER, allocation, ROUNDED(6), .help = "Shares of the users, control first."),
    INTEGERS(OWNER, users_per_variant),
    INTEGER(OWNER, total_users),
    NULLABLE_INTEGER(OWNER, days, .help = "Null without daily_traffic."),
    NULLABLE_INTEGER(OWNER, equal_allocation_total,
                     .help = "What equal arms would need; null where they are, and when the size "
                             "is given."),
    INTEGERS(OWNER, clusters_per_variant, .nullable = true,
             .help = "Clusters, or slots of a switchback."),
    NULLABLE_NUMBER(OWNER, average_cluster_size, ROUNDED(4)),
    NULLABLE_NUMBER(OWNER, design_effect, ROUNDED(6)),
    NUMBER(OWNER, baseline_value),
    NULLABLE_NUMBER(OWNER, std_dev, .help = "Per user; from history for ratios."),
    OBJECT(OWNER, simulated, simulated_schema, .nullable = true),
};
#undef OWNER
SCHEMA(solve_reply_schema, struct solve_reply, "SolveReply", reply_fields,
       .help = "The plan with its open number.");
