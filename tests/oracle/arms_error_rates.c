/*
 * How often comparisons of clusters and of several arms are wrong where there is no effect, by
 * simulation. Prints the tables of docs/use/error-rates-arms.md.
 *
 *   arms_error_rates [RUNS]     10 000 by default
 */
#include "base/arena.h"
#include "base/number.h"
#include "math/beta.h"
#include "math/random.h"
#include "math/student.h"
#include "stats/arms/many_to_one.h"
#include "stats/cluster_robust.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 10000, CLUSTERS_MAX = 200, ARMS = 4, MEMORY = 1 << 24 };

#define ALPHA 0.05

static struct random source;
static struct arena *memory;

static double normal(void)
{
    return random_normal(&source);
}

static void print_row(const char *what, int64_t wrong, int64_t runs)
{
    double share = (double)wrong / (double)runs;
    double low = wrong ? beta_quantile(0.005, (double)wrong, (double)(runs - wrong + 1)) : 0;
    double high = beta_quantile(0.995, (double)(wrong + 1), (double)(runs - wrong));

    printf("| %s | %.2f %% | %.2f to %.2f %% | %s |\n", what, 100 * share, 100 * low, 100 * high,
           low > ALPHA ? "above 5 %" : "holds");
}

/* Clusters of two arms as sums; sizes are uneven by `sizes`, values by `draw`. */
struct cluster_case {
    const char *what;
    size_t control, treatment;
    double (*size)(void);
    void (*sum)(double size, double *weight, double *total);
    bool as_users; /* every user is a cluster of the test: what a test of users does */
    bool in_time;  /* slots of one unit whose levels follow each other, assigned by a coin */
};

static double size_equal(void)
{
    return 20;
}

static double size_uneven(void)
{
    return ceil(20 * random_gamma(&source, 1));
}

static double size_heavy(void)
{
    return ceil(5 * pow(random_uniform(&source), -1 / 1.2));
}

static void sum_means(double size, double *weight, double *total)
{
    *weight = size;
    *total = size * (10 + sqrt(0.1) * normal()) + sqrt(0.9 * size) * normal();
}

static void sum_rates(double size, double *weight, double *total)
{
    double rate = 1 / (1 + exp(2.5 - 0.6 * normal()));

    *weight = size;
    *total = 0;
    for (double user = 0; user < size; user++)
        *total += random_uniform(&source) < rate;
}

static void sum_ratios(double size, double *weight, double *total)
{
    double level = exp(0.3 * normal());

    *weight = *total = 0;
    for (double user = 0; user < size; user++) {
        double views = ceil(3 * random_gamma(&source, 1));

        *weight += views;
        *total += views * level * (0.5 + random_uniform(&source));
    }
}

static bool cluster_is_wrong(const struct cluster_case *test)
{
    uint32_t cluster[CLUSTERS_MAX];
    uint8_t arm[CLUSTERS_MAX];
    double weight[CLUSTERS_MAX], total[CLUSTERS_MAX], level = normal();
    struct cluster_rows rows = {.count = test->control + test->treatment,
                                .cluster = cluster,
                                .arm = arm,
                                .weight = weight,
                                .total = total};
    struct cluster_result result;

    rows.cluster_count = rows.count;
    for (size_t i = 0; i < rows.count; i++) {
        cluster[i] = (uint32_t)i;
        arm[i] = test->in_time ? random_uniform(&source) < 0.5 : i >= test->control;
        test->sum(test->size(), &weight[i], &total[i]);
        if (test->in_time) {
            level = 0.8 * level + 0.6 * normal();
            total[i] += weight[i] * level;
        }
    }
    arena_reset(memory);
    cluster_robust_test(&rows, ALPHA, memory, &result);
    return !result.refusal && result.test.is_significant;
}

/* The same users as if each were assigned alone: a z-test of values of one variance. */
static bool users_are_wrong(const struct cluster_case *test)
{
    double users[2] = {0}, sums[2] = {0}, difference;

    for (size_t i = 0; i < test->control + test->treatment; i++) {
        double weight, total;

        test->sum(test->size(), &weight, &total);
        users[i >= test->control] += weight;
        sums[i >= test->control] += total;
    }
    difference = sums[1] / users[1] - sums[0] / users[0];
    return fabs(difference) / sqrt(1 / users[0] + 1 / users[1]) > 1.959964;
}

static const struct cluster_case cluster_cases[] = {
    {"means, 5 and 5 clusters of 20", 5, 5, size_equal, sum_means, false, false},
    {"means, 10 and 10, exponential sizes", 10, 10, size_uneven, sum_means, false, false},
    {"means, 4 and 20, exponential sizes", 4, 20, size_uneven, sum_means, false, false},
    {"means, 15 and 15, Pareto 1.2 sizes", 15, 15, size_heavy, sum_means, false, false},
    {"rates, 10 and 10, exponential sizes", 10, 10, size_uneven, sum_rates, false, false},
    {"rates, 40 and 40, exponential sizes", 40, 40, size_uneven, sum_rates, false, false},
    {"ratios, 10 and 10, exponential sizes", 10, 10, size_uneven, sum_ratios, false, false},
    {"switchback, 60 slots whose levels follow each other (.8)", 30, 30, size_equal, sum_means,
     false, true},
    {"switchback, 200 slots, exponential traffic", 100, 100, size_uneven, sum_means, false, true},
    {"control: a test of users, 10 and 10 clusters of 20", 10, 10, size_equal, sum_means, true,
     false},
};

