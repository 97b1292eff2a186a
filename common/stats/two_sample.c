/*
 * Two-sample tests from summaries, written to avoid cancellation and overflow: differences of rates
 * are exact, variances are used only as ratios.
 */
#include "stats/ratio_score.h"
#include "stats/relative_lift.h"
#include "stats/two_sample_internal.h"

#include "math/normal.h"
#include "math/student.h"

#include <float.h>
#include <math.h>

/* Two values, each rounded by half a unit in the last place, and two subtractions. */
#define SETTLED_EPSILONS (4 * DBL_EPSILON)

double finite_value(double value)
{
    if (value > DBL_MAX)
        return DBL_MAX;
    return value < -DBL_MAX ? -DBL_MAX : value;
}

double probability_value(double probability)
{
    return probability > 1 ? 1 : probability;
}

double two_sample_normal_power(double statistic, double critical)
{
    double distance = fabs(statistic);

    return probability_value(normal_survival(critical - distance) +
                             normal_survival(critical + distance));
}

static double largest_of(const struct number_list *values)
{
    double largest = 0;

    for (size_t i = 0; i < values->count; i++)
        largest = fmax(largest, fabs(values->items[i]));
    return largest;
}

static void settle_end(double noise, double *end)
{
    if (fabs(*end) <= noise)
        *end = 0;
}

void two_sample_settle(const struct number_list *control, const struct number_list *treatment,
                       struct test_result *result)
{
    double noise = SETTLED_EPSILONS * fmax(largest_of(control), largest_of(treatment));

    if (fabs(result->effect) <= noise) {
        result->effect = 0;
        result->effect_relative_pct = 0;
    }
    settle_end(noise, &result->ci_lower);
    settle_end(noise, &result->ci_upper);
    settle_end(noise, &result->test_interval.lower.value);
    settle_end(noise, &result->test_interval.upper.value);
}

struct test_result degenerate_result(double alpha)
{
    return (struct test_result){
        .degenerate = true,
        .ci_level = 1 - alpha,
        .p_value = 1,
        .alpha = alpha,
    };
}

/* x2 n1 - x1 n2 is exact in 128 bits, so close rates of large arms keep their difference. */
struct proportions make_proportions(const struct binary_observation *observed)
{
    double n1 = (double)observed->control_users, n2 = (double)observed->treatment_users;
    __int128 cross = (__int128)observed->treatment_conversions * observed->control_users -
                     (__int128)observed->control_conversions * observed->treatment_users;

    /* the quotient of two integers, rounded once if a double holds them */
    __int128 base = (__int128)observed->control_conversions * observed->treatment_users;

    return (struct proportions){
        .relative_pct = base > 0 ? (double)(100 * cross) / (double)base : 0,
        .control = (double)observed->control_conversions / n1,
        .treatment = (double)observed->treatment_conversions / n2,
        .control_rest = (double)(observed->control_users - observed->control_conversions) / n1,
        .treatment_rest =
            (double)(observed->treatment_users - observed->treatment_conversions) / n2,
        .difference = (double)cross / n1 / n2,
    };
}

double relative_percent(double difference, double control)
{
    double hundredfold = 100 * difference, base = fabs(control);

    return isfinite(hundredfold) ? hundredfold / base : 100 * (difference / base);
}

static double pooled_standard_error(const struct binary_observation *observed)
{
    double n1 = (double)observed->control_users, n2 = (double)observed->treatment_users;
    double successes =
        (double)observed->control_conversions + (double)observed->treatment_conversions;
    double failures = (double)(observed->control_users - observed->control_conversions) +
                      (double)(observed->treatment_users - observed->treatment_conversions);

    return sqrt(successes / (n1 + n2) * (failures / (n1 + n2)) * (1 / n1 + 1 / n2));
}

/* The distances of the Wilson limits below and above the rate. The nearer one is computed from
 * their product, s p q / (1 + s) with s = z^2/n, so that it keeps its precision for rates near 0
 * and 1. */
static void wilson_distances(double rate, double rest, double n, double z, double *below,
                             double *above)
{
    double spread = z * z / n, lean = spread * fabs(rest - rate) / 2;
    double half = sqrt(spread * rate * rest + spread * spread / 4);
    double outer = (half + lean) / (1 + spread), inner = spread * rate * rest / (half + lean);

    *below = rate < rest ? inner : outer;
    *above = rate < rest ? outer : inner;
}

