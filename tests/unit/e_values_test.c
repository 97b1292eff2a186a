/*
 * E-values: figures of an independent computation, their inversion, and discoveries that hold while
 * looking: experiments in which some slices have an effect and others have none are watched by
 * somebody who stops at the worst moment. ASSAY_TEST_SOAK=1 simulates 10 000 experiments of each
 * kind instead of 200; docs/use/statistics.md tells those figures.
 */
#include "math/random.h"
#include "stats/always_valid.h"
#include "stats/e_values.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EXPERIMENTS = 200, SOAKED = 10000, SLICES = 20, LOOKS = 10, USERS_PER_LOOK = 60 };

static const double level = 0.05;
static struct arena *arena;

/* By the densities: the mixture of noncentral t distributions over effects with variance `mixture`,
 * divided by the central one (scipy.integrate.quad of nct.pdf). */
TEST(an_e_value_is_a_ratio_of_densities)
{
    static const struct {
        struct e_estimate estimate;
        double log_value;
    } cases[] = {
        {{0.3, 0.01, 0.04, 20}, 2.191832575793},
        {{0, 1, 1, 5}, -0.346573590280},
        {{-2.5, 0.25, 0.5, 99}, 6.667809292103},
    };
    double log_value;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK(e_log_value(&cases[i].estimate, &log_value));
        CHECK_NEAR(log_value, cases[i].log_value, 1e-8);
    }
}

TEST(with_many_users_it_is_the_mixture_test)
{
    const struct e_estimate estimate = {0.021, 4e-5, 2.5e-5, 1e9};
    struct always_valid always;
    double log_value;

    always_valid_test(estimate.effect, estimate.variance, estimate.mixture, level, &always);
    CHECK(e_log_value(&estimate, &log_value));
    CHECK_NEAR(exp(-log_value), always.p_value, 1e-7);
    CHECK_NEAR(e_radius(&estimate, log(1 / level)), (always.upper - always.lower) / 2, 1e-7);
}

TEST(the_interval_is_what_is_not_rejected)
{
    for (double freedom = 3; freedom < 1e6; freedom *= 7) {
        struct e_estimate estimate = {0, 0.04, 0.5, freedom};
        double log_value, radius = e_radius(&estimate, 2);

        if (isinf(radius))
            continue;
        estimate.effect = radius;
        CHECK(e_log_value(&estimate, &log_value));
        CHECK_NEAR(log_value, 2, 1e-9);
    }
    CHECK(isinf(e_radius(&(struct e_estimate){0, 1, 1e-6, 5}, 9)));
    CHECK(isinf(e_radius(&(struct e_estimate){0, 0, 1, 5}, 9)));
}

TEST(what_cannot_be_evaluated)
{
    double unused;

    CHECK(!e_log_value(&(struct e_estimate){1, 0, 1, 5}, &unused));
    CHECK(!e_log_value(&(struct e_estimate){1, 1, 0, 5}, &unused));
    CHECK(!e_log_value(&(struct e_estimate){1, 1, 1, 0}, &unused));
    CHECK(!e_log_value(&(struct e_estimate){INFINITY, 1, 1, 5}, &unused));
    CHECK(!e_log_value(&(struct e_estimate){NAN, 1, 1, 5}, &unused));
}

/* Needed with 4 hypotheses at 10 %: 40, 20, 13.3, 10. */
TEST(discoveries_step_up)
{
    const double values[] = {log(14), log(9), log(13.5), log(25)};
    bool found[4];

    CHECK_INT(e_discover(values, 4, 4, 0.1, arena, found), 3);
    CHECK(found[0] && !found[1] && found[2] && found[3]);
    CHECK_INT(e_discover(values, 4, 8, 0.1, arena, found), 0);
    CHECK(!found[0] && !found[3]);
    CHECK_INT(e_discover(values, 0, 8, 0.1, arena, found), 0);
    CHECK_NEAR(exp(e_log_limit(4, 3, 0.1)), 40.0 / 3, 1e-12);
    CHECK_NEAR(exp(e_log_limit(4, 0, 0.1)), 40, 1e-12);
}

/* Sums of an arm of a slice, of two metrics of the same users. */
struct side {
    double n, sum, squares, converted;
};

