/*
 * Sizing a design: per-arm sample size by plan, the design effect of clusters, and how long the
 * traffic takes to fill the slowest arm. Knows neither requests nor answers.
 */
#include "experiments/design/sizing.h"

#include "experiments/design/sizing_kernels.h"
#include "math/normal.h"

#include <math.h>
#include <string.h>

#define SIZE_MAXIMUM 9007199254740992.0 /* 2^53 */
#define STD_DEV_MINIMUM 1e-12

const char *const goal_direction_names[GOAL__MAX] = {"increase", "decrease"};
const char *const metric_type_names[METRIC__MAX] = {
    [METRIC_BINARY] = "binary",
    [METRIC_CONTINUOUS] = "continuous",
    [METRIC_RATIO] = "ratio",
    [METRIC_COUNT] = "count",
};

const char *const planned_test_names[PLAN__MAX] = {
    [PLAN_Z_TEST] = "z_test",
    [PLAN_FISHER_EXACT] = "fisher_exact",
    [PLAN_MANN_WHITNEY] = "mann_whitney",
    [PLAN_TOST] = "tost",
    [PLAN_POISSON_RATE] = "poisson_rate",
};

const char *const analysis_mode_names[ANALYSIS__MAX] = {
    [ANALYSIS_FREQUENTIST] = "frequentist",
    [ANALYSIS_BAYESIAN] = "bayesian",
};

double size_two_proportions(double rate, double difference, double alpha, double power)
{
    double other = rate + difference;
    double mean = (rate + other) / 2;
    double under_null = sqrt(2 * mean * (1 - mean));
    double under_alternative = sqrt(rate * (1 - rate) + other * (1 - other));
    double root =
        normal_upper_quantile(alpha / 2) * under_null + normal_quantile(power) * under_alternative;

    return root * root / (difference * difference);
}

double size_two_means(double std_dev, double difference, double alpha, double power)
{
    double root =
        (normal_upper_quantile(alpha / 2) + normal_quantile(power)) * (std_dev / difference);

    return 2 * root * root;
}

bool round_size_up(double value, int64_t *size)
{
    double whole = fmax(ceil(value), 1);

    if (!(isfinite(value) && whole <= SIZE_MAXIMUM))
        return false;
    *size = (int64_t)whole;
    return true;
}

enum error settle_size(double value, const char *what, int64_t *size, struct problem *problem)
{
    if (round_size_up(value, size))
        return ERROR_NONE;
    return problem_set(problem, ERROR_INVALID, "sample_size_not_finite",
                       "The %s is too large to be finite (more than 2^53) for this design.", what);
}

enum error check_std_dev(double value, const char *field, struct problem *problem)
{
    if (value > STD_DEV_MINIMUM && isfinite(value))
        return ERROR_NONE;
    return problem_set(problem, ERROR_INVALID, "std_dev_not_positive",
                       "%s must be positive and finite (above %g).", field, STD_DEV_MINIMUM);
}

static enum error check_variant_rate(const struct sizing_request *request,
                                     const struct sizing_plan *plan, struct problem *problem)
{
    double rate = request->baseline_value + plan->alternative;

    if (request->baseline_value > 0 && rate > 0 && rate < 1)
        return ERROR_NONE;
    return problem_set(problem, ERROR_INVALID, "variant_rate_out_of_range",
                       "mde_pct of %g moves the rate from %g to %g; both must lie between 0 and 1.",
                       request->mde_pct, request->baseline_value, rate);
}

/* One function per plan: sets the individual sample size and what the plan explains itself with. */
typedef enum error size_plan(const struct sizing_request *request, struct sizing_plan *plan,
                             struct problem *problem);

static enum error size_binary(const struct sizing_request *request, struct sizing_plan *plan,
                              int64_t *n, struct problem *problem)
{
    enum error error = check_variant_rate(request, plan, problem);

    if (error)
        return error;
    return settle_size(size_two_proportions(request->baseline_value, plan->mde_absolute,
                                            plan->adjusted_alpha, request->power),
                       "sample size per variant", n, problem);
}

