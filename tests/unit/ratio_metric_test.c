/* Ratios of totals: what cannot be tested, and values at the ends of the range. */
#include "base/number.h"
#include "stats/ratio_metric.h"
#include "test.h"

#include <float.h>

#define LIST(...)                                                                                  \
    ((struct number_list){sizeof((double[]){__VA_ARGS__}) / sizeof(double),                        \
                          (double[]){__VA_ARGS__}})
#define CHECK_ROUNDED(actual, digits, expected)                                                    \
    CHECK_NEAR(number_round(actual, digits), expected, 0)

static struct arena *arena;

static double control_denominators[] = {3, 5, 2, 8, 4, 6, 3, 7, 5, 4, 2, 6, 5, 3, 9, 4, 5, 6, 3, 4};
static double control_numerators[] = {1.2, 2.1, .7,  3.9, 1.5, 2.8, 1.1, 3.2, 2.4, 1.6,
                                      .9,  2.5, 2.2, 1,   4.4, 1.8, 2,   2.7, 1.3, 1.7};
static double treatment_denominators[] = {4, 6, 3, 7, 5, 5, 2, 8, 6, 4,
                                          3, 7, 4, 5, 8, 3, 6, 5, 4, 5};
static double treatment_numerators[] = {2,   3.1, 1.4, 3.8, 2.6, 2.9, 1,   4.5, 3.3, 2.1,
                                        1.5, 3.9, 2.2, 2.7, 4.6, 1.6, 3.2, 2.8, 2,   2.6};

static struct test_result compare(struct ratio_arm control, struct ratio_arm treatment)
{
    struct ratio_observation observed = {&control, &treatment, 0.05};
    struct test_result result;

    ratio_metric_test(&observed, arena, &result);
    return result;
}

static struct test_result compare_users(double taken_off)
{
    double numerators[20];

    for (int i = 0; i < 20; i++)
        numerators[i] = treatment_numerators[i] - taken_off * treatment_denominators[i];
    return compare((struct ratio_arm){{20, control_numerators}, {20, control_denominators}},
                   (struct ratio_arm){{20, numerators}, {20, treatment_denominators}});
}

/* Taking a share of the denominator off every numerator moves the ratio by that share. */
TEST(lowered_numerators)
{
    struct test_result result = compare_users(0.09);

    CHECK(!result.is_significant);
    CHECK_ROUNDED(result.effect, 6, 0.01183);
    CHECK_ROUNDED(result.statistic, 4, 1.0158);
    CHECK_ROUNDED(result.p_value, 6, 0.309704);
}

/* Denominators that cancel, and users that all have the ratio of their arm, up to rounding. */
TEST(what_cannot_be_tested)
{
    struct ratio_arm usual = {LIST(1, 3, 2), LIST(1, 2, 3)};
    struct ratio_arm cancelling = {LIST(1, 3, 2), LIST(0.1, 0.2, -0.3)};
    struct ratio_arm constant = {LIST(0.1, 0.2, 0.7), LIST(1, 2, 7)};
    struct ratio_arm nothing = {LIST(0, 0, 0), LIST(1, 2, 7)};

    CHECK(compare(cancelling, usual).degenerate && compare(usual, cancelling).degenerate);
    CHECK(compare(constant, constant).degenerate && compare(constant, nothing).degenerate);
    CHECK(!compare(constant, usual).degenerate && !compare(usual, nothing).degenerate);
    CHECK_NEAR(compare(nothing, usual).effect_relative_pct, 0, 0);
    CHECK_RELATIVE(compare(nothing, usual).effect, 1, 1e-15);
}

/* A ratio does not depend on the unit of its parts, beyond a factor. */
TEST(units_do_not_matter)
{
    struct test_result plain = compare((struct ratio_arm){LIST(1, 3, 2), LIST(1, 2, 3)},
                                       (struct ratio_arm){LIST(2, 3, 5), LIST(4, 1, 2)});
    struct test_result scaled =
        compare((struct ratio_arm){LIST(1e-200, 3e-200, 2e-200), LIST(1e-190, 2e-190, 3e-190)},
                (struct ratio_arm){LIST(2e200, 3e200, 5e200), LIST(4e210, 1e210, 2e210)});

    CHECK_RELATIVE(scaled.statistic, plain.statistic, 1e-13);
    CHECK_RELATIVE(scaled.effect, plain.effect * 1e-10, 1e-13);
}

TEST(extreme_values_stay_in_range)
{
    const double extremes[] = {DBL_MAX, -DBL_MAX, 5e-324, 0, -1e-300, 1, 1e16, 1e200};

    for (int i = 0; i < 8 * 8 * 8 * 8; i++) {
        struct test_result result =
            compare((struct ratio_arm){LIST(extremes[i % 8], 2), LIST(extremes[i / 8 % 8], 1)},
                    (struct ratio_arm){LIST(extremes[i / 64 % 8], 1), LIST(extremes[i / 512], 3)});

        CHECK(isfinite(result.effect) && isfinite(result.statistic));
        CHECK(!isnan(result.effect_relative_pct));
        CHECK(isfinite(result.ci_lower) && isfinite(result.ci_upper));
        CHECK(result.ci_lower <= result.ci_upper);
        CHECK(result.p_value >= 0 && result.p_value <= 1);
        CHECK(result.power >= 0 && result.power <= 1);
    }
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(lowered_numerators),
        CASE(what_cannot_be_tested),
        CASE(units_do_not_matter),
        CASE(extreme_values_stay_in_range),
    };

    arena = arena_create((size_t)1 << 24);
    return arena ? test_run_all(cases, sizeof cases / sizeof cases[0]) : 1;
}
