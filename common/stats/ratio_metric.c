/* The delta method on residuals: s_yy - 2 R s_xy + R^2 s_xx is the variance of y - R x, which does
 * not cancel when taken from the residuals themselves. Lists with values far from 1 are each scaled
 * by a power of two, so that squares stay in range. */
#include "stats/ratio_metric.h"

#include "math/normal.h"
#include "math/sum.h"
#include "stats/sample.h"
#include "stats/two_sample_internal.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#define SAFE_MAGNITUDE 0x1p300 /* values up to here, and down to its inverse, can be squared */

/* The ratio of an arm and its standard error. */
struct ratio_estimate {
    bool defined;
    double ratio;
    double standard_error;
};

/* A list in a unit that keeps its squares in range. */
struct scaled_list {
    const double *items;
    double unit;
    double magnitudes; /* sum of the magnitudes */
    double total;      /* 0 when it is within the rounding of the values */
};

static double largest_magnitude(const struct number_list *values)
{
    double largest = 0;

    for (size_t i = 0; i < values->count; i++)
        largest = fmax(largest, fabs(values->items[i]));
    return largest;
}

static const double *scaled_copy(const struct number_list *values, double unit, struct arena *arena)
{
    double *scaled = ARENA_ARRAY(arena, double, values->count);

    for (size_t i = 0; i < values->count; i++)
        scaled[i] = values->items[i] / unit;
    return scaled;
}

static struct scaled_list scale_list(const struct number_list *values, struct arena *arena)
{
    struct scaled_list list = {.items = values->items, .unit = 1};

    list.magnitudes = sum_magnitudes(values->items, values->count);
    if (!(list.magnitudes > 1 / SAFE_MAGNITUDE && list.magnitudes < SAFE_MAGNITUDE)) {
        list.unit = sample_unit_near(largest_magnitude(values));
        list.items = scaled_copy(values, list.unit, arena);
        list.magnitudes = sum_magnitudes(list.items, values->count);
    }
    list.total = sum_array(list.items, values->count);
    if (fabs(list.total) <= DBL_EPSILON / 2 * list.magnitudes)
        list.total = 0;
    return list;
}

/* Whether any user's y differs from ratio x by more than rounding. */
static bool ratio_varies(const struct scaled_list *x, const struct scaled_list *y, size_t count,
                         const struct line *line)
{
    for (size_t i = 0; i < count; i++) {
        double residual = (y->items[i] - line->y) - line->slope * (x->items[i] - line->x);
        double size = fabs(y->items[i]) + fabs(line->slope * x->items[i]);

        if (fabs(residual) > 4 * DBL_EPSILON * size)
            return true;
    }
    return false;
}

static struct ratio_estimate estimate_ratio(const struct ratio_arm *arm, struct arena *arena)
{
    size_t count = arm->numerators.count;
    struct scaled_list x = scale_list(&arm->denominators, arena);
    struct scaled_list y = scale_list(&arm->numerators, arena);
    int exponent = ilogb(y.unit) - ilogb(x.unit);
    double n = (double)count, squares, rounding;
    struct line line = {.x = x.total / n, .y = y.total / n, .slope = y.total / x.total};

    if (x.total == 0)
        return (struct ratio_estimate){0};
    squares = sum_squares_about_line(x.items, y.items, count, &line);
    rounding = 4 * DBL_EPSILON * (y.magnitudes + fabs(line.slope) * x.magnitudes);
    if (squares <= n * rounding * rounding && !ratio_varies(&x, &y, count, &line))
        squares = 0;
    return (struct ratio_estimate){
        .defined = true,
        .ratio = finite_value(ldexp(line.slope, exponent)),
        .standard_error =
            finite_value(ldexp(sqrt(n / (n - 1) * squares) / fabs(x.total), exponent)),
    };
}

static void compare_ratios(const struct ratio_estimate *control,
                           const struct ratio_estimate *treatment, double alpha,
                           struct test_result *result)
{
    struct mean_estimate before = {.mean = control->ratio, .spread = control->standard_error};
    struct mean_estimate after = {.mean = treatment->ratio, .spread = treatment->standard_error};
    double critical = normal_upper_quantile(alpha / 2);
    struct mean_comparison ratios;

    *result = degenerate_result(alpha);
    if (!control->defined || !treatment->defined || (before.spread == 0 && after.spread == 0))
        return;
    before.weight = after.weight = 1;
    before.df = after.df = 1;
    ratios = compare_means(&before, &after);
    result->degenerate = false;
    set_effect(control->ratio, treatment->ratio, ratios.difference, result);
    set_mean_interval(&ratios, critical, result);
    result->statistic = finite_value(ratios.difference / ratios.scale / ratios.standard_error);
    result->p_value = probability_value(2 * normal_survival(fabs(result->statistic)));
    result->is_significant = result->p_value < alpha;
    result->power = two_sample_normal_power(result->statistic, critical);
    set_effect_as_test_interval(result);
    set_relative_means(&before, &after, critical, result);
}

void ratio_metric_test(const struct ratio_observation *observed, struct arena *arena,
                       struct test_result *result)
{
    struct ratio_estimate control = estimate_ratio(observed->control_arm, arena);
    struct ratio_estimate treatment = estimate_ratio(observed->treatment_arm, arena);

    compare_ratios(&control, &treatment, observed->alpha, result);
}

bool ratio_moments_estimate(const struct ratio_moments *arm, double *ratio, double *variance)
{
    double n = (double)arm->n, rest;

    *ratio = *variance = 0;
    if (arm->n < 2 || arm->denominator_mean == 0)
        return false;
    *ratio = arm->numerator_mean / arm->denominator_mean;
    rest = arm->numerator_squares - 2 * *ratio * arm->products +
           *ratio * *ratio * arm->denominator_squares;
    /* A value within the rounding of its terms is 0. */
    if (rest <=
        16 * DBL_EPSILON * (arm->numerator_squares + *ratio * *ratio * arm->denominator_squares))
        rest = 0;
    *variance = rest / (n - 1) / n / (arm->denominator_mean * arm->denominator_mean);
    return isfinite(*ratio) && isfinite(*variance);
}

void ratio_moments_test(const struct ratio_moments *control, const struct ratio_moments *treatment,
                        double alpha, struct test_result *result)
{
    struct ratio_estimate before = {0}, after = {0};

    before.defined = ratio_moments_estimate(control, &before.ratio, &before.standard_error);
    after.defined = ratio_moments_estimate(treatment, &after.ratio, &after.standard_error);
    before.standard_error = sqrt(before.standard_error);
    after.standard_error = sqrt(after.standard_error);
    compare_ratios(&before, &after, alpha, result);
}