struct arms_case {
    const char *what;
    size_t users[ARMS];
    double deviation[ARMS];
    enum { BY_DUNNETT, BY_BONFERRONI, BY_NONE } method;
    bool unequal; /* variances are not taken to be one */
};

static const struct arms_case arms_cases[] = {
    {"Dunnett, 4 arms of 10", {10, 10, 10, 10}, {1, 1, 1, 1}, BY_DUNNETT, false},
    {"Dunnett, 60 and 3 of 15", {60, 15, 15, 15}, {1, 1, 1, 1}, BY_DUNNETT, false},
    {"Dunnett, 10 and 3 of 40", {10, 40, 40, 40}, {1, 1, 1, 1}, BY_DUNNETT, false},
    {"Bonferroni and Holm, 4 arms of 10", {10, 10, 10, 10}, {1, 1, 1, 1}, BY_BONFERRONI, false},
    {"Dunnett, own variances, 20 each, deviations 1 to 4",
     {20, 20, 20, 20},
     {1, 2, 3, 4},
     BY_DUNNETT,
     true},
    {"Dunnett, own variances, 10 to 40 users, deviations 4 to 1",
     {10, 20, 30, 40},
     {4, 3, 2, 1},
     BY_DUNNETT,
     true},
    {"control: pooled variance, 10 to 40 users, deviations 4 to 1",
     {10, 20, 30, 40},
     {4, 3, 2, 1},
     BY_DUNNETT,
     false},
    {"control: no correction, 4 arms of 10", {10, 10, 10, 10}, {1, 1, 1, 1}, BY_NONE, false},
};

struct arm_estimate {
    double mean, variance, df; /* the variance is that of the mean */
};

static void draw_arms(const struct arms_case *test, struct arm_estimate *arms)
{
    double squares = 0, df = 0;

    for (size_t i = 0; i < ARMS; i++) {
        double n = (double)test->users[i];
        double sum = 2 * random_gamma(&source, (n - 1) / 2) * pow(test->deviation[i], 2);

        arms[i] = (struct arm_estimate){test->deviation[i] / sqrt(n) * normal(), sum / (n - 1) / n,
                                        n - 1};
        squares += sum;
        df += n - 1;
    }
    for (size_t i = 0; i < ARMS && !test->unequal; i++)
        arms[i] = (struct arm_estimate){arms[i].mean, squares / df / (double)test->users[i], df};
}

/* Whether the interval leaves out 0. The joint law is only asked between the t quantile of one
 * comparison and that of Bonferroni, where it decides. */
static bool leaves_out_zero(const struct arms_case *test, const struct many_to_one *law, double t)
{
    double alone = student_upper_quantile(ALPHA / 2, law->df);
    double together = student_upper_quantile(ALPHA / 2 / (double)law->count, law->df);

    if (test->method == BY_NONE)
        return t > alone;
    if (test->method == BY_BONFERRONI || t <= alone || t > together)
        return t > together;
    return many_to_one_p_value(law, t, true) < ALPHA;
}

static bool arms_are_wrong(const struct arms_case *test)
{
    struct arm_estimate arms[ARMS];
    struct many_to_one law = {.count = ARMS - 1};

    draw_arms(test, arms);
    for (size_t j = 1; j < ARMS; j++)
        law.lambda[j - 1] = many_to_one_lambda(arms[0].variance, arms[j].variance);
    for (size_t j = 1; j < ARMS; j++) {
        double one = arms[0].variance, other = arms[j].variance, sum = one + other;

        law.df = test->unequal ? sum * sum / (one * one / arms[0].df + other * other / arms[j].df)
                               : arms[0].df;
        if (leaves_out_zero(test, &law, fabs(arms[j].mean - arms[0].mean) / sqrt(sum)))
            return true;
    }
    return false;
}

static void print_clusters(int64_t runs)
{
    printf("| clusters | wrong | 99 %% interval | |\n|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof cluster_cases / sizeof cluster_cases[0]; i++) {
        const struct cluster_case *test = &cluster_cases[i];
        int64_t wrong = 0;

        for (int64_t run = 0; run < runs; run++)
            wrong += test->as_users ? users_are_wrong(test) : cluster_is_wrong(test);
        print_row(test->what, wrong, runs);
    }
}

static void print_arms(int64_t runs)
{
    printf("\n| several arms | any interval wrong | 99 %% interval | |\n|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof arms_cases / sizeof arms_cases[0]; i++) {
        int64_t wrong = 0;

        for (int64_t run = 0; run < runs; run++)
            wrong += arms_are_wrong(&arms_cases[i]);
        print_row(arms_cases[i].what, wrong, runs);
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    int64_t runs = RUNS;

    if (argc > 2 || (argc == 2 && (!integer_parse(argv[1], &runs) || runs < 1))) {
        fprintf(stderr, "usage: arms_error_rates [RUNS]\n");
        return 2;
    }
    source = random_start(20, 0);
    memory = arena_create(MEMORY);
    if (!memory)
        abort();
    print_clusters(runs);
    print_arms(runs);
    arena_destroy(memory);
    return 0;
}
