/* Mann-Whitney: the exact distribution, ties, and the selection of differences. */
#include "base/number.h"
#include "math/random.h"
#include "stats/rank_sum.h"
#include "stats/sample.h"
#include "test.h"

#include <stdlib.h>

static struct arena *arena;

#define LIST(...)                                                                                  \
    ((struct number_list){sizeof((double[]){__VA_ARGS__}) / sizeof(double),                        \
                          (double[]){__VA_ARGS__}})
#define CHECK_ROUNDED(actual, digits, expected)                                                    \
    CHECK_NEAR(number_round(actual, digits), expected, 0)

static struct rank_sum_result rank_sum(struct number_list control, struct number_list treatment,
                                       double alpha)
{
    struct ranked_observation observed = {
        .control_values = control, .treatment_values = treatment, .alpha = alpha};
    struct rank_sum_result result;

    rank_sum_test(&observed, arena, &result);
    return result;
}

TEST(exact_up_to_thirty_values)
{
    double control[16], treatment[15];
    struct rank_sum_result result;

    for (int i = 0; i < 15; i++) {
        control[i] = i;
        treatment[i] = 3.5 + i;
    }
    control[15] = 100;
    result = rank_sum((struct number_list){15, control}, (struct number_list){15, treatment}, 0.05);
    CHECK(result.exact);
    CHECK_ROUNDED(result.test.p_value, 6, 0.05553);
    CHECK_ROUNDED(result.test.statistic, 4, 1.908);
    CHECK_NEAR(result.test.ci_lower, -0.5, 0);
    CHECK_NEAR(result.test.ci_upper, 7.5, 0);
    CHECK_ROUNDED(result.test.effect_size.value, 4, 0.4133);
    result = rank_sum((struct number_list){16, control}, (struct number_list){15, treatment}, 0.05);
    CHECK(!result.exact);
}

/* The test does not see the middle: U at its mean has p = 1 and no distance. */
TEST(no_shift)
{
    struct rank_sum_result even = rank_sum(LIST(1, 4, 5, 8), LIST(2, 3, 6, 7), 0.05);
    struct rank_sum_result half = rank_sum(LIST(1, 4), LIST(2, 3, 5), 0.05);

    CHECK_NEAR(even.u, 8, 0);
    CHECK_NEAR(even.test.p_value, 1, 0);
    CHECK_NEAR(even.test.statistic, 0, 0);
    CHECK_NEAR(even.test.effect_size.value, 0, 0);
    CHECK_NEAR(half.test.statistic, 0.5 / sqrt(3), 1e-15); /* U = 4 of mean 3, less one half */
    CHECK_NEAR(half.test.p_value, 0.8, 1e-15);
}

TEST(all_tied_is_degenerate)
{
    struct rank_sum_result result = rank_sum(LIST(1, 1, 1), LIST(1, 1), 0.01);

    CHECK(result.test.degenerate);
    CHECK_NEAR(result.test.p_value, 1, 0);
    CHECK_NEAR(result.test.effect, 0, 0);
    CHECK_INT(result.test.effect_size_kind, EFFECT_SIZE_NONE);
    CHECK(!rank_sum(LIST(1, 1, 1), LIST(2, 2), 0.01).test.degenerate);
    CHECK_NEAR(rank_sum(LIST(-0.0, 0.0), LIST(0.0, -0.0), 0.05).test.p_value, 1, 0);
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static double sample_difference(const struct sample *control, const struct sample *treatment,
                                int64_t rank)
{
    double difference;

    sample_differences(control, treatment, &rank, 1, &difference);
    return difference;
}

/* Every rank, against a full sort of all differences; ties, mixed signs and huge ranges included.
 */
TEST(any_rank_of_the_differences)
{
    enum { N = 23, M = 31 };
    static double all[N * M];
    struct random random = random_start(7, 0);

    for (int kind = 0; kind < 4; kind++) {
        double control[N], treatment[M];
        struct sample before, after;

        for (int i = 0; i < N; i++)
            control[i] = kind == 0   ? random_normal(&random)
                         : kind == 1 ? (double)random_below(&random, 4)
                         : kind == 2 ? exp(200 * random_normal(&random))
                                     : 7;
        for (int j = 0; j < M; j++)
            treatment[j] = kind == 2 ? -exp(200 * random_normal(&random)) : control[j % N] + j % 2;
        before = sample_sort(&(struct number_list){N, control}, arena);
        after = sample_sort(&(struct number_list){M, treatment}, arena);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < M; j++)
                all[i * M + j] = treatment[j] - control[i];
        qsort(all, N * M, sizeof all[0], ascending);
        for (int rank = 1; rank <= N * M; rank++)
            CHECK_NEAR(sample_difference(&before, &after, rank), all[rank - 1], 0);
    }
}