void newcombe_interval(const struct binary_observation *observed, const struct proportions *rates,
                       double z, double *lower, double *upper)
{
    double below1, above1, below2, above2;

    wilson_distances(rates->control, rates->control_rest, (double)observed->control_users, z,
                     &below1, &above1);
    wilson_distances(rates->treatment, rates->treatment_rest, (double)observed->treatment_users, z,
                     &below2, &above2);
    *lower = 100 * (rates->difference - hypot(below2, above1));
    *upper = 100 * (rates->difference + hypot(above2, below1));
}

double unpooled_standard_error(const struct binary_observation *observed,
                               const struct proportions *rates)
{
    return sqrt(rates->control * rates->control_rest / (double)observed->control_users +
                rates->treatment * rates->treatment_rest / (double)observed->treatment_users);
}

void two_sample_binary(const struct binary_observation *observed, struct test_result *result)
{
    double critical = normal_upper_quantile(observed->alpha / 2);
    struct proportions rates;
    double standard_error, half, score_lower, score_upper;

    *result = degenerate_result(observed->alpha);
    if (observed->control_users < 1 || observed->treatment_users < 1)
        return;
    rates = make_proportions(observed);
    result->control_rate_pct = GIVEN_NUMBER(100 * rates.control);
    result->treatment_rate_pct = GIVEN_NUMBER(100 * rates.treatment);
    newcombe_interval(observed, &rates, critical, &score_lower, &score_upper);
    result->ci_score_lower = GIVEN_NUMBER(score_lower);
    result->ci_score_upper = GIVEN_NUMBER(score_upper);
    result->control_is_zero = observed->control_conversions == 0;
    standard_error = pooled_standard_error(observed);
    if (standard_error == 0)
        return;
    half = critical * unpooled_standard_error(observed, &rates);
    result->degenerate = false;
    result->effect = 100 * rates.difference;
    result->ci_lower = 100 * (rates.difference - half);
    result->ci_upper = 100 * (rates.difference + half);
    result->statistic = rates.difference / standard_error;
    result->p_value = probability_value(2 * normal_survival(fabs(result->statistic)));
    result->is_significant = result->p_value < observed->alpha;
    result->power = two_sample_normal_power(result->statistic, critical);
    set_relative_rates(observed, &rates, result);
}

/* Satterthwaite 1946, from the share of each arm in the standard error of the difference. */
static double welch_degrees_of_freedom(double control_share, double control_df,
                                       double treatment_share, double treatment_df)
{
    double control = control_share * control_share;
    double treatment = treatment_share * treatment_share;

    return 1 / (control * control / control_df + treatment * treatment / treatment_df);
}

double mean_difference(const struct mean_estimate *control, const struct mean_estimate *treatment)
{
    return finite_value(treatment->mean - control->mean + (treatment->rest - control->rest));
}

struct mean_comparison compare_means(const struct mean_estimate *control,
                                     const struct mean_estimate *treatment)
{
    double scale = fmax(control->spread, treatment->spread);
    double control_error = control->spread / scale / sqrt(control->weight);
    double treatment_error = treatment->spread / scale / sqrt(treatment->weight);
    double standard_error = hypot(control_error, treatment_error);

    return (struct mean_comparison){
        .difference = mean_difference(control, treatment),
        .scale = scale,
        .standard_error = standard_error,
        .df = welch_degrees_of_freedom(control_error / standard_error, control->df,
                                       treatment_error / standard_error, treatment->df),
    };
}

void set_effect(double control, double treatment, double difference, struct test_result *result)
{
    result->control_value = control;
    result->treatment_value = treatment;
    result->effect = finite_value(difference);
    result->control_is_zero = control == 0;
    if (control != 0)
        result->effect_relative_pct = relative_percent(result->effect, control);
}

void set_mean_interval(const struct mean_comparison *means, double critical,
                       struct test_result *result)
{
    double half = critical * means->standard_error;

    result->ci_lower = finite_value(means->difference - half * means->scale);
    result->ci_upper = finite_value(means->difference + half * means->scale);
}

