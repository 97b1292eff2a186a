/* The sample ratio mismatch check: weights in any unit, refusals, extremes. */
#include "base/number.h"
#include "experiments/design/srm.h"
#include "test.h"

static enum error check(size_t arms, const int64_t *counts, const double *weights, double *expected,
                        struct srm_result *result, struct problem *problem)
{
    /* Lists are not const inside; srm_check() only reads them. */
    struct integer_list observed = {arms, (int64_t *)(uintptr_t)counts};
    struct number_list planned = {arms, (double *)(uintptr_t)weights};

    return srm_check(&observed, &planned, expected, result, problem);
}

TEST(expected_counts_share_the_total)
{
    int64_t counts[] = {900, 2100, 3100};
    double weights[] = {1, 2, 3}, expected[3];
    struct srm_result result;

    CHECK_INT(check(3, counts, weights, expected, &result, NULL), ERROR_NONE);
    CHECK_NEAR(expected[0], 6100.0 / 6, 1e-9);
    CHECK_NEAR(expected[1], 6100.0 / 3, 1e-9);
    CHECK_NEAR(expected[2], 3050, 1e-9);
}

/* The flag goes up below p = 0.001, that is above a chi-square of 10.8276 with one degree. */
TEST(threshold)
{
    int64_t below[] = {50519, 49479}, above[] = {50521, 49479};
    double weights[] = {1, 1};
    struct srm_result result;

    CHECK_INT(check(2, below, weights, NULL, &result, NULL), ERROR_NONE);
    CHECK_NEAR(result.chi_square, 1040.0 * 1040 / 99998, 1e-9); /* 10.8162 */
    CHECK(!result.is_srm);
    CHECK_INT(check(2, above, weights, NULL, &result, NULL), ERROR_NONE);
    CHECK_NEAR(result.chi_square, 1042.0 * 1042 / 100000, 1e-9); /* 10.8576 */
    CHECK(result.is_srm);
}

TEST(weights_may_be_huge_or_tiny)
{
    int64_t counts[] = {4800, 5200}, trillions[] = {1000000000000000, 1000000000000001};
    double huge[] = {1.7e308, 1.7e308}, tiny[] = {5e-324, 5e-324}, lopsided[] = {1e-190, 1};
    struct srm_result result;

    CHECK_INT(check(2, counts, huge, NULL, &result, NULL), ERROR_NONE);
    CHECK_NEAR(result.chi_square, 16, 1e-12);
    CHECK_INT(check(2, counts, tiny, NULL, &result, NULL), ERROR_NONE);
    CHECK_NEAR(result.chi_square, 16, 1e-12);
    CHECK_INT(check(2, counts, lopsided, NULL, &result, NULL), ERROR_NONE);
    CHECK(isfinite(result.chi_square));
    CHECK_NEAR(result.p_value, 0, 0);
    CHECK_INT(check(2, trillions, huge, NULL, &result, NULL), ERROR_NONE);
    CHECK_NEAR(result.chi_square, 0, 1e-12);
    CHECK_NEAR(result.p_value, 1, 1e-6);
}

TEST(refusals)
{
    int64_t counts[] = {10, 10}, none[] = {0, 0}, negative[] = {-1, 10};
    double even[] = {1, 1}, zero[] = {0, 1}, zeros[] = {0, 0}, below[] = {-0.5, 1},
           vanishing[] = {1e-300, 1}, not_a_number[] = {NAN, 1}, infinite[] = {INFINITY, 1};
    double *bad[] = {zero, zeros, below, vanishing, not_a_number, infinite};
    struct srm_result result;
    struct problem problem;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK_INT(check(2, counts, bad[i], NULL, &result, &problem), ERROR_INVALID);
        CHECK_TEXT(problem.reason, "fraction_not_positive");
    }
    CHECK_INT(check(2, none, even, NULL, &result, &problem), ERROR_INVALID);
    CHECK_TEXT(problem.reason, "no_observations");
    CHECK_INT(check(2, negative, even, NULL, &result, &problem), ERROR_INVALID);
    CHECK_TEXT(problem.reason, "no_observations");
}

TEST_MAIN(CASE(expected_counts_share_the_total), CASE(threshold), CASE(weights_may_be_huge_or_tiny),
          CASE(refusals))
