/* Two one-sided t-tests, and one-sided normal tests of harm. */
#include "stats/equivalence.h"

#include "math/normal.h"
#include "math/student.h"
#include "stats/two_sample_internal.h"

#include <math.h>

/* P(|T| <= h): the power at no difference, where h is the distance of the margin beyond the
 * critical value. */
static double central_probability(double h, double df)
{
    return h > 0 ? 1 - 2 * student_survival(h, df) : 0;
}

/* A difference in standard errors. */
static double standardised(const struct mean_comparison *means, double difference)
{
    return finite_value(finite_value(difference) / means->scale / means->standard_error);
}

void equivalence_test(const struct continuous_observation *observed, struct test_result *result)
{
    struct mean_estimate control, treatment;
    struct mean_comparison means;
    double margin = observed->equivalence_margin.value, critical;
    double above_lower, below_upper, p_lower, p_upper;

    *result = degenerate_result(observed->alpha);
    result->ci_level = 1 - 2 * observed->alpha;
    if (!continuous_estimates(observed, &control, &treatment))
        return;
    result->degenerate = false;
    means = compare_means(&control, &treatment);
    critical = student_upper_quantile(observed->alpha, means.df);
    set_effect(control.mean, treatment.mean, means.difference, result);
    set_mean_interval(&means, critical, result);
    above_lower = standardised(&means, means.difference + margin);
    below_upper = standardised(&means, means.difference - margin);
    p_lower = student_survival(above_lower, means.df);
    p_upper = student_cdf(below_upper, means.df);
    result->p_value = fmax(p_lower, p_upper);
    result->statistic = p_lower >= p_upper ? above_lower : below_upper;
    result->degrees_of_freedom = means.df;
    result->is_significant = result->p_value < observed->alpha;
    result->power = central_probability(standardised(&means, margin) - critical, means.df);
    set_effect_as_test_interval(result);
    set_relative_means(&control, &treatment, critical, result);
    result->effect_size_kind = EFFECT_SIZE_COHENS_D;
    result->effect_size = cohens_d(means.difference, &control, &treatment);
}

void harm_test(double harm, double variance, double margin, double alpha,
               struct harm_result *result)
{
    double error = sqrt(variance), half = normal_upper_quantile(alpha) * error;

    *result = (struct harm_result){0};
    if (!(variance > 0 && isfinite(variance)))
        return;
    result->evaluable = true;
    result->harm_lower_bound = harm - half;
    result->harm_upper_bound = harm + half;
    result->p_value = normal_survival((harm - margin) / error);
    result->p_non_inferior = normal_cdf((harm - margin) / error);
    result->is_breached = result->harm_lower_bound > margin;
    result->is_warning = !result->is_breached && harm > margin;
    result->is_non_inferior = margin > 0 && result->harm_upper_bound < margin;
}
