/* Boschloo's and Barnard's tests: reference cases, and small tables by going through all of them.
 */
#include "base/number.h"
#include "math/binomial.h"
#include "math/hypergeometric.h"
#include "stats/fisher_exact.h"
#include "stats/unconditional_exact.h"
#include "test.h"

static struct arena *arena;

typedef void unconditional_test(const struct binary_observation *observed, struct arena *arena,
                                struct test_result *result);

static double p_value(unconditional_test *test, int64_t x1, int64_t n1, int64_t x2, int64_t n2)
{
    struct binary_observation observed = {x1, n1, x2, n2, 0.05};
    struct test_result result;

    test(&observed, arena, &result);
    return result.p_value;
}

#define CHECK_ROUNDED(actual, digits, expected)                                                    \
    CHECK_NEAR(number_round(actual, digits), expected, 0)

/* The first four are those of scipy 1.10, whose search stops short for the last (0.037217). */
TEST(reference_cases)
{
    CHECK_ROUNDED(p_value(boschloo_test, 3, 10, 8, 10), 6, 0.041389);
    CHECK_ROUNDED(p_value(barnard_test, 3, 10, 8, 10), 6, 0.041389);
    CHECK_ROUNDED(p_value(boschloo_test, 2, 8, 11, 25), 6, 0.379091);
    CHECK_ROUNDED(p_value(barnard_test, 2, 8, 11, 25), 6, 0.371643);
    CHECK_ROUNDED(p_value(boschloo_test, 40, 100, 55, 100), 6, 0.037263);
    CHECK_ROUNDED(p_value(barnard_test, 40, 100, 55, 100), 6, 0.037263);
}

TEST(described_as_fishers)
{
    struct binary_observation observed = {3, 10, 8, 10, 0.05};
    struct test_result fisher, boschloo, barnard;

    fisher_exact_test(&observed, &fisher);
    boschloo_test(&observed, arena, &boschloo);
    barnard_test(&observed, arena, &barnard);
    CHECK(!fisher.is_significant && boschloo.is_significant && barnard.is_significant);
    CHECK_NEAR(boschloo.effect, fisher.effect, 0);
    CHECK_NEAR(barnard.effect_size_upper.value, fisher.effect_size_upper.value, 0);
    CHECK_NEAR(barnard.ci_lower, fisher.ci_lower, 0);
}

enum extreme_by { BY_FEWER, BY_MORE, BY_DISTANCE };

/* How extreme a table is, larger meaning more so. */
static double extremeness(enum extreme_by by, int64_t x1, int64_t n1, int64_t x2, int64_t n2)
{
    double total = (double)(n1 + n2), pooled = (double)(x1 + x2) / total;
    double difference = (double)x1 / (double)n1 - (double)x2 / (double)n2;
    double error = sqrt(pooled * (1 - pooled) * (1 / (double)n1 + 1 / (double)n2));

    if (by == BY_FEWER)
        return -hypergeometric_cdf(x1, n1 + n2, x1 + x2, n1);
    if (by == BY_MORE)
        return -hypergeometric_survival(x1 - 1, n1 + n2, x1 + x2, n1);
    return error > 0 ? fabs(difference) / error : 0;
}

/* The highest probability of all tables at least as extreme, on a fine grid of rates: at most the
 * supremum, and close to it. */
static double by_enumeration(enum extreme_by by, int64_t x1, int64_t n1, int64_t x2, int64_t n2)
{
    double seen = extremeness(by, x1, n1, x2, n2), highest = 0;

    seen -= 1e-9 * fabs(seen);
    for (int step = 1; step < 400; step++) {
        double rate = step / 400.0, sum = 0;

        for (int64_t i = 0; i <= n1; i++)
            for (int64_t j = 0; j <= n2; j++)
                if (extremeness(by, i, n1, j, n2) >= seen)
                    sum += binomial_pmf(i, n1, rate) * binomial_pmf(j, n2, rate);
        highest = fmax(highest, sum);
    }
    return highest;
}