static enum error size_mean(const struct sizing_request *request, struct sizing_plan *plan,
                            int64_t *n, struct problem *problem)
{
    enum error error = check_std_dev(request->std_dev.value, "std_dev", problem);

    if (error)
        return error;
    return settle_size(size_two_means(request->std_dev.value, plan->mde_absolute,
                                      plan->adjusted_alpha, request->power),
                       "sample size per variant", n, problem);
}

static enum error size_z_test(const struct sizing_request *request, struct sizing_plan *plan,
                              struct problem *problem)
{
    int64_t *n = &plan->individual_sample_size;

    return request->metric_type == METRIC_BINARY ? size_binary(request, plan, n, problem)
                                                 : size_mean(request, plan, n, problem);
}

static enum error size_fisher_exact(const struct sizing_request *request, struct sizing_plan *plan,
                                    struct problem *problem)
{
    enum error error = size_binary(request, plan, &plan->normal_sample_size, problem);

    if (error)
        return error;
    plan->exact_scan = plan->normal_sample_size <= FISHER_SCAN_LIMIT;
    if (plan->exact_scan)
        return fisher_smallest_size(request->baseline_value,
                                    request->baseline_value + plan->mde_absolute,
                                    plan->adjusted_alpha, request->power, plan->normal_sample_size,
                                    &plan->individual_sample_size, problem);
    return settle_size(
        fisher_corrected_size((double)plan->normal_sample_size, fabs(plan->mde_absolute)),
        "sample size per variant", &plan->individual_sample_size, problem);
}

static enum error size_mann_whitney(const struct sizing_request *request, struct sizing_plan *plan,
                                    struct problem *problem)
{
    enum error error = size_mean(request, plan, &plan->normal_sample_size, problem);
    double normal_size = (double)plan->normal_sample_size;

    if (error)
        return error;
    error =
        settle_size(normal_size / MANN_WHITNEY_WORST_EFFICIENCY,
                    "worst-case sample size per variant", &plan->worst_case_sample_size, problem);
    if (error)
        return error;
    return settle_size(normal_size / MANN_WHITNEY_EFFICIENCY, "sample size per variant",
                       &plan->individual_sample_size, problem);
}

/* Two one-sided tests (Schuirmann 1987) at a true difference of 0. The closed form can be one off
 * where its ceiling meets rounding; the plan's own power settles it. */
static enum error size_tost(const struct sizing_request *request, struct sizing_plan *plan,
                            struct problem *problem)
{
    double margin = request->baseline_value * (request->equivalence_margin_pct.value / 100);
    double quantiles = normal_upper_quantile(plan->adjusted_alpha) +
                       normal_upper_quantile((1 - request->power) / 2);
    double root = fmax(quantiles, 0) * (request->std_dev.value / margin);
    int64_t *n = &plan->individual_sample_size;
    enum error error = check_std_dev(request->std_dev.value, "std_dev", problem);

    if (error)
        return error;
    if (!isfinite(margin))
        return problem_set(problem, ERROR_INVALID, "sample_size_not_finite",
                           "equivalence_margin_pct of baseline_value is too large to be finite.");
    plan->equivalence_margin_absolute = margin;
    error = settle_size(fmax(2 * root * root, 2), "sample size per variant", n, problem);
    if (error)
        return error;
    if (*n > 2 && independent_power(request, plan, (double)(*n - 1)) >= request->power)
        --*n;
    else if (independent_power(request, plan, (double)*n) < request->power)
        ++*n;
    return ERROR_NONE;
}

static enum error check_event_rate(const struct sizing_request *request,
                                   const struct sizing_plan *plan, struct problem *problem)
{
    if (request->baseline_value + plan->alternative > 0)
        return ERROR_NONE;
    return problem_set(problem, ERROR_INVALID, "variant_rate_out_of_range",
                       "mde_pct of %g leaves no events; the rate must stay above 0.",
                       request->mde_pct);
}

