/* Yuen-Welch: its two limits, and what makes it degenerate. */
#include "base/number.h"
#include "stats/trimmed_mean.h"
#include "test.h"

static struct arena *arena;

#define LIST(...)                                                                                  \
    ((struct number_list){sizeof((double[]){__VA_ARGS__}) / sizeof(double),                        \
                          (double[]){__VA_ARGS__}})
static struct trimmed_mean_result trimmed(struct number_list control, struct number_list treatment,
                                          double trim)
{
    struct ranked_observation observed = {
        .control_values = control, .treatment_values = treatment, .alpha = 0.05, .trim = trim};
    struct trimmed_mean_result result;

    trimmed_mean_test(&observed, arena, &result);
    return result;
}

/* Nothing cut off: mean 2, sd 1 and mean 5, sd 2, by hand. */
TEST(without_trimming_it_is_welch)
{
    struct continuous_observation summary = {2, 1, 3, 5, 2, 3, 0.05, {0}};
    struct trimmed_mean_result result = trimmed(LIST(1, 2, 3), LIST(3, 5, 7), 0);
    struct test_result welch;

    two_sample_continuous(&summary, &welch);
    CHECK_RELATIVE(result.test.statistic, welch.statistic, 1e-15);
    CHECK_RELATIVE(result.test.p_value, welch.p_value, 1e-14);
    CHECK_RELATIVE(result.test.ci_lower, welch.ci_lower, 1e-14);
    CHECK_RELATIVE(result.test.degrees_of_freedom, welch.degrees_of_freedom, 1e-15);
}

/* What is cut off may be anything. */
TEST(the_ends_do_not_matter)
{
    struct trimmed_mean_result near = trimmed(LIST(1, 2, 3, 4, 5), LIST(2, 3, 4, 5, 7), 0.2);
    struct trimmed_mean_result far =
        trimmed(LIST(-1e300, 2, 3, 4, 1e308), LIST(-5, 3, 4, 5, 1e16), 0.2);

    CHECK_RELATIVE(far.test.p_value, near.test.p_value, 1e-12);
    CHECK_RELATIVE(far.test.effect, near.test.effect, 1e-12);
}

TEST(degenerate_data)
{
    CHECK(trimmed(LIST(1, 1, 1), LIST(1, 1, 1), 0.2).test.degenerate);
    CHECK(trimmed(LIST(0.1, 0.1, 0.1), LIST(0.7, 0.7), 0).test.degenerate);
    /* one value is left */
    CHECK(trimmed(LIST(1, 2, 3), LIST(1, 2, 3, 4, 5), 0.34).test.degenerate);
    /* the variation is in the part that was cut off */
    CHECK(trimmed(LIST(1, 5, 5, 5, 9), LIST(2, 6, 6, 6, 8), 0.2).test.degenerate);
    CHECK(!trimmed(LIST(1, 5, 5, 5, 9), LIST(2, 3, 6, 6, 8), 0.2).test.degenerate);
    CHECK_NEAR(trimmed(LIST(1, 1), LIST(1, 1), 0).test.p_value, 1, 0);
}

static const struct test_case cases[] = {
    CASE(without_trimming_it_is_welch),
    CASE(the_ends_do_not_matter),
    CASE(degenerate_data),
};

int main(void)
{
    int failed;

    arena = arena_create((size_t)1 << 20);
    failed = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return failed;
}
