/* Poisson rates: exactness of close rates, extreme exposures. */
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

TEST_MAIN(CASE(no_events), CASE(unit_of_exposure_does_not_matter),
          CASE(close_rates_keep_their_difference), CASE(everything_stays_finite))