/* Conditional test of two Poisson rates with equal exposure: of E events in all, the treatment's
 * share is RR / (1 + RR) (Przyborowski and Wilenski 1940). */
static enum error size_poisson_rate(const struct sizing_request *request, struct sizing_plan *plan,
                                    struct problem *problem)
{
    double lift = fabs(request->mde_pct) / 100; /* RR - 1 */
    double share = (1 + lift) / (2 + lift);
    double excess = lift / (2 * (2 + lift)); /* share - 1/2 without the cancellation */
    double root = normal_upper_quantile(plan->adjusted_alpha / 2) * 0.5 +
                  normal_quantile(request->power) * sqrt(share / (2 + lift));
    double exposure = request->exposure_per_user.given ? request->exposure_per_user.value : 1;
    enum error error = check_event_rate(request, plan, problem);

    if (!error)
        error = settle_size(root * root / (excess * excess), "number of events",
                            &plan->total_events, problem);
    if (error)
        return error;
    plan->treatment_share = share;
    plan->exposure_per_arm = (double)plan->total_events / (request->baseline_value * (2 + lift));
    return settle_size(plan->exposure_per_arm / exposure, "sample size per variant",
                       &plan->individual_sample_size, problem);
}

static size_plan *const size_functions[PLAN__MAX] = {
    [PLAN_Z_TEST] = size_z_test,
    [PLAN_FISHER_EXACT] = size_fisher_exact,
    [PLAN_MANN_WHITNEY] = size_mann_whitney,
    [PLAN_TOST] = size_tost,
    [PLAN_POISSON_RATE] = size_poisson_rate,
};

static enum planned_test resolve_test(const struct sizing_request *request)
{
    if (request->metric_type == METRIC_COUNT)
        return PLAN_POISSON_RATE;
    return request->planned_test < 0 ? PLAN_Z_TEST : (enum planned_test)request->planned_test;
}

/* Kish 1965: users of one cluster resemble each other, so each brings less than one user's worth.
 */
static void find_design_effect(const struct sizing_request *request, struct sizing_plan *plan)
{
    plan->clustered = request->randomization_unit &&
                      strcmp(request->randomization_unit, "cluster") == 0 &&
                      request->avg_cluster_size.given && request->icc.given;
    plan->design_effect =
        plan->clustered ? 1 + (request->avg_cluster_size.value - 1) * request->icc.value : 1;
}

static enum error apply_design_effect(const struct sizing_request *request,
                                      struct sizing_plan *plan, struct problem *problem)
{
    double users = (double)plan->individual_sample_size * plan->design_effect;
    double everybody;
    int64_t total;
    enum error error =
        settle_size(users, "sample size per variant", &plan->sample_size_per_variant, problem);

    if (error)
        return error;
    everybody = (double)plan->sample_size_per_variant * (double)request->variants_count;
    error = settle_size(everybody, "total sample size", &total, problem);
    if (error)
        return error;
    plan->total_sample_size = total;
    if (!plan->clustered)
        return ERROR_NONE;
    return settle_size(users / request->avg_cluster_size.value, "number of clusters",
                       &plan->clusters_per_variant, problem);
}

static void plan_traffic(const struct sizing_request *request, struct sizing_plan *plan)
{
    double holdout = request->holdout_fraction.given ? request->holdout_fraction.value : 0;
    double exclusive = request->mutually_exclusive_experiments.given
                           ? (double)request->mutually_exclusive_experiments.value
                           : 1;

    plan->allocation_given =
        request->holdout_fraction.given || request->mutually_exclusive_experiments.given;
    plan->effective_daily_traffic =
        (double)request->expected_daily_traffic * request->audience_share_in_test;
    plan->allocated_daily_traffic = plan->effective_daily_traffic * ((1 - holdout) / exclusive);
}

