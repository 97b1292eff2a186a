/*
 * What is declared different where nothing is: experiments without an effect, looked at twenty
 * times on their way to the planned size. Methods that claim to hold at every look must keep their
 * alpha over all looks together, the group sequential one over the planned ones; the plain test
 * claims one look only, and shows why. ASSAY_TEST_SOAK=1 simulates 10 000 experiments of each kind
 * instead of 1000; docs/use/live-experiments.md tells those figures.
 */
#include "experiments/design/sequential.h"
#include "math/random.h"
#include "stats/always_valid.h"
#include "stats/two_sample.h"
#include "test.h"

#include <math.h>

enum { EXPERIMENTS = 10000, LOOKS = 20, PEOPLE_PER_LOOK = 250 };

static const double alpha = 0.05;

struct shares {
    int experiments;
    int always_valid, sequential, plain, plain_at_the_end;
};

/* One more of each that was declared. */
static void count(struct shares *shares, const bool declared[4])
{
    shares->experiments++;
    shares->always_valid += declared[0];
    shares->sequential += declared[1];
    shares->plain += declared[2];
    shares->plain_at_the_end += declared[3];
}

static void look(const struct test_result *test, double difference, double variance, double mixture,
                 double boundary, bool declared[4])
{
    struct always_valid always;

    always_valid_test(difference, variance, mixture, alpha, &always);
    declared[0] = declared[0] || always.is_significant;
    declared[1] = declared[1] || fabs(test->statistic) > boundary;
    declared[2] = declared[2] || test->is_significant;
    declared[3] = test->is_significant;
}

static void run_rates(struct random *random, double rate, double constant, struct shares *shares)
{
    struct binary_observation seen = {.alpha = alpha};
    double mixture = pow(rate * 0.2, 2);
    bool declared[4] = {false};

    for (int i = 1; i <= LOOKS; i++) {
        struct test_result test;
        double p, q;

        for (int k = 0; k < PEOPLE_PER_LOOK; k++) {
            seen.control_conversions += random_uniform(random) < rate;
            seen.treatment_conversions += random_uniform(random) < rate;
        }
        seen.control_users = seen.treatment_users = (int64_t)i * PEOPLE_PER_LOOK;
        two_sample_binary(&seen, &test);
        p = (double)seen.control_conversions / (double)seen.control_users;
        q = (double)seen.treatment_conversions / (double)seen.treatment_users;
        look(&test, q - p, (p * (1 - p) + q * (1 - q)) / (double)seen.control_users, mixture,
             constant * sqrt((double)LOOKS / i), declared);
    }
    count(shares, declared);
}

/* Sums of an arm. */
struct sums {
    double n, sum, squares;
};

static double deviation(const struct sums *sums)
{
    return sqrt((sums->squares - sums->sum * sums->sum / sums->n) / (sums->n - 1));
}

static void add_values(struct random *random, struct sums *sums)
{
    for (int k = 0; k < PEOPLE_PER_LOOK; k++) {
        double value = -log(random_uniform(random)); /* skewed, as revenue is */

        sums->n++;
        sums->sum += value;
        sums->squares += value * value;
    }
}

static void run_means(struct random *random, double constant, struct shares *shares)
{
    struct sums control = {0}, treatment = {0};
    bool declared[4] = {false};

    for (int i = 1; i <= LOOKS; i++) {
        struct continuous_observation seen = {.alpha = alpha};
        struct test_result test;

        add_values(random, &control);
        add_values(random, &treatment);
        seen.control_n = seen.treatment_n = (int64_t)control.n;
        seen.control_mean = control.sum / control.n;
        seen.treatment_mean = treatment.sum / treatment.n;
        seen.control_std = deviation(&control);
        seen.treatment_std = deviation(&treatment);
        two_sample_continuous(&seen, &test);
        look(&test, test.effect,
             (seen.control_std * seen.control_std + seen.treatment_std * seen.treatment_std) /
                 control.n,
             0.0025, constant * sqrt((double)LOOKS / i), declared);
    }
    count(shares, declared);
}

static void check(const char *name, const struct shares *shares)
{
    double n = shares->experiments, band = 3 * sqrt(alpha * (1 - alpha) / n);

    printf("%s, %d experiments of %d looks: declared different at any look by the always-valid "
           "test %.4f, by the group sequential boundaries %.4f, by the plain test %.4f (at the "
           "last look alone %.4f); alpha %.2f, band %.4f\n",
           name, shares->experiments, LOOKS, shares->always_valid / n, shares->sequential / n,
           shares->plain / n, shares->plain_at_the_end / n, alpha, band);
    CHECK(shares->always_valid / n <= alpha + band);
    CHECK(fabs(shares->sequential / n - alpha) <= band + 0.005);
    CHECK(fabs(shares->plain_at_the_end / n - alpha) <= band + 0.005);
    CHECK(shares->plain / n > 2 * alpha); /* which is why it claims one look only */
}

TEST(rates_without_a_difference)
{
    struct sequential_design design;
    struct shares shares = {0};

    CHECK(!sequential_solve(LOOKS, alpha, 0.8, &design, NULL));
    for (int i = 0; i < EXPERIMENTS; i++) {
        struct random random = random_start(15, (uint64_t)i);

        run_rates(&random, 0.1, design.constant, &shares);
    }
    check("rates of 10 %", &shares);
}

TEST(means_without_a_difference)
{
    struct sequential_design design;
    struct shares shares = {0};

    CHECK(!sequential_solve(LOOKS, alpha, 0.8, &design, NULL));
    for (int i = 0; i < EXPERIMENTS; i++) {
        struct random random = random_start(16, (uint64_t)i);

        run_means(&random, design.constant, &shares);
    }
    check("exponential values", &shares);
}

TEST_MAIN(CASE(rates_without_a_difference), CASE(means_without_a_difference))
