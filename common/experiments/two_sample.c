/*
 * Two-sample tests from summaries. Written so that nothing cancels or overflows between the summary
 * and the result: differences of rates are taken exactly, variances only as ratios.
 */
#include "experiments/two_sample.h"

#include "math/normal.h"
#include "math/student.h"

#include <float.h>
#include <math.h>

/* Infinity cannot be told to a client; the largest number can. */
static double bounded(double value)
{
    if (value > DBL_MAX)
        return DBL_MAX;
    return value < -DBL_MAX ? -DBL_MAX : value;
}

/* Rounding may carry a sum of two tails past 1. */
static double unit(double probability)
{
    return probability > 1 ? 1 : probability;
}

double two_sample_normal_power(double statistic, double critical)
{
    double distance = fabs(statistic);

    return unit(normal_survival(critical - distance) + normal_survival(critical + distance));
}

/* The limits are the roots of (1 + z^2/n) x^2 - (2p + z^2/n) x + p^2 = 0; the smaller one comes
 * from their product, p^2 / (1 + z^2/n), where centre minus half-width would cancel. */
void wilson_interval(int64_t successes, int64_t trials, double z, double *lower, double *upper)
{
    double n = (double)trials, rate = (double)successes / n;
    double rest = (double)(trials - successes) / n;
    double spread = z * z / n, denominator = 1 + spread;
    double half = z * sqrt(rate * rest / n + spread / (4 * n));

    *upper = successes == trials ? 1 : fmin((rate + spread / 2 + half) / denominator, 1);
    *lower = successes == 0 ? 0 : rate * rate / (denominator * *upper);
}

static struct test_result degenerate_result(double alpha)
{
    return (struct test_result){
        .degenerate = true,
        .ci_level = 1 - alpha,
        .p_value = 1,
        .alpha = alpha,
    };
}

struct proportions {
    double control, treatment;           /* rates */
    double control_rest, treatment_rest; /* 1 - rate */
    double difference;
};

/* x2 n1 - x1 n2 is exact in 128 bits, so close rates of huge arms keep their difference. */
static struct proportions make_proportions(const struct binary_observation *observed)
{
    double n1 = (double)observed->control_users, n2 = (double)observed->treatment_users;
    __int128 cross = (__int128)observed->treatment_conversions * observed->control_users -
                     (__int128)observed->control_conversions * observed->treatment_users;

    return (struct proportions){
        .control = (double)observed->control_conversions / n1,
        .treatment = (double)observed->treatment_conversions / n2,
        .control_rest = (double)(observed->control_users - observed->control_conversions) / n1,
        .treatment_rest =
            (double)(observed->treatment_users - observed->treatment_conversions) / n2,
        .difference = (double)cross / n1 / n2,
    };
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

/* How far the Wilson limits lie below and above the rate. The nearer one is taken from the product
 * of the two, s p q / (1 + s) with s = z^2/n, so that it keeps its digits for rates near 0 and 1.
 */
static void wilson_distances(double rate, double rest, double n, double z, double *below,
                             double *above)
{
    double spread = z * z / n, lean = spread * fabs(rest - rate) / 2;
    double half = sqrt(spread * rate * rest + spread * spread / 4);
    double outer = (half + lean) / (1 + spread), inner = spread * rate * rest / (half + lean);

    *below = rate < rest ? inner : outer;
    *above = rate < rest ? outer : inner;
}

/* Newcombe 1998, method 10: the distances of the Wilson limits from the two rates, squared and
 * added. In percentage points. */
static void set_score_interval(const struct binary_observation *observed,
                               const struct proportions *rates, double z,
                               struct test_result *result)
{
    double below1, above1, below2, above2;

    wilson_distances(rates->control, rates->control_rest, (double)observed->control_users, z,
                     &below1, &above1);
    wilson_distances(rates->treatment, rates->treatment_rest, (double)observed->treatment_users, z,
                     &below2, &above2);
    result->ci_score_lower = GIVEN_NUMBER(100 * (rates->difference - hypot(below2, above1)));
    result->ci_score_upper = GIVEN_NUMBER(100 * (rates->difference + hypot(above2, below1)));
}

void two_sample_binary(const struct binary_observation *observed, struct test_result *result)
{
    double critical = normal_upper_quantile(observed->alpha / 2);
    double n1 = (double)observed->control_users, n2 = (double)observed->treatment_users;
    struct proportions rates;
    double standard_error, half;

    *result = degenerate_result(observed->alpha);
    if (observed->control_users < 1 || observed->treatment_users < 1)
        return;
    rates = make_proportions(observed);
    result->control_rate_pct = GIVEN_NUMBER(100 * rates.control);
    result->treatment_rate_pct = GIVEN_NUMBER(100 * rates.treatment);
    set_score_interval(observed, &rates, critical, result);
    standard_error = pooled_standard_error(observed);
    if (standard_error == 0)
        return;
    half = critical * sqrt(rates.control * rates.control_rest / n1 +
                           rates.treatment * rates.treatment_rest / n2);
    result->degenerate = false;
    result->effect = 100 * rates.difference;
    if (rates.control > 0)
        result->effect_relative_pct = 100 * (rates.difference / rates.control);
    result->ci_lower = 100 * (rates.difference - half);
    result->ci_upper = 100 * (rates.difference + half);
    result->statistic = rates.difference / standard_error;
    result->p_value = unit(2 * normal_survival(fabs(result->statistic)));
    result->is_significant = result->p_value < observed->alpha;
    result->power = two_sample_normal_power(result->statistic, critical);
}

/* Satterthwaite 1946, from the share of each arm in the standard error of the difference. */
static double welch_degrees_of_freedom(double control_share, int64_t control_n,
                                       double treatment_share, int64_t treatment_n)
{
    double control = control_share * control_share;
    double treatment = treatment_share * treatment_share;

    return 1 / (control * control / (double)(control_n - 1) +
                treatment * treatment / (double)(treatment_n - 1));
}

void two_sample_continuous(const struct continuous_observation *observed,
                           struct test_result *result)
{
    double scale = fmax(observed->control_std, observed->treatment_std);
    double difference = bounded(observed->treatment_mean - observed->control_mean);
    double control_error, treatment_error, standard_error, df, critical, distance;

    *result = degenerate_result(observed->alpha);
    if (observed->control_n < 2 || observed->treatment_n < 2 || scale == 0)
        return;
    /* in units of the larger standard deviation, so that no square leaves the range of doubles */
    control_error = observed->control_std / scale / sqrt((double)observed->control_n);
    treatment_error = observed->treatment_std / scale / sqrt((double)observed->treatment_n);
    standard_error = hypot(control_error, treatment_error);
    df = welch_degrees_of_freedom(control_error / standard_error, observed->control_n,
                                  treatment_error / standard_error, observed->treatment_n);
    critical = student_upper_quantile(observed->alpha / 2, df);
    result->degenerate = false;
    result->effect = difference;
    if (observed->control_mean != 0)
        result->effect_relative_pct = bounded(100 * (difference / observed->control_mean));
    result->ci_lower = bounded(difference - critical * standard_error * scale);
    result->ci_upper = bounded(difference + critical * standard_error * scale);
    result->statistic = bounded(difference / scale / standard_error);
    result->degrees_of_freedom = df;
    distance = fabs(result->statistic);
    result->p_value = unit(2 * student_survival(distance, df));
    result->is_significant = result->p_value < observed->alpha;
    result->power =
        unit(student_survival(critical - distance, df) + student_survival(critical + distance, df));
}
