/* Two one-sided tests: reference cases at their printed precision, and what makes the procedure. */
#include "base/number.h"
#include "math/student.h"
#include "stats/equivalence.h"
#include "test.h"

static struct test_result equivalence(double mean1, double std1, int64_t n1, double mean2,
                                      double std2, int64_t n2, double alpha, double margin)
{
    struct continuous_observation observed = {mean1, std1, n1,    mean2,
                                              std2,  n2,   alpha, GIVEN_NUMBER(margin)};
    struct test_result result;

    equivalence_test(&observed, &result);
    return result;
}

#define CHECK_ROUNDED(actual, digits, expected)                                                    \
    CHECK_NEAR(number_round(actual, digits), expected, 0)

/* Figures checked with statsmodels' ttost_ind (unequal variances). */
TEST(reference_cases)
{
    static const struct {
        double mean1, std1, n1, mean2, std2, n2, margin;
        double p, statistic, lower, upper, power, d, relative;
        bool significant;
    } rows[] = {
        {0, 1, 100, 0.1, 1, 100, 0.5, 0.002579, -2.8284, -0.1337, 0.3337, 0.939, 0.1, 0, true},
        {10, 2, 50, 12, 2.1, 50, 1, 0.991719, 2.4383, 1.319, 2.681, 0.561, 0.9753, 20, false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct test_result result =
            equivalence(rows[i].mean1, rows[i].std1, (int64_t)rows[i].n1, rows[i].mean2,
                        rows[i].std2, (int64_t)rows[i].n2, 0.05, rows[i].margin);

        CHECK(!result.degenerate);
        CHECK_ROUNDED(result.p_value, 6, rows[i].p);
        CHECK_ROUNDED(result.statistic, 4, rows[i].statistic);
        CHECK_ROUNDED(result.ci_lower, 4, rows[i].lower);
        CHECK_ROUNDED(result.ci_upper, 4, rows[i].upper);
        CHECK_ROUNDED(result.ci_level, 4, 0.9);
        CHECK_ROUNDED(result.power, 3, rows[i].power);
        CHECK_ROUNDED(result.effect_relative_pct, 2, rows[i].relative);
        CHECK_INT(result.effect_size_kind, EFFECT_SIZE_COHENS_D);
        CHECK_ROUNDED(result.effect_size.value, 4, rows[i].d);
        CHECK_INT(result.is_significant, rows[i].significant);
    }
}

/* Equivalence is shown exactly when the interval of level 1 - 2 alpha lies inside the margin. */
TEST(interval_inside_the_margin_means_equivalent)
{
    int shown = 0, cases = 0;

    for (double difference = -1; difference <= 1; difference += 0.05) {
        for (double margin = 0.1; margin < 1.2; margin += 0.07) {
            struct test_result result =
                equivalence(3, 1, 60, 3 + difference, 1.5, 45, 0.05, margin);

            CHECK_INT(result.is_significant, result.ci_lower > -margin && result.ci_upper < margin);
            shown += result.is_significant;
            cases++;
        }
    }
    CHECK(shown > cases / 10 && shown < cases);
}

TEST(statistic_is_that_of_the_side_with_the_larger_p)
{
    struct test_result up = equivalence(0, 1, 50, 0.2, 1, 50, 0.05, 0.5);
    struct test_result down = equivalence(0, 1, 50, -0.2, 1, 50, 0.05, 0.5);
    struct test_result tie = equivalence(0, 1, 50, 0, 1, 50, 0.05, 0.5);

    CHECK_RELATIVE(up.statistic, (0.2 - 0.5) / 0.2, 1e-12);
    CHECK_NEAR(down.statistic, -up.statistic, 1e-14);
    CHECK_NEAR(down.p_value, up.p_value, 1e-16);
    CHECK_RELATIVE(tie.statistic, 2.5, 1e-12); /* of the lower side */
    CHECK_RELATIVE(tie.p_value, student_survival(2.5, 98), 1e-12);
}

/* A margin inside the critical distance can never be met. */
TEST(power_is_zero_where_the_margin_is_too_narrow)
{
    CHECK_NEAR(equivalence(0, 1, 10, 0, 1, 10, 0.05, 0.7).power, 0, 0);
    CHECK(equivalence(0, 1, 10, 0, 1, 10, 0.05, 0.9).power > 0);
    CHECK_NEAR(equivalence(0, 1, 10, 0, 1, 10, 0.05, 100).power, 1, 1e-12);
}

TEST(without_variation_it_is_degenerate)
{
    struct test_result result = equivalence(1, 0, 10, 1, 0, 10, 0.05, 1);

    CHECK(result.degenerate && !result.is_significant);
    CHECK_NEAR(result.p_value, 1, 0);
    CHECK_NEAR(result.ci_level, 0.9, 1e-15);
    CHECK_INT(result.effect_size_kind, EFFECT_SIZE_NONE);
}

TEST_MAIN(CASE(reference_cases), CASE(interval_inside_the_margin_means_equivalent),
          CASE(statistic_is_that_of_the_side_with_the_larger_p),
          CASE(power_is_zero_where_the_margin_is_too_narrow),
          CASE(without_variation_it_is_degenerate))
