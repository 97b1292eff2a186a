/* Boschloo's and Barnard's tests: cases by hand and symmetries; tables are enumerated in
 * tests/oracle. */
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
    CASE(described_as_fishers),
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
