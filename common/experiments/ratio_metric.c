/* The delta method on residuals: s_yy - 2 R s_xy + R^2 s_xx is the variance of y - R x, which does
 * not cancel when taken from the residuals themselves. Every list is scaled by a power of two of
 * its own, so that squares stay in range. */
#include "experiments/ratio_metric.h"

#include "experiments/sample.h"
#include "experiments/two_sample_internal.h"
#include "math/normal.h"
#include "math/sum.h"

#include <float.h>
#include <math.h>

/* The ratio of an arm and its standard error. */
struct ratio_estimate {
    bool defined;
    double ratio;
    double standard_error;
};

static double unit_of(const struct number_list *values)
{
    double largest = 0;

    for (size_t i = 0; i < values->count; i++) {
        double magnitude = fabs(values->items[i]);

        largest = magnitude > largest ? magnitude : largest;
    }
    return sample_unit_near(largest);
}

/* The total of the values over `unit`; 0 when it is no more than the rounding of the values. */
static double scaled_total(const struct number_list *values, double unit)
{
    struct sum total = {0};
    double magnitudes = 0;

    for (size_t i = 0; i < values->count; i++) {
        double value = values->items[i] / unit;

        sum_add(&total, value);
        magnitudes += fabs(value);
    }
    return fabs(sum_value(&total)) > DBL_EPSILON / 2 * magnitudes ? sum_value(&total) : 0;
}

/* An arm in its units: its totals and their ratio. */
struct scaled_arm {
    const struct ratio_arm *values;
    double x_unit, y_unit;
    double x_total, y_total;
    double ratio;
};

/* The sum of squares of y - ratio x about their mean, which is 0 but for rounding; 0 when every
 * user's is. Deviations from the means keep the digits of values far from 0. */
static double residual_squares(const struct scaled_arm *arm)
{
    const double *numerators = arm->values->numerators.items;
    const double *denominators = arm->values->denominators.items;
    double n = (double)arm->values->numerators.count;
    double x_mean = arm->x_total / n, y_mean = arm->y_total / n;
    struct sum squares = {0}, drift = {0};
    bool varies = false;

    for (size_t i = 0; i < arm->values->numerators.count; i++) {
        double x = denominators[i] / arm->x_unit, y = numerators[i] / arm->y_unit;
        double residual = (y - y_mean) - arm->ratio * (x - x_mean);

        varies |= fabs(residual) > 4 * DBL_EPSILON * (fabs(y) + fabs(arm->ratio * x));
        sum_add(&drift, residual);
        sum_add_product(&squares, residual, residual);
    }
    if (!varies)
        return 0;
    return fmax(sum_value(&squares) - sum_value(&drift) * sum_value(&drift) / n, 0);
}

static struct ratio_estimate estimate_ratio(const struct ratio_arm *values)
{
    struct scaled_arm arm = {.values = values,
                             .x_unit = unit_of(&values->denominators),
                             .y_unit = unit_of(&values->numerators)};
    int exponent = ilogb(arm.y_unit) - ilogb(arm.x_unit);
    double n = (double)values->numerators.count;

    arm.x_total = scaled_total(&values->denominators, arm.x_unit);
    if (arm.x_total == 0)
        return (struct ratio_estimate){0};
    arm.y_total = scaled_total(&values->numerators, arm.y_unit);
    arm.ratio = arm.y_total / arm.x_total;
    return (struct ratio_estimate){
        .defined = true,
        .ratio = finite_value(ldexp(arm.ratio, exponent)),
        .standard_error = finite_value(
            ldexp(sqrt(n / (n - 1) * residual_squares(&arm)) / fabs(arm.x_total), exponent)),
    };
}

void ratio_metric_test(const struct ratio_observation *observed, struct test_result *result)
{
    struct ratio_estimate control = estimate_ratio(observed->control_arm);
    struct ratio_estimate treatment = estimate_ratio(observed->treatment_arm);
    struct mean_estimate before = {.mean = control.ratio, .spread = control.standard_error};
    struct mean_estimate after = {.mean = treatment.ratio, .spread = treatment.standard_error};
    double critical = normal_upper_quantile(observed->alpha / 2);
    struct mean_comparison ratios;

    *result = degenerate_result(observed->alpha);
    if (!control.defined || !treatment.defined || (before.spread == 0 && after.spread == 0))
        return;
    before.weight = after.weight = 1;
    before.df = after.df = 1;
    ratios = compare_means(&before, &after);
    result->degenerate = false;
    set_effect(control.ratio, treatment.ratio, ratios.difference, result);
    set_mean_interval(&ratios, critical, result);
    result->statistic = finite_value(ratios.difference / ratios.scale / ratios.standard_error);
    result->p_value = probability_value(2 * normal_survival(fabs(result->statistic)));
    result->is_significant = result->p_value < observed->alpha;
    result->power = two_sample_normal_power(result->statistic, critical);
}