TEST(all_tables)
{
    static const int64_t tables[][4] = {
        {0, 2, 2, 2}, {0, 3, 3, 4}, {1, 4, 4, 5}, {0, 5, 1, 3}, {2, 6, 5, 5}};

    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        const int64_t *t = tables[i];
        double sides = fmin(by_enumeration(BY_FEWER, t[0], t[1], t[2], t[3]),
                            by_enumeration(BY_MORE, t[0], t[1], t[2], t[3]));

        CHECK_NEAR(p_value(boschloo_test, t[0], t[1], t[2], t[3]), fmin(2 * sides, 1), 1e-4);
        CHECK_NEAR(p_value(barnard_test, t[0], t[1], t[2], t[3]),
                   by_enumeration(BY_DISTANCE, t[0], t[1], t[2], t[3]), 1e-4);
    }
}

/* With 2 users each, all of one arm and none of the other: the one table and its mirror have
 * probability 2 (pq)^2, at most 1/8. */
TEST(by_hand)
{
    CHECK_RELATIVE(p_value(barnard_test, 0, 2, 2, 2), 1.0 / 8, 1e-12);
    CHECK_RELATIVE(p_value(boschloo_test, 0, 2, 2, 2), 1.0 / 8, 1e-12);
    CHECK_RELATIVE(p_value(barnard_test, 0, 3, 3, 3), 2.0 / 64, 1e-12);
}

/* Twice the smaller side need not reach 1. */
TEST(equal_rates_are_no_evidence)
{
    static const int64_t tables[][4] = {
        {0, 5, 0, 9}, {5, 5, 9, 9}, {2, 4, 3, 6}, {50, 100, 50, 100}};

    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        const int64_t *t = tables[i];

        CHECK_NEAR(p_value(barnard_test, t[0], t[1], t[2], t[3]), 1, 0);
        CHECK(p_value(boschloo_test, t[0], t[1], t[2], t[3]) > 0.9);
    }
}

/* Boschloo is at least as powerful as Fisher everywhere. */
TEST(boschloo_is_at_most_fishers_double)
{
    for (int64_t i = 0; i <= 12; i++) {
        for (int64_t j = 0; j <= 9; j++) {
            double fewer = hypergeometric_cdf(i, 21, i + j, 12);
            double more = hypergeometric_survival(i - 1, 21, i + j, 12);

            CHECK(p_value(boschloo_test, i, 12, j, 9) <= 2 * fmin(fewer, more) * (1 + 1e-9));
        }
    }
}

/* Mirrors of a table, by arm and by outcome, have its p-value. */
TEST(symmetries)
{
    unconditional_test *const tests[] = {boschloo_test, barnard_test};

    for (int i = 0; i < 2; i++) {
        double p = p_value(tests[i], 7, 31, 15, 40);

        CHECK_RELATIVE(p_value(tests[i], 15, 40, 7, 31), p, 1e-12);
        CHECK_RELATIVE(p_value(tests[i], 24, 31, 25, 40), p, 1e-12);
    }
}

/* Far beyond what a request may ask: at this size all tests agree. */
TEST(large_tables)
{
    struct binary_observation observed = {2400, 12000, 2550, 12000, 0.05};
    struct test_result z;

    two_sample_binary(&observed, &z);
    CHECK_NEAR(p_value(barnard_test, 2400, 12000, 2550, 12000), z.p_value, 1e-3);
    CHECK_NEAR(p_value(boschloo_test, 2400, 12000, 2550, 12000), z.p_value, 1e-3);
}

static const struct test_case cases[] = {
    CASE(reference_cases),
    CASE(described_as_fishers),
    CASE(all_tables),
    CASE(by_hand),
    CASE(equal_rates_are_no_evidence),
    CASE(boschloo_is_at_most_fishers_double),
    CASE(symmetries),
    CASE(large_tables),
};

int main(void)
{
    int failed;

    arena = arena_create((size_t)64 << 20);
    failed = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return failed;
}
