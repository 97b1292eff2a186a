/*
 * Two-sample tests: exactness where naive formulas
 * cancel or overflow, and the degenerate answers.
 */
#include "base/number.h"
#include "math/normal.h"
#include "stats/two_sample.h"
#include "test.h"

#include <float.h>

static struct test_result binary(int64_t x1, int64_t n1, int64_t x2, int64_t n2, double alpha)
{
    struct binary_observation observed = {x1, n1, x2, n2, alpha};
    struct test_result result;

    two_sample_binary(&observed, &result);
    return result;
}

static struct test_result continuous(double mean1, double std1, int64_t n1, double mean2,
                                     double std2, int64_t n2, double alpha)
{
    struct continuous_observation observed = {mean1, std1, n1, mean2, std2, n2, alpha};
    struct test_result result;

    two_sample_continuous(&observed, &result);
    return result;
}

#define CHECK_ROUNDED(actual, digits, expected)                                                    \
    CHECK_NEAR(number_round(actual, digits), expected, 0)

/* Overall 0 % or 100 %: no standard error, so nothing is claimed; the rates and the score interval,
 * which do not need one, are still told. */
TEST(binary_without_variation_is_degenerate)
{
    struct test_result none = binary(0, 100, 0, 100, 0.05);
    struct test_result all = binary(100, 100, 300, 300, 0.05);

    CHECK(none.degenerate && all.degenerate);
    CHECK_NEAR(none.effect, 0, 0);
    CHECK_NEAR(none.effect_relative_pct, 0, 0);
    CHECK_NEAR(none.ci_lower, 0, 0);
    CHECK_NEAR(none.ci_upper, 0, 0);
    CHECK_NEAR(none.ci_level, 0.95, 0);
    CHECK_NEAR(none.p_value, 1, 0);
    CHECK_NEAR(none.statistic, 0, 0);
    CHECK_NEAR(none.power, 0, 0);
    CHECK(!none.is_significant);
    CHECK(none.control_rate_pct.given && none.treatment_rate_pct.given);
    CHECK_NEAR(none.control_rate_pct.value, 0, 0);
    CHECK_NEAR(all.control_rate_pct.value, 100, 0);
    CHECK_NEAR(all.effect, 0, 0);
    /* Wilson's upper limit at 0 of 100 is z^2 / (100 + z^2) = 3.6993 % */
    CHECK_ROUNDED(none.ci_score_lower.value, 4, -3.6993);
    CHECK_ROUNDED(none.ci_score_upper.value, 4, 3.6993);
    CHECK(!binary(100, 100, 0, 300, 0.05).degenerate);
    CHECK(binary(0, 0, 5, 10, 0.05).degenerate);
    CHECK(!binary(0, 0, 5, 10, 0.05).control_rate_pct.given);
}

TEST(continuous_without_variation_is_degenerate)
{
    struct test_result result = continuous(10, 0, 5, 12, 0, 5, 0.1);

    CHECK(result.degenerate);
    CHECK_NEAR(result.effect, 0, 0);
    CHECK_NEAR(result.p_value, 1, 0);
    CHECK_NEAR(result.ci_level, 0.9, 0);
    CHECK_NEAR(result.power, 0, 0);
    CHECK(!result.is_significant);
    CHECK(continuous(10, 1, 1, 12, 1, 5, 0.1).degenerate);
    CHECK(!continuous(10, 0, 5, 12, 1, 5, 0.1).degenerate);
}

/* At no effect the power of the test is alpha. */
TEST(power_at_no_effect_is_alpha)
{
    static const double alphas[] = {0.001, 0.01, 0.05, 0.1};

    for (size_t i = 0; i < sizeof alphas / sizeof alphas[0]; i++) {
        CHECK_NEAR(binary(70, 900, 70, 900, alphas[i]).power, alphas[i], 1e-15);
        CHECK_NEAR(continuous(5, 1, 20, 5, 3, 9, alphas[i]).power, alphas[i], 1e-14);
        CHECK_NEAR(two_sample_normal_power(0, normal_upper_quantile(alphas[i] / 2)), alphas[i],
                   1e-15);
    }
    CHECK_NEAR(two_sample_normal_power(-1e300, 1.96), 1, 0);
    CHECK_NEAR(two_sample_normal_power(3, 1.5), two_sample_normal_power(-3, 1.5), 0);
}

/* One conversion more among 10^15 users each: difference 1e-15, and rates that agree to the last
 * bit of a double or nearly so. */
