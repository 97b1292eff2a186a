/* The generator: published vectors, ranges, and distributions by their moments and by chi-square.
 */
#include "math/chi_square.h"
#include "math/normal.h"
#include "math/random.h"
#include "math/sum.h"
#include "test.h"

#include <stddef.h>

enum { DRAWS = 100000 };

static double drawn[DRAWS];

/* Known answers distributed with the authors' Random123 library ("philox4x64 10"). */
TEST(known_answers)
{
    static const struct {
        uint64_t counter[4], key[2], words[4];
    } rows[] = {
        {{0},
         {0},
         {0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b}},
        {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX},
         {UINT64_MAX, UINT64_MAX},
         {0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0}},
        {{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89},
         {0x452821e638d01377, 0xbe5466cf34e90c6c},
         {0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6}},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t words[4];

        random_philox(rows[i].counter, rows[i].key, words);
        CHECK(memcmp(words, rows[i].words, sizeof words) == 0);
    }
}

TEST(streams_differ_and_repeat)
{
    struct random first = random_start(1, 0), again = random_start(1, 0);
    struct random second = random_start(1, 1), other_seed = random_start(0, 1);
    int same = 0;

    for (int i = 0; i < 1000; i++) {
        uint64_t word = random_u64(&first);

        CHECK(word == random_u64(&again));
        same += word == random_u64(&second);
        same += word == random_u64(&other_seed);
    }
    CHECK_INT(same, 0);
}

TEST(counter_carries_into_the_next_word)
{
    struct random random = random_start(7, 0);
    uint64_t expected[4];

    random.counter[0] = random.counter[1] = UINT64_MAX;
    random_philox((const uint64_t[]){0, 0, 1, 0}, random.key, expected);
    CHECK(random_u64(&random) == expected[0]);
}

/* Mean and variance within five standard errors; kurtosis is that of the distribution. */
static void check_moments(const char *what, double mean, double variance, double kurtosis)
{
    struct moments moments = moments_of(drawn, DRAWS);
    double mean_error = sqrt(variance / DRAWS);
    double variance_error = variance * sqrt((kurtosis - 1) / DRAWS);

    if (!(fabs(moments.mean - mean) < 5 * mean_error) ||
        !(fabs(moments.variance - variance) < 5 * variance_error)) {
        printf("%s: mean %g, variance %g\n", what, moments.mean, moments.variance);
        test_failures_here++;
    }
}

TEST(uniforms_stay_inside)
{
    struct random random = random_start(3, 0);

    for (int i = 0; i < DRAWS; i++) {
        drawn[i] = random_uniform(&random);
        CHECK(drawn[i] > 0 && drawn[i] < 1);
    }
    check_moments("uniform", 0.5, 1.0 / 12, 1.8);
    random.used = 0;
    random.words[0] = 0;
    random.words[1] = UINT64_MAX;
    CHECK(random_uniform(&random) == 0x1p-53);
    CHECK(random_uniform(&random) == 1 - 0x1p-53);
}

TEST(below_is_uniform)
{
    struct random random = random_start(4, 0);
    int counts[7] = {0};
    double chi_square = 0, expected = DRAWS / 7.0;

    for (int i = 0; i < DRAWS; i++) {
        uint64_t value = random_below(&random, 7);

        CHECK(value < 7);
        counts[value % 7]++;
    }
    for (int i = 0; i < 7; i++)
        chi_square += (counts[i] - expected) * (counts[i] - expected) / expected;
    CHECK(chi_square_survival(chi_square, 6) > 1e-6);
    CHECK(random_below(&random, 0) == 0 && random_below(&random, 1) == 0);
}

/* With a bound of 3 * 2^62 a quarter of the words must be refused; without that the first third of
 * the results would come up half as often again. */
TEST(below_refuses_what_would_bias)
{
    struct random random = random_start(5, 0);
    uint64_t bound = UINT64_C(3) << 62;
    int first_third = 0;

    for (int i = 0; i < DRAWS; i++)
        first_third += random_below(&random, bound) < bound / 3;
    CHECK_NEAR(first_third / (double)DRAWS, 1.0 / 3, 5 * sqrt(2.0 / 9 / DRAWS));
}

TEST(normals)
{
    struct random random = random_start(6, 0);
    int beyond_two = 0;

    for (int i = 0; i < DRAWS; i++) {
        drawn[i] = random_normal(&random);
        beyond_two += fabs(drawn[i]) > 2;
    }
    check_moments("normal", 0, 1, 3);
    CHECK_NEAR(beyond_two / (double)DRAWS, 2 * normal_survival(2), 5 * sqrt(0.0455 / DRAWS));
}

TEST(gammas)
{
    static const double shapes[] = {0.05, 0.5, 1, 3.5, 400};
    struct random random = random_start(8, 0);

    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        for (int i = 0; i < DRAWS; i++)
            drawn[i] = random_gamma(&random, shapes[s]);
        check_moments("gamma", shapes[s], shapes[s], 3 + 6 / shapes[s]);
    }
    CHECK(isnan(random_gamma(&random, 0)) && isnan(random_gamma(&random, INFINITY)));
    CHECK(isnan(random_gamma(&random, NAN)));
}

/* Kurtosis of the beta distribution stays below 10 for these. */
TEST(betas)
{
    static const double shapes[][2] = {{1, 1}, {0.5, 0.5}, {3, 70}, {5000, 90}};
    struct random random = random_start(9, 0);

    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        double a = shapes[s][0], b = shapes[s][1], total = a + b;

        for (int i = 0; i < DRAWS; i++) {
            drawn[i] = random_beta(&random, a, b);
            CHECK(drawn[i] >= 0 && drawn[i] <= 1);
        }
        check_moments("beta", a / total, a * b / (total * total * (total + 1)), 10);
    }
    for (int i = 0; i < 1000; i++) {
        double tiny = random_beta(&random, 1e-9, 1e-9);

        CHECK(tiny == 0 || tiny == 1);
    }
    CHECK(isnan(random_beta(&random, -1, 1)) && isnan(random_beta(&random, 1, NAN)));
}

TEST_MAIN(CASE(known_answers), CASE(streams_differ_and_repeat),
          CASE(counter_carries_into_the_next_word), CASE(uniforms_stay_inside),
          CASE(below_is_uniform), CASE(below_refuses_what_would_bias), CASE(normals), CASE(gammas),
          CASE(betas))
