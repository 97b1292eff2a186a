/* Permutation and bootstrap: a result depends on nothing but the data; draws are uniform. Numbers
 * are checked in tests/oracle. */
#include "base/number.h"
#include "math/chi_square.h"
#include "math/index_draws.h"
#include "stats/resampling.h"
#include "test.h"

static struct arena *arena;

#define LIST(...)                                                                                  \
    ((struct number_list){sizeof((double[]){__VA_ARGS__}) / sizeof(double),                        \
                          (double[]){__VA_ARGS__}})
#define CHECK_ROUNDED(actual, digits, expected)                                                    \
    CHECK_NEAR(number_round(actual, digits), expected, 0)

static struct resampling_result means(struct number_list control, struct number_list treatment)
{
    struct ranked_observation observed = {
        .control_values = control, .treatment_values = treatment, .alpha = 0.05};
    struct resampling_result result;

    resampling_means(&observed, RESAMPLES, arena, &result);
    return result;
}

static struct resampling_result quantiles(struct number_list control, struct number_list treatment,
                                          double quantile)
{
    struct ranked_observation observed = {.control_values = control,
                                          .treatment_values = treatment,
                                          .alpha = 0.05,
                                          .quantile = quantile};
    struct resampling_result result;

    resampling_quantiles(&observed, RESAMPLES, arena, &result);
    return result;
}

/* first, first + 1, ... */
static struct number_list count_up(double *values, size_t count, double first)
{
    for (size_t i = 0; i < count; i++)
        values[i] = first + (double)i;
    return (struct number_list){count, values};
}

TEST(no_variation_is_not_degenerate)
{
    struct resampling_result tied = means(LIST(2, 2), LIST(2, 2));
    struct resampling_result apart = means(LIST(1, 1), LIST(2, 2));

    CHECK(!tied.test.degenerate);
    CHECK_INT(tied.permutations, 6);
    CHECK_NEAR(tied.test.p_value, 1, 0);
    CHECK_NEAR(tied.test.ci_lower, 0, 0);
    CHECK_NEAR(tied.test.ci_upper, 0, 0);
    CHECK_NEAR(tied.test.power, 0, 0);
    CHECK(!tied.test.effect_size.given);
    CHECK_INT(tied.test.effect_size_kind, EFFECT_SIZE_COHENS_D);
    CHECK_RELATIVE(apart.test.p_value, 1.0 / 3, 1e-15);
    CHECK_NEAR(apart.test.ci_lower, 1, 1e-15);
    CHECK_NEAR(apart.test.statistic, 0, 0);
    tied = quantiles(LIST(2, 2), LIST(2, 2), 0.3);
    CHECK_NEAR(tied.test.p_value, 1, 0);
    CHECK_NEAR(tied.test.statistic, 0, 0);
    CHECK_NEAR(tied.test.power, 0, 0);
}

/* No effect, but variation: power is alpha, as in every other test. */
TEST(no_effect)
{
    CHECK_NEAR(means(LIST(1, 2, 3), LIST(3, 2, 1)).test.power, 0.05, 1e-12);
    CHECK_NEAR(means(LIST(1, 2, 3), LIST(3, 2, 1)).test.p_value, 1, 0);
    CHECK_NEAR(quantiles(LIST(1, 2, 3), LIST(3, 2, 1), 0.5).test.power, 0.05, 1e-12);
}

TEST(results_depend_on_the_data_alone)
{
    double control[30], treatment[30], turned[30];
    struct resampling_result once = means(count_up(control, 30, 0), count_up(treatment, 30, 6));
    struct resampling_result again, mirror;

    for (size_t i = 0; i < 30; i++)
        turned[i] = control[29 - i];
    again = means((struct number_list){30, turned}, (struct number_list){30, treatment});
    CHECK_NEAR(again.test.p_value, once.test.p_value, 0);
    CHECK_NEAR(again.test.ci_lower, once.test.ci_lower, 0);
    mirror = means((struct number_list){30, treatment}, (struct number_list){30, turned});
    CHECK_NEAR(mirror.test.p_value, once.test.p_value, 0);
    CHECK_NEAR(mirror.test.effect, -once.test.effect, 0);
}

/* Seeds are fixed, so these figures are the same on every host. */
TEST(known_draws)
{
    double control[30], treatment[30];
    struct resampling_result result = means(count_up(control, 30, 0), count_up(treatment, 30, 6));

    CHECK_INT(lround(result.test.p_value * (1 + RESAMPLES)), 22);
    CHECK_ROUNDED(result.test.ci_lower, 6, 1.733333);
    CHECK_ROUNDED(result.test.ci_upper, 6, 10.333333);
}

/* Chi-square of the draws over all places; one in 10^6 would fail. */
TEST(draws_are_uniform)
{
    static const uint32_t bounds[] = {2, 3, 10, 100, 1000, 4097};
    enum { DRAWS = 200000 };
    static uint32_t places[DRAWS + INDEX_DRAWS_SPARE];

    for (size_t b = 0; b < sizeof bounds / sizeof bounds[0]; b++) {
        struct index_draws draws = index_draws_start(5, b);
        double counts[4097] = {0}, chi_square = 0, expected = (double)DRAWS / bounds[b];

        index_draws_fill(&draws, bounds[b], places, DRAWS);
        for (size_t i = 0; i < DRAWS; i++) {
            CHECK(places[i] < bounds[b]);
            counts[places[i]]++;
        }
        for (uint32_t place = 0; place < bounds[b]; place++)
            chi_square += (counts[place] - expected) * (counts[place] - expected) / expected;
        CHECK(chi_square_survival(chi_square, bounds[b] - 1) > 1e-6);
        CHECK(chi_square_cdf(chi_square, bounds[b] - 1) > 1e-6);
    }
}

/* Neighbouring draws of one word are independent. */
TEST(draws_of_one_word_are_independent)
{
    enum { BOUND = 30, DRAWS = 200000, CELLS = BOUND * BOUND };
    static uint32_t places[DRAWS + INDEX_DRAWS_SPARE];
    struct index_draws draws = index_draws_start(6, 0);
    double counts[CELLS] = {0}, chi_square = 0, expected = DRAWS / 2.0 / CELLS;

    index_draws_fill(&draws, BOUND, places, DRAWS);
    for (size_t i = 0; i < DRAWS; i += 2)
        counts[places[i] * BOUND + places[i + 1]]++;
    for (int cell = 0; cell < CELLS; cell++)
        chi_square += (counts[cell] - expected) * (counts[cell] - expected) / expected;
    CHECK(chi_square_survival(chi_square, CELLS - 1) > 1e-6);
    CHECK(chi_square_cdf(chi_square, CELLS - 1) > 1e-6);
}

TEST(bound_of_one)
{
    uint32_t places[3 + INDEX_DRAWS_SPARE];
    struct index_draws draws = index_draws_start(7, 0);

    index_draws_fill(&draws, 1, places, 3);
    CHECK(places[0] == 0 && places[1] == 0 && places[2] == 0);
}

static const struct test_case cases[] = {
    CASE(no_variation_is_not_degenerate),
    CASE(no_effect),
    CASE(results_depend_on_the_data_alone),
    CASE(known_draws),
    CASE(draws_are_uniform),
    CASE(draws_of_one_word_are_independent),
    CASE(bound_of_one),
};

int main(void)
{
    int failed;

    arena = arena_create((size_t)64 << 20);
    failed = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return failed;
}
