/*
 * Power of a planned design at any size, and the curve that shows it. Each plan's power is the
 * function that its sample size inverts, so that the planned size reaches the target.
 */
#include "experiments/design/sizing.h"

#include "experiments/design/sizing_kernels.h"
#include "math/normal.h"

#include <math.h>

/* Points of the curve below and above the planned size. An exact Fisher point costs up to a
 * millisecond, any other next to nothing. */
enum { POINTS_BELOW = 10, POINTS_ABOVE = 14, EXACT_POINTS_BELOW = 4, EXACT_POINTS_ABOVE = 4 };

typedef double plan_power(const struct sizing_request *request, const struct sizing_plan *plan,
                          double n);

/* Counts rejections towards the true difference only, as the sizing formula does. */
static double power_two_proportions(const struct sizing_request *request,
                                    const struct sizing_plan *plan, double n)
{
    double rate = request->baseline_value, other = rate + plan->mde_absolute;
    double mean = (rate + other) / 2;
    double under_null = sqrt(2 * mean * (1 - mean));
    double under_alternative = sqrt(rate * (1 - rate) + other * (1 - other));
    double critical = normal_upper_quantile(plan->adjusted_alpha / 2);

    return normal_cdf((fabs(plan->mde_absolute) * sqrt(n) - critical * under_null) /
                      under_alternative);
}

static double power_two_means(const struct sizing_request *request, const struct sizing_plan *plan,
                              double n)
{
    double shift = fabs(plan->mde_absolute) / request->std_dev.value * sqrt(n / 2);

    return normal_cdf(shift - normal_upper_quantile(plan->adjusted_alpha / 2));
}

static double power_z_test(const struct sizing_request *request, const struct sizing_plan *plan,
                           double n)
{
    return request->metric_type == METRIC_BINARY ? power_two_proportions(request, plan, n)
                                                 : power_two_means(request, plan, n);
}

static double power_fisher_exact(const struct sizing_request *request,
                                 const struct sizing_plan *plan, double n)
{
    double whole = floor(n * (1 + 4e-16)); /* n / design effect may fall just short of whole */

    if (!plan->exact_scan)
        return power_two_proportions(request, plan,
                                     fisher_uncorrected_size(n, fabs(plan->mde_absolute)));
    return fisher_exact_power(request->baseline_value, request->baseline_value + plan->mde_absolute,
                              (int64_t)whole, plan->adjusted_alpha);
}

static double power_mann_whitney(const struct sizing_request *request,
                                 const struct sizing_plan *plan, double n)
{
    return power_two_means(request, plan, n * MANN_WHITNEY_EFFICIENCY);
}

/* Both one-sided tests reject when the true difference is 0. */
static double power_tost(const struct sizing_request *request, const struct sizing_plan *plan,
                         double n)
{
    double distance = plan->equivalence_margin_absolute / request->std_dev.value * sqrt(n / 2);

    return fmax(1 - 2 * normal_survival(distance - normal_upper_quantile(plan->adjusted_alpha)), 0);
}

static double power_poisson_rate(const struct sizing_request *request,
                                 const struct sizing_plan *plan, double n)
{
    double lift = fabs(request->mde_pct) / 100;
    double exposure = request->exposure_per_user.given ? request->exposure_per_user.value : 1;
    double events = n * exposure * request->baseline_value * (2 + lift);
    double excess = lift / (2 * (2 + lift));
    double critical = normal_upper_quantile(plan->adjusted_alpha / 2);

    return normal_cdf((sqrt(events) * excess - critical / 2) /
                      sqrt((1 + lift) / (2 + lift) / (2 + lift)));
}

static plan_power *const power_functions[PLAN__MAX] = {
    [PLAN_Z_TEST] = power_z_test,
    [PLAN_FISHER_EXACT] = power_fisher_exact,
    [PLAN_MANN_WHITNEY] = power_mann_whitney,
    [PLAN_TOST] = power_tost,
    [PLAN_POISSON_RATE] = power_poisson_rate,
};

double independent_power(const struct sizing_request *request, const struct sizing_plan *plan,
                         double n)
{
    return power_functions[plan->planned_test](request, plan, n);
}

double sizing_power(const struct sizing_request *request, const struct sizing_plan *plan, double n)
{
    return independent_power(request, plan, fmax(n, 0) / plan->design_effect);
}

/* Adds `size` unless it is not above the last one. */
static size_t add_point(struct power_point *points, size_t count, double size)
{
    int64_t whole = (int64_t)fmax(rint(size), 2);

    if (count > 0 && points[count - 1].sample_size_per_variant >= whole)
        return count;
    points[count].sample_size_per_variant = whole;
    return count + 1;
}

size_t sizing_power_curve(const struct sizing_request *request, const struct sizing_plan *plan,
                          struct power_point *points, size_t capacity)
{
    size_t below = plan->exact_scan ? EXACT_POINTS_BELOW : POINTS_BELOW;
    size_t above = plan->exact_scan ? EXACT_POINTS_ABOVE : POINTS_ABOVE;
    double n = (double)plan->sample_size_per_variant;
    size_t count = 0;

    if (capacity == 0)
        return 0;
    while (below + above + 1 > capacity) {
        if (below >= above)
            below--;
        else
            above--;
    }
    for (size_t i = 0; i < below; i++) {
        double size = n * (0.2 + 0.8 * (double)i / (double)below);

        if (fmax(rint(size), 2) < n)
            count = add_point(points, count, size);
    }
    points[count++].sample_size_per_variant = plan->sample_size_per_variant;
    for (size_t i = 1; i <= above; i++)
        count = add_point(points, count, n * (1 + (double)i / (double)above));
    for (size_t i = 0; i < count; i++)
        points[i].power = sizing_power(request, plan, (double)points[i].sample_size_per_variant);
    return count;
}
