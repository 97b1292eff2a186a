/* Two one-sided tests: the rules of the procedure. Its numbers are checked in tests/oracle. */
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

TEST_MAIN(CASE(interval_inside_the_margin_means_equivalent),
          CASE(statistic_is_that_of_the_side_with_the_larger_p),
          CASE(power_is_zero_where_the_margin_is_too_narrow),
          CASE(without_variation_it_is_degenerate))