enum kind { RARE, SKEWED, KINDS };

static void see(struct random *random, double effect, struct side *side)
{
    for (int i = 0; i < USERS_PER_LOOK; i++) {
        bool converted = random_uniform(random) < 0.05 * (1 + effect);
        double value = exp(1.5 * random_normal(random)) * (1 + 5 * effect);

        side->n++;
        side->converted += converted;
        side->sum += value;
        side->squares += value * value;
    }
}

static double mean_variance(const struct side *side)
{
    return (side->squares - side->sum * side->sum / side->n) / (side->n - 1) / side->n;
}

static double rate_variance(const struct side *side)
{
    double share = (side->converted + 1) / (side->n + 2);

    return share * (1 - share) / (side->n + 2);
}

static double log_value_of(const struct side sides[2], enum kind kind)
{
    struct e_estimate estimate = {.freedom = sides[0].n - 1};
    double log_value = -INFINITY;

    if (kind == SKEWED) {
        estimate.effect = sides[1].sum / sides[1].n - sides[0].sum / sides[0].n;
        estimate.variance = mean_variance(&sides[0]) + mean_variance(&sides[1]);
    } else {
        estimate.effect = sides[1].converted / sides[1].n - sides[0].converted / sides[0].n;
        estimate.variance = rate_variance(&sides[0]) + rate_variance(&sides[1]);
    }
    estimate.mixture = estimate.variance * sides[0].n / 2 * 2 / 500;
    if (sides[0].n >= 100)
        (void)e_log_value(&estimate, &log_value);
    return log_value;
}

/* The share of false discoveries where somebody stops who wants as many as possible: at the first
 * false one, else at the end. `affected` slices have an effect. */
static double worst_share(struct random *random, int affected, size_t *found_at_the_end)
{
    struct side sides[SLICES][2];
    double log_values[SLICES * KINDS];
    bool found[SLICES * KINDS];
    size_t count = 0, wrong = 0;

    memset(sides, 0, sizeof sides);
    for (int look = 0; look < LOOKS && wrong == 0; look++) {
        for (int i = 0; i < SLICES * 2; i++)
            see(random, i % 2 && i / 2 < affected ? 1 : 0, &sides[i / 2][i % 2]);
        for (int i = 0; i < SLICES * KINDS; i++)
            log_values[i] = log_value_of(sides[i / KINDS], (enum kind)(i % KINDS));
        arena_reset(arena);
        count = e_discover(log_values, SLICES * KINDS, SLICES * KINDS, level, arena, found);
        for (int i = affected * KINDS; i < SLICES * KINDS; i++)
            wrong += found[i];
    }
    *found_at_the_end += count - wrong;
    return count ? (double)wrong / (double)count : 0;
}

static void simulate(int affected, int experiments)
{
    double sum = 0, squares = 0, error;
    size_t right = 0;

    for (int i = 0; i < experiments; i++) {
        struct random random = random_start(31 + (uint64_t)affected, (uint64_t)i);
        double share = worst_share(&random, affected, &right);

        sum += share;
        squares += share * share;
    }
    sum /= experiments;
    error = sqrt(fmax(squares / experiments - sum * sum, 0) / experiments);
    printf("%d of %d slices with an effect: false discoveries %.4f (error %.4f), found %.2f\n",
           affected, SLICES, sum, error, (double)right / experiments);
    CHECK(sum - 3 * error <= level);
    if (affected)
        CHECK(right > 0);
}

TEST(discoveries_hold_while_looking)
{
    int experiments = getenv("ASSAY_TEST_SOAK") ? SOAKED : EXPERIMENTS;

    simulate(0, experiments);
    simulate(5, experiments);
}

int main(void)
{
    static const struct test_case cases[] = {CASE(an_e_value_is_a_ratio_of_densities),
                                             CASE(with_many_users_it_is_the_mixture_test),
                                             CASE(the_interval_is_what_is_not_rejected),
                                             CASE(what_cannot_be_evaluated),
                                             CASE(discoveries_step_up),
                                             CASE(discoveries_hold_while_looking)};
    int status;

    arena = arena_create(1 << 20);
    status = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return status;
}