TEST(huge_arms_keep_their_difference)
{
    const int64_t n = 1000000000000000;
    struct test_result result = binary(n / 3, n, n / 3 + 1, n, 0.05);

    CHECK_RELATIVE(result.effect, 1e-13, 1e-14);
    CHECK_RELATIVE(result.statistic, 1e-15 / sqrt(2.0 / 9 * 2 / 1e15), 1e-14);
    result = binary(n - 1000, n, n - 1100, n, 0.05);
    CHECK_RELATIVE(result.effect, -1e-11, 1e-14);
    /* z = -100 / sqrt(2100 (1 - 1050e-15)) */
    CHECK_RELATIVE(result.statistic, -2.182178902359924, 1e-11);
    CHECK_RELATIVE(result.ci_upper, 100 * (-1e-13 + normal_upper_quantile(0.025) * sqrt(2100e-30)),
                   1e-11);
}

/* Swapping successes and failures turns every interval around. */
TEST(score_interval_mirrors)
{
    static const int64_t counts[][4] = {
        {3, 10, 8, 10}, {0, 7, 5, 9}, {0, 1000000000000, 1, 1000000000000}, {50, 100, 50, 100}};

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const int64_t *c = counts[i];
        struct test_result result = binary(c[0], c[1], c[2], c[3], 0.02);
        struct test_result mirror = binary(c[1] - c[0], c[1], c[3] - c[2], c[3], 0.02);

        CHECK_RELATIVE(mirror.ci_score_lower.value, -result.ci_score_upper.value, 1e-14);
        CHECK_RELATIVE(mirror.ci_score_upper.value, -result.ci_score_lower.value, 1e-14);
        CHECK_NEAR(mirror.statistic, -result.statistic, 1e-14);
        CHECK_NEAR(mirror.p_value, result.p_value, 1e-14);
    }
}

/* Measuring in other units changes nothing but the units, over the whole range of doubles. */
TEST(welch_does_not_depend_on_units)
{
    struct test_result plain = continuous(10, 1, 5, 12, 6, 30, 0.01);

    for (double unit = 1e-300; unit < 1e301; unit *= 1e50) {
        struct test_result scaled =
            continuous(10 * unit, 1 * unit, 5, 12 * unit, 6 * unit, 30, 0.01);

        CHECK_RELATIVE(scaled.statistic, plain.statistic, 1e-14);
        CHECK_RELATIVE(scaled.degrees_of_freedom, plain.degrees_of_freedom, 1e-14);
        CHECK_RELATIVE(scaled.p_value, plain.p_value, 1e-13);
        CHECK_RELATIVE(scaled.power, plain.power, 1e-13);
        CHECK_RELATIVE(scaled.ci_upper / unit, plain.ci_upper, 1e-14);
    }
}

TEST(welch_is_finite_for_all_finite_input)
{
    static const double magnitudes[] = {5e-324, 1e-300, 1e-12, 1, 1e12, 1e300, DBL_MAX};
    static const int64_t sizes[] = {2, 3, 1000, 1000000000000000};
    const int count = sizeof magnitudes / sizeof magnitudes[0];

    for (int i = 0; i < count * count * count * 4 * 4; i++) {
        double mean1 = magnitudes[i % count], std1 = magnitudes[i / count % count];
        double std2 = magnitudes[i / count / count % count];
        int64_t n1 = sizes[i / count / count / count % 4];
        int64_t n2 = sizes[i / count / count / count / 4];
        struct test_result result = continuous(mean1, std1, n1, -mean1, std2, n2, 0.001);

        CHECK(isfinite(result.effect) && isfinite(result.effect_relative_pct));
        CHECK(isfinite(result.ci_lower) && isfinite(result.ci_upper));
        CHECK(result.ci_lower <= result.ci_upper);
        CHECK(isfinite(result.statistic));
        CHECK(result.p_value >= 0 && result.p_value <= 1);
        CHECK(result.power >= 0 && result.power <= 1);
        CHECK(result.degenerate ||
              (result.degrees_of_freedom >= ((double)(n1 < n2 ? n1 : n2) - 1) * (1 - 1e-15) &&
               result.degrees_of_freedom <= (double)(n1 + n2)));
    }
}

/* Far tails are computed as tails: z = 40 is about 1e-349 below what 1 - cdf could show. */
TEST(tiny_p_values_are_not_zero_too_soon)
{
    struct test_result result = binary(500000, 1000000, 520000, 1000000, 0.05);

    CHECK_NEAR(result.statistic, 28.289930, 1e-6);
    CHECK_RELATIVE(result.p_value, 2 * normal_survival(result.statistic), 1e-15);
    CHECK(result.p_value > 1e-180 && result.p_value < 1e-170);
    result = continuous(0, 1, 50, 10, 1, 50, 0.05);
    CHECK(result.p_value > 1e-80 && result.p_value < 1e-70);
}

TEST_MAIN(CASE(binary_without_variation_is_degenerate),
          CASE(continuous_without_variation_is_degenerate), CASE(power_at_no_effect_is_alpha),
          CASE(huge_arms_keep_their_difference), CASE(score_interval_mirrors),
          CASE(welch_does_not_depend_on_units), CASE(welch_is_finite_for_all_finite_input),
          CASE(tiny_p_values_are_not_zero_too_soon))
