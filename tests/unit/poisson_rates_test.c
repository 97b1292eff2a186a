/* Poisson rates: reference cases, exactness of close rates, extreme exposures. */
#include "base/number.h"
#include "math/binomial.h"
#include "stats/poisson_rates.h"
#include "test.h"

#include <float.h>

static struct test_result poisson(int64_t x1, double t1, int64_t x2, double t2)
{
    struct count_observation observed = {x1, t1, x2, t2, 0.05};
    struct test_result result;

    poisson_rates_test(&observed, &result);
    return result;
}

#define CHECK_ROUNDED(actual, digits, expected)                                                    \
    CHECK_NEAR(number_round(actual, digits), expected, 0)

/* p-values checked with scipy.stats.binomtest. */
TEST(reference_cases)
{
    static const struct {
        int64_t x1;
        double t1;
        int64_t x2;
        double t2;
        double p, effect, lower, upper;
    } rows[] = {
        {10, 100, 25, 100, 0.016674, 0.15, 0.034047, 0.265953},
        {0, 100, 5, 200, 0.176955, 0.025, 0.003087, 0.046913},
        {30, 1000, 45, 800, 0.007386, 0.02625, 0.00662, 0.04588},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct test_result result = poisson(rows[i].x1, rows[i].t1, rows[i].x2, rows[i].t2);

        CHECK(!result.degenerate);
        CHECK_INT(result.effect_size_kind, EFFECT_SIZE_RATE_RATIO);
        CHECK_ROUNDED(result.p_value, 6, rows[i].p);
        CHECK_ROUNDED(result.effect, 6, rows[i].effect);
        CHECK_ROUNDED(result.ci_lower, 6, rows[i].lower);
        CHECK_ROUNDED(result.ci_upper, 6, rows[i].upper);
    }
    CHECK_ROUNDED(poisson(10, 100, 25, 100).power, 3, 0.718);
    CHECK_ROUNDED(poisson(10, 100, 25, 100).effect_size.value, 4, 2.5);
    CHECK_ROUNDED(poisson(10, 100, 25, 100).effect_relative_pct, 2, 150);
    CHECK_ROUNDED(poisson(30, 1000, 45, 800).statistic, 4, 1.875);
}

TEST(no_events)
{
    struct test_result none = poisson(0, 100, 0, 50), one = poisson(0, 100, 5, 200);

    CHECK(none.degenerate);
    CHECK_NEAR(none.p_value, 1, 0);
    CHECK_INT(none.effect_size_kind, EFFECT_SIZE_NONE);
    CHECK(!one.degenerate && !one.effect_size.given);
    CHECK_NEAR(one.statistic, 0, 0);
    CHECK_NEAR(one.effect_relative_pct, 0, 0);
    CHECK_NEAR(poisson(5, 100, 0, 100).effect_size.value, 0, 0);
    CHECK_NEAR(poisson(5, 100, 0, 100).effect_relative_pct, -100, 0);
}

/* All outcomes that are no likelier, term by term. */
TEST(p_value_is_its_definition)
{
    static const double exposures[] = {0.01, 0.3, 1, 7};

    for (size_t e = 0; e < sizeof exposures / sizeof exposures[0]; e++) {
        double share = exposures[e] / (1 + exposures[e]);

        for (int64_t n = 1; n < 40; n += 6) {
            for (int64_t x = 0; x <= n; x++) {
                double seen = binomial_pmf(x, n, share), sum = 0;

                for (int64_t k = 0; k <= n; k++) {
                    double mass = binomial_pmf(k, n, share);

                    sum += mass <= seen * (1 + 1e-7) ? mass : 0;
                }
                CHECK_RELATIVE(poisson(n - x, 1, x, exposures[e]).p_value, fmin(sum, 1), 1e-12);
            }
        }
    }
}

TEST(unit_of_exposure_does_not_matter)
{
    struct test_result plain = poisson(30, 1000, 45, 800);

    for (double unit = 1e-300; unit < 1e301; unit *= 1e50) {
        struct test_result scaled = poisson(30, 1000 * unit, 45, 800 * unit);

        CHECK_RELATIVE(scaled.p_value, plain.p_value, 1e-12);
        CHECK_RELATIVE(scaled.power, plain.power, 1e-12);
        CHECK_RELATIVE(scaled.effect_size.value, plain.effect_size.value, 1e-14);
        CHECK_RELATIVE(scaled.ci_upper * unit, plain.ci_upper, 1e-13);
    }
}

/* One event more among 10^12: the difference is 1e-3 of the last bit that the rates share. */
TEST(close_rates_keep_their_difference)
{
    struct test_result result = poisson(999999999999, 3e5, 1000000000000, 3e5);

    CHECK_RELATIVE(result.effect, 1 / 3e5, 1e-13);
}

TEST(everything_stays_finite)
{
    static const double exposures[] = {5e-324, 1e-300, 1, 1e300, DBL_MAX};
    static const int64_t events[] = {0, 1, 1000000, INT64_C(1) << 52};

    for (int i = 0; i < 5 * 5 * 4 * 4; i++) {
        struct test_result result =
            poisson(events[i / 25 % 4], exposures[i % 5], events[i / 100], exposures[i / 5 % 5]);

        CHECK(isfinite(result.effect) && !isnan(result.effect_relative_pct));
        CHECK(isfinite(result.ci_lower) && isfinite(result.ci_upper));
        CHECK(result.ci_lower <= result.ci_upper && isfinite(result.statistic));
        CHECK(result.p_value >= 0 && result.p_value <= 1);
        CHECK(result.power >= 0 && result.power <= 1);
    }
}

TEST_MAIN(CASE(reference_cases), CASE(no_events), CASE(p_value_is_its_definition),
          CASE(unit_of_exposure_does_not_matter), CASE(close_rates_keep_their_difference),
          CASE(everything_stays_finite))