/* Share of the traffic of the smallest arm. */
static double slowest_share(const struct number_list *split)
{
    double least = INFINITY, largest = 0, sum = 0;

    for (size_t i = 0; i < split->count; i++) {
        least = fmin(least, split->items[i]);
        largest = fmax(largest, split->items[i]);
        sum += split->items[i];
    }
    if (isfinite(sum))
        return least / sum;
    sum = 0;
    for (size_t i = 0; i < split->count; i++)
        sum += split->items[i] / largest;
    return least / largest / sum;
}

enum error duration_in_days(const struct sizing_request *request, const struct sizing_plan *plan,
                            int64_t n, int64_t *days, struct problem *problem)
{
    double per_day = plan->allocated_daily_traffic * slowest_share(&request->traffic_split);

    if (round_size_up((double)n / per_day, days))
        return ERROR_NONE;
    return problem_set(problem, ERROR_INVALID, "duration_not_finite",
                       "expected_daily_traffic, audience_share_in_test and traffic_split leave too "
                       "little traffic: the duration is too large to be finite (more than 2^53).");
}

/* The size is that of the effect upwards, whatever its direction, except that a rate too close to 1
 * for that is sized downwards. */
static void set_effects(const struct sizing_request *request, struct sizing_plan *plan)
{
    double effect = request->baseline_value * (fabs(request->mde_pct) / 100);
    bool decrease = request->direction == GOAL_DECREASE;
    bool upwards = request->metric_type != METRIC_BINARY || request->baseline_value + effect < 1;

    plan->alternative = decrease ? -effect : effect;
    plan->mde_absolute = upwards ? effect : plan->alternative;
}

enum error sizing_plan_design(const struct sizing_request *request, struct sizing_plan *plan,
                              struct problem *problem)
{
    enum error error;

    *plan = (struct sizing_plan){.planned_test = resolve_test(request)};
    plan->comparisons = request->variants_count > 2 ? request->variants_count - 1 : 1;
    plan->adjusted_alpha = request->alpha / (double)plan->comparisons;
    set_effects(request, plan);
    find_design_effect(request, plan);
    if (request->power <= plan->adjusted_alpha)
        return problem_set(problem, ERROR_INVALID, "power_not_above_alpha",
                           "A power of %g is not above the alpha of one comparison, %g.",
                           request->power, plan->adjusted_alpha);

    error = size_functions[plan->planned_test](request, plan, problem);
    if (!error && !isfinite(plan->mde_absolute))
        error = problem_set(problem, ERROR_INVALID, "sample_size_not_finite",
                            "mde_pct of baseline_value is too large to be finite.");
    if (!error && plan->planned_test != PLAN_POISSON_RATE &&
        plan->individual_sample_size < SIZING_USERS_MIN)
        plan->individual_sample_size = SIZING_USERS_MIN;
    if (!error)
        error = apply_design_effect(request, plan, problem);
    if (error)
        return error;
    plan_traffic(request, plan);
    return duration_in_days(request, plan, plan->sample_size_per_variant,
                            &plan->estimated_duration_days, problem);
}

int64_t sizing_cost(const struct sizing_request *request)
{
    double comparisons = (double)(request->variants_count > 2 ? request->variants_count - 1 : 1);
    double difference = request->baseline_value * (fabs(request->mde_pct) / 100);
    double normal_size;

    if (request->metric_type != METRIC_BINARY || resolve_test(request) != PLAN_FISHER_EXACT ||
        !(request->baseline_value + difference < 1))
        return 1;
    normal_size = ceil(size_two_proportions(request->baseline_value, difference,
                                            request->alpha / comparisons, request->power));
    if (!(normal_size <= FISHER_SCAN_LIMIT))
        return 1;
    return (int64_t)fmax(2, ceil(normal_size * normal_size / 25000));
}
