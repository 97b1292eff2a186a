/* Fisher's exact test and the mid-p interval: identities and edges; numbers are checked in
 * tests/oracle. */
#include "base/number.h"
#include "math/hypergeometric.h"
#include "stats/fisher_exact.h"
#include "test.h"

static struct test_result fisher(int64_t x1, int64_t n1, int64_t x2, int64_t n2)
{
    struct binary_observation observed = {x1, n1, x2, n2, 0.05};
    struct test_result result;

    fisher_exact_test(&observed, &result);
    return result;
}

#define CHECK_ROUNDED(actual, digits, expected)                                                    \
    CHECK_NEAR(number_round(actual, digits), expected, 0)

TEST(empty_cells)
{
    struct test_result full = fisher(10, 10, 3, 8), none = fisher(0, 10, 0, 10);

    CHECK_ROUNDED(full.p_value, 6, 0.006536);
    CHECK(!full.effect_size.given);
    CHECK_NEAR(full.statistic, 0, 0);
    CHECK_ROUNDED(full.effect_size_lower.value, 4, 2.3582);
    CHECK(full.effect_size_lower.given && !full.effect_size_upper.given); /* infinite */

    CHECK_NEAR(none.p_value, 1, 0);
    CHECK_ROUNDED(none.ci_lower, 4, -27.7533);
    CHECK_ROUNDED(none.ci_upper, 4, 27.7533);
    CHECK(!none.effect_size.given && !none.effect_size_lower.given);
    CHECK_NEAR(none.power, 0, 0);
    CHECK_NEAR(fisher(0, 10, 5, 10).effect_size.value, 0, 0);
    CHECK_NEAR(fisher(0, 10, 5, 10).effect_size_lower.value, 0, 0);
    CHECK(fisher(0, 10, 5, 10).effect_size_upper.given);
}

/* The sum of all tables that are no likelier, term by term. */
TEST(p_value_is_its_definition)
{
    for (int64_t n1 = 2; n1 < 16; n1 += 3) {
        for (int64_t n2 = 2; n2 < 20; n2 += 4) {
            for (int64_t i = 0; i <= n1; i++) {
                for (int64_t j = 0; j <= n2; j++) {
                    struct binary_observation observed = {i, n1, j, n2, 0.05};
                    double seen = hypergeometric_pmf(i, n1 + n2, i + j, n1), sum = 0;

                    for (int64_t k = 0; k <= n1; k++) {
                        double mass = hypergeometric_pmf(k, n1 + n2, i + j, n1);

                        sum += mass <= seen * (1 + 1e-7) ? mass : 0;
                    }
                    CHECK_RELATIVE(fisher_exact_p_value(&observed), fmin(sum, 1), 1e-12);
                }
            }
        }
    }
}

/* Swapping the arms inverts the odds ratio and its interval. */
TEST(interval_inverts)
{
    static const int64_t tables[][4] = {
        {3, 10, 8, 10}, {1, 100, 7, 90}, {50, 200, 60, 200}, {4000, 100000, 4300, 100000}};

    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        const int64_t *t = tables[i];
        struct test_result result = fisher(t[0], t[1], t[2], t[3]);
        struct test_result mirror = fisher(t[2], t[3], t[0], t[1]);

        CHECK_RELATIVE(result.effect_size_lower.value * mirror.effect_size_upper.value, 1, 1e-11);
        CHECK_RELATIVE(result.effect_size_upper.value * mirror.effect_size_lower.value, 1, 1e-11);
        CHECK_RELATIVE(result.p_value, mirror.p_value, 1e-12);
        CHECK(result.effect_size_lower.value < result.effect_size.value);
        CHECK(result.effect_size_upper.value > result.effect_size.value);
    }
}

/* Results leave the interval out from 20 000 tables on; the function itself goes further. */
TEST(large_tables)
{
    struct binary_observation observed = {19999, 50000, 20500, 50000, 0.05};
    struct odds_ratio_interval interval = odds_ratio_interval(&observed);
    struct test_result result = fisher(19999, 50000, 20500, 50000);

    CHECK_INT(fisher_exact_tables(&observed), 40500);
    CHECK(!result.effect_size_lower.given && !result.effect_size_upper.given);
    CHECK(interval.given && interval.has_upper);
    /* Wald's interval of ln(OR): the same to the third digit at such a size */
    CHECK_NEAR(log(interval.lower), log(result.effect_size.value) - 1.96 * 0.012855, 1e-4);
    CHECK_NEAR(log(interval.upper), log(result.effect_size.value) + 1.96 * 0.012855, 1e-4);
    CHECK(fisher(19999, 50000, 20500, 50000).p_value < 0.002);
    CHECK(fisher(9000, 100000, 10999, 100000).effect_size_lower.given);
    CHECK_NEAR(fisher(1, INT64_C(1) << 40, 1, INT64_C(1) << 40).p_value, 1, 0);
    CHECK(fisher(INT64_C(1) << 39, INT64_C(1) << 40, (INT64_C(1) << 39) + 5000000, INT64_C(1) << 40)
              .p_value < 1e-10);
}

TEST_MAIN(CASE(empty_cells), CASE(p_value_is_its_definition), CASE(interval_inverts),
          CASE(large_tables))