TEST(differences_beyond_the_range_of_doubles)
{
    struct sample before = sample_sort(&LIST(-1.7e308, 1.7e308), arena);
    struct sample after = sample_sort(&LIST(-1.7e308, 1.7e308), arena);

    CHECK(sample_difference(&before, &after, 1) == -INFINITY);
    CHECK_NEAR(sample_difference(&before, &after, 2), 0, 0);
    CHECK(sample_difference(&before, &after, 4) == INFINITY);
}

TEST(sorting)
{
    enum { COUNT = 3000 };
    static double values[COUNT], expected[COUNT];
    struct random random = random_start(11, 0);

    for (size_t count = 0; count <= COUNT; count = count < 100 ? count + 7 : count * 3) {
        for (size_t i = 0; i < count; i++) {
            values[i] = i % 5 == 0   ? (double)random_below(&random, 3) - 1
                        : i % 5 == 1 ? exp(300 * random_normal(&random))
                        : i % 5 == 2 ? -exp(300 * random_normal(&random))
                                     : random_normal(&random);
            expected[i] = values[i];
        }
        sample_sort_values(values, count, arena);
        qsort(expected, count, sizeof expected[0], ascending);
        CHECK_INT(memcmp(values, expected, count * sizeof values[0]), 0);
    }
}

TEST(quantiles_interpolate)
{
    struct sample sample = sample_sort(&LIST(4, 1, 3, 2), arena);

    CHECK_NEAR(sample_quantile(&sample, 0), 1, 0);
    CHECK_NEAR(sample_quantile(&sample, 0.5), 2.5, 0);
    CHECK_NEAR(sample_quantile(&sample, 0.9), 3.7, 1e-15);
    CHECK_NEAR(sample_quantile(&sample, 1), 4, 0);
    CHECK_NEAR(sample_interpolate(-1.7e308, 1.7e308, 0.5), 0, 0);
}

/* Two means of 10^9 apart by less than the last bit of either. */
TEST(moments_keep_what_rounding_takes)
{
    struct sample one = sample_sort(&LIST(1e9, 1e9, 1e9 + 1), arena);
    struct sample huge = sample_sort(&LIST(1e300, 2e300, 3e300), arena);
    struct sample_moments moments = sample_moments(&one, arena);

    CHECK_RELATIVE(moments.rest, 1.0 / 3 - (moments.mean - 1e9), 1e-6);
    CHECK_RELATIVE(moments.deviation, sqrt(1.0 / 3), 1e-14);
    moments = sample_moments(&huge, arena);
    CHECK_RELATIVE(moments.mean, 2e300, 1e-15);
    CHECK_RELATIVE(moments.deviation, 1e300, 1e-15);
    one = sample_sort(&LIST(0.1, 0.1, 0.1), arena);
    CHECK_NEAR(sample_moments(&one, arena).deviation, 0, 0);
}

static const struct test_case cases[] = {
    CASE(exact_up_to_thirty_values),
    CASE(no_shift),
    CASE(all_tied_is_degenerate),
    CASE(any_rank_of_the_differences),
    CASE(differences_beyond_the_range_of_doubles),
    CASE(sorting),
    CASE(quantiles_interpolate),
    CASE(moments_keep_what_rounding_takes),
};

int main(void)
{
    int failed;

    arena = arena_create((size_t)64 << 20);
    failed = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return failed;
}
