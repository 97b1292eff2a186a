/* Tests on pairs: what makes them degenerate, ties, zeros and extreme values. */
#include "base/number.h"
#include "stats/paired.h"
#include "test.h"

#include <float.h>

static struct arena *arena;

#define LIST(...)                                                                                  \
    ((struct number_list){sizeof((double[]){__VA_ARGS__}) / sizeof(double),                        \
                          (double[]){__VA_ARGS__}})
static struct paired_result t_test(struct number_list control, struct number_list treatment)
{
    struct paired_observation observed = {control, treatment, 0.05};
    struct paired_result result;

    paired_t_test(&observed, arena, &result);
    return result;
}

static struct paired_result wilcoxon(struct number_list control, struct number_list treatment)
{
    struct paired_observation observed = {control, treatment, 0.05};
    struct paired_result result;

    wilcoxon_test(&observed, arena, &result);
    return result;
}

/* Pairs that rose, that fell, and that stayed at 0. */
static struct paired_result mcnemar(int rose, int fell, int stayed)
{
    double control[200] = {0}, treatment[200] = {0};
    size_t count = (size_t)rose + (size_t)fell + (size_t)stayed;
    struct paired_observation observed = {{count, control}, {count, treatment}, 0.05};
    struct paired_result result;

    for (int i = 0; i < rose; i++)
        treatment[i] = 1;
    for (int i = rose; i < rose + fell; i++)
        control[i] = 1;
    mcnemar_test(&observed, &result);
    return result;
}

/* 0.4 - 0.1 and 0.6 - 0.3 differ in the last place, which says nothing about users. */
TEST(t_without_variation_is_degenerate)
{
    struct paired_result same = t_test(LIST(1, 2, 3), LIST(2, 3, 4));
    struct paired_result rounded = t_test(LIST(0.1, 0.3), LIST(0.4, 0.6));
    struct paired_result close = t_test(LIST(0.1, 0.3), LIST(0.4, 0.6 + 1e-12));

    CHECK(same.test.degenerate && rounded.test.degenerate && !close.test.degenerate);
    CHECK_NEAR(same.test.p_value, 1, 0);
    CHECK_INT(same.pairs, 3);
}

TEST(wilcoxon_wants_two_ranks)
{
    CHECK(wilcoxon(LIST(1, 2, 3), LIST(1, 2, 3)).test.degenerate);
    CHECK(wilcoxon(LIST(1, 2, 3), LIST(1, 2, 4)).test.degenerate);
    CHECK(!wilcoxon(LIST(1, 2, 3), LIST(1, 1, 4)).test.degenerate);
    CHECK_INT(wilcoxon(LIST(1, 2, 3), LIST(1, 2, 4)).zero_differences, 2);
}

/* One up, one down by as much: the continuity correction does not step over the centre. */
TEST(wilcoxon_in_balance)
{
    struct paired_result result = wilcoxon(LIST(1, 2), LIST(2, 1));

    CHECK_NEAR(result.test.p_value, 1, 0);
    CHECK_NEAR(result.test.statistic, 1.5, 0);
    CHECK_NEAR(result.test.effect, 0, 0);
    CHECK_NEAR(result.test.effect_size.value, 0, 0);
}

TEST(mcnemar_changes_its_method_at_25)
{
    struct paired_result none = mcnemar(0, 0, 9), below = mcnemar(12, 12, 0);

    CHECK(none.exact && below.exact && !mcnemar(13, 12, 0).exact);
    CHECK_NEAR(none.test.p_value, 1, 0);
    CHECK_NEAR(none.test.statistic, 0, 0);
    CHECK_NEAR(none.test.ci_lower, 0, 0);
    CHECK_NEAR(none.test.ci_upper, 0, 0);
    CHECK_NEAR(below.test.p_value, 1, 0);
    CHECK_NEAR(mcnemar(1, 23, 0).test.p_value, 2 * 25.0 / 16777216, 1e-20);
}

static void check_bounded(const struct paired_result *result)
{
    const struct test_result *test = &result->test;

    CHECK(isfinite(test->effect) && isfinite(test->statistic) && test->ci_lower <= test->ci_upper);
    CHECK(isfinite(test->ci_lower) && isfinite(test->ci_upper));
    CHECK(isfinite(test->control_value) && isfinite(test->treatment_value));
    CHECK(test->p_value >= 0 && test->p_value <= 1);
    CHECK(!test->effect_size.given || isfinite(test->effect_size.value));
}

TEST(extreme_values_stay_in_range)
{
    const double extremes[] = {DBL_MAX, -DBL_MAX, 5e-324, 0, -1e-300, 1, 1e16, 1e200};

    for (int i = 0; i < 8 * 8 * 8 * 8; i++) {
        struct number_list control = LIST(extremes[i % 8], extremes[i / 8 % 8], 2);
        struct number_list treatment = LIST(extremes[i / 64 % 8], extremes[i / 512], 1);
        struct paired_result t = t_test(control, treatment), w = wilcoxon(control, treatment);

        check_bounded(&t);
        check_bounded(&w);
        arena_reset(arena);
    }
}

/* The largest differences cancel in the mean: what is left must come out. */
TEST(wide_values)
{
    struct paired_result result = t_test(LIST(DBL_MAX, -DBL_MAX), LIST(-DBL_MAX, DBL_MAX));

    CHECK_NEAR(result.test.statistic, 0, 0);
    CHECK_NEAR(result.test.p_value, 1, 1e-15);
    CHECK_NEAR(result.test.effect, 0, 0);
    CHECK_NEAR(result.test.ci_upper, DBL_MAX, 0);
    result = t_test(LIST(DBL_MAX, -DBL_MAX, 0), LIST(-DBL_MAX, DBL_MAX, 3e300));
    CHECK_RELATIVE(result.test.effect, 1e300, 1e-7);
    CHECK(!t_test(LIST(DBL_MAX, 0), LIST(DBL_MAX, 1e300)).test.degenerate);
    CHECK_NEAR(wilcoxon(LIST(DBL_MAX, 0), LIST(-DBL_MAX, DBL_MAX)).test.ci_lower, -DBL_MAX, 0);
    CHECK_RELATIVE(t_test(LIST(1e300, 0, 0), LIST(1e300, 1, 2)).test.statistic, sqrt(3), 1e-15);
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(t_without_variation_is_degenerate),
        CASE(wilcoxon_wants_two_ranks),
        CASE(wilcoxon_in_balance),
        CASE(mcnemar_changes_its_method_at_25),
        CASE(extreme_values_stay_in_range),
        CASE(wide_values),
    };

    arena = arena_create((size_t)1 << 20);
    return arena ? test_run_all(cases, sizeof cases / sizeof cases[0]) : 1;
}