void set_effect_as_test_interval(struct test_result *result)
{
    result->test_interval = (struct test_interval){
        TEST_INTERVAL_EFFECT, GIVEN_NUMBER(result->ci_lower), GIVEN_NUMBER(result->ci_upper)};
}

void set_relative_means(const struct mean_estimate *control, const struct mean_estimate *treatment,
                        double critical, struct test_result *result)
{
    double base = fabs(control->mean);
    const struct relative_means means = {
        .lift = result->effect_relative_pct / 100,
        .negative = control->mean < 0,
        .control_error = control->spread / base / sqrt(control->weight),
        .treatment_error = treatment->spread / base / sqrt(treatment->weight),
        .critical = critical};

    result->relative_lift =
        base > 0 ? relative_lift(&means) : (struct relative_lift){.interval = RELATIVE_OF_ZERO};
}

void set_relative_rates(const struct binary_observation *observed, const struct proportions *rates,
                        struct test_result *result)
{
    result->control_is_zero = observed->control_conversions == 0;
    result->effect_relative_pct = rates->relative_pct;
    result->relative_lift = ratio_score_lift(observed);
}

static double standardised_difference(const struct mean_comparison *means)
{
    return finite_value(means->difference / means->scale / means->standard_error);
}

double welch_statistic(const struct mean_estimate *control, const struct mean_estimate *treatment)
{
    struct mean_comparison means;

    if (control->spread == 0 && treatment->spread == 0)
        return 0;
    means = compare_means(control, treatment);
    return standardised_difference(&means);
}

void mean_comparison_test(const struct mean_comparison *means, double control, double treatment,
                          double alpha, struct test_result *result)
{
    double critical = student_upper_quantile(alpha / 2, means->df), distance;

    *result = degenerate_result(alpha);
    result->degenerate = false;
    set_effect(control, treatment, means->difference, result);
    set_mean_interval(means, critical, result);
    result->statistic = standardised_difference(means);
    result->degrees_of_freedom = means->df;
    distance = fabs(result->statistic);
    result->p_value = probability_value(2 * student_survival(distance, means->df));
    result->is_significant = result->p_value < alpha;
    result->power = probability_value(student_survival(critical - distance, means->df) +
                                      student_survival(critical + distance, means->df));
    set_effect_as_test_interval(result);
}

void welch_test(const struct mean_estimate *control, const struct mean_estimate *treatment,
                double alpha, struct test_result *result)
{
    struct mean_comparison means = compare_means(control, treatment);

    mean_comparison_test(&means, control->mean, treatment->mean, alpha, result);
    set_relative_means(control, treatment, student_upper_quantile(alpha / 2, means.df), result);
}

bool continuous_estimates(const struct continuous_observation *observed,
                          struct mean_estimate *control, struct mean_estimate *treatment)
{
    if (observed->control_n < 2 || observed->treatment_n < 2 ||
        (observed->control_std == 0 && observed->treatment_std == 0))
        return false;
    *control = (struct mean_estimate){.mean = observed->control_mean,
                                      .spread = observed->control_std,
                                      .weight = (double)observed->control_n,
                                      .df = (double)(observed->control_n - 1)};
    *treatment = (struct mean_estimate){.mean = observed->treatment_mean,
                                        .spread = observed->treatment_std,
                                        .weight = (double)observed->treatment_n,
                                        .df = (double)(observed->treatment_n - 1)};
    return true;
}

void two_sample_continuous(const struct continuous_observation *observed,
                           struct test_result *result)
{
    struct mean_estimate control, treatment;

    if (continuous_estimates(observed, &control, &treatment))
        welch_test(&control, &treatment, observed->alpha, result);
    else
        *result = degenerate_result(observed->alpha);
}

/* In units of the larger deviation, so that squares stay in the range of doubles. */
struct optional_number cohens_d(double difference, const struct mean_estimate *control,
                                const struct mean_estimate *treatment)
{
    double scale = fmax(control->spread, treatment->spread);
    double control_share, treatment_share;

    if (scale == 0)
        return (struct optional_number){0};
    control_share = control->spread / scale;
    treatment_share = treatment->spread / scale;
    return GIVEN_NUMBER(finite_value(difference / scale /
                                     sqrt((control->df * control_share * control_share +
                                           treatment->df * treatment_share * treatment_share) /
                                          (control->df + treatment->df))));
}
