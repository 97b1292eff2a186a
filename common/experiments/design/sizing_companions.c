/*
 * Further sizes of a plan: the CUPED scenario, the Bayesian precision size, and the
 * smallest change that a guardrail metric can show at the planned size. None of them changes the
 * plan.
 */
#include "experiments/design/sizing.h"

#include "experiments/design/sizing_kernels.h"
#include "math/normal.h"
#include "math/root.h"

#include <math.h>

static enum error settle_companion(double individual, const struct sizing_plan *plan,
                                   const char *what, int64_t *n, struct problem *problem)
{
    enum error error = settle_size(individual, what, n, problem);

    return error ? error : settle_size((double)*n * plan->design_effect, what, n, problem);
}

enum error sizing_plan_cuped(const struct sizing_request *request, const struct sizing_plan *plan,
                             struct cuped_plan *cuped, struct problem *problem)
{
    double std_dev = request->std_dev.value, rho = request->cuped_correlation.value;
    double before = request->cuped_pre_experiment_std.value;
    double reduced = std_dev * sqrt((1 - rho) * (1 + rho));
    int64_t days;
    enum error error;

    *cuped = (struct cuped_plan){0};
    if (request->metric_type != METRIC_CONTINUOUS || plan->planned_test != PLAN_Z_TEST ||
        !request->cuped_pre_experiment_std.given || !request->cuped_correlation.given)
        return ERROR_NONE;
    error = check_std_dev(before, "cuped_pre_experiment_std", problem);
    if (!error)
        error = check_std_dev(reduced, "std_dev after CUPED", problem);
    if (!error)
        error = settle_companion(
            size_two_means(reduced, plan->mde_absolute, plan->adjusted_alpha, request->power), plan,
            "CUPED sample size per variant", &cuped->sample_size_per_variant, problem);
    if (!error)
        error = duration_in_days(request, plan, cuped->sample_size_per_variant, &days, problem);
    if (error)
        return error;
    cuped->std_dev = reduced;
    cuped->variance_reduction_pct = 100 * rho * rho;
    cuped->duration_days = (double)days;
    cuped->theta = rho * (std_dev / before);
    if (!isfinite(cuped->theta))
        return problem_set(problem, ERROR_INVALID, "std_dev_not_positive",
                           "cuped_pre_experiment_std is too small beside std_dev.");
    cuped->given = true;
    return ERROR_NONE;
}

enum error sizing_plan_sequential(const struct sizing_request *request,
                                  const struct sizing_plan *plan, double inflation_factor,
                                  struct sequential_size *size, struct problem *problem)
{
    enum error error =
        settle_size((double)plan->sample_size_per_variant * inflation_factor,
                    "sequential sample size per variant", &size->sample_size_per_variant, problem);

    return error ? error
                 : duration_in_days(request, plan, size->sample_size_per_variant,
                                    &size->duration_days, problem);
}

enum error sizing_plan_precision(const struct sizing_request *request,
                                 const struct sizing_plan *plan, struct precision_plan *precision,
                                 struct problem *problem)
{
    double rate = request->baseline_value, width = request->desired_precision.value;
    double quantile = normal_upper_quantile((1 - request->credibility) / 2);
    double variance, ratio;
    enum error error;

    *precision = (struct precision_plan){0};
    if (request->analysis_mode != ANALYSIS_BAYESIAN || !request->desired_precision.given ||
        request->metric_type == METRIC_COUNT)
        return ERROR_NONE;
    if (request->metric_type == METRIC_BINARY) {
        variance = rate * (1 - rate);
        ratio = quantile / (width / 100);
    } else {
        variance = 1;
        ratio = quantile * (request->std_dev.value / width);
    }
    error = settle_companion(2 * variance * ratio * ratio, plan,
                             "sample size per variant for desired_precision",
                             &precision->sample_size_per_variant, problem);
    precision->given = error == ERROR_NONE;
    return error;
}

struct guardrail {
    double rate, alpha, power, n;
    double direction; /* +1 or -1 */
};

static double lacking_users(double change, const void *context)
{
    const struct guardrail *guardrail = context;

    return size_two_proportions(guardrail->rate, guardrail->direction * change, guardrail->alpha,
                                guardrail->power) -
           guardrail->n;
}

struct optional_number sizing_detectable_rate_change(double rate, bool downward, double alpha,
                                                     double power, double n)
{
    struct guardrail guardrail = {rate, alpha, power, n, downward ? -1 : 1};
    double largest = (downward ? rate : 1 - rate) - 1e-9; /* the other rate stays inside (0, 1) */
    double least = largest / 2;

    if (!(largest > 0) || lacking_users(largest, &guardrail) > 0)
        return (struct optional_number){0};
    while (lacking_users(least, &guardrail) <= 0 && least > 1e-300)
        least /= 2;
    return GIVEN_NUMBER(root_find(lacking_users, &guardrail, least, largest, 0));
}

double sizing_detectable_mean_change(double std_dev, double alpha, double power, double n)
{
    return (normal_upper_quantile(alpha / 2) + normal_quantile(power)) * std_dev * sqrt(2 / n);
}
