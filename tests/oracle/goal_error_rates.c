/*
 * How often a decision with several goals claims what is not so, by simulation through the
 * decision itself. Prints the table of docs/use/error-rates-goals.md.
 *
 *   goal_error_rates [RUNS]     10 000 by default
 *
 * Three goals, a rate, a mean and a skewed mean, depend on each other; two treatments.
 */
#include "../unit/live_bench.h"

#include "experiments/live_results/goals.h"
#include "experiments/live_results/live_results_internal.h"
#include "math/beta.h"
#include "math/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 10000, GOALS = 3, ARMS = 3, LOOKS = 20, STEP = 250, FURTHER = 10 };

#define ALPHA 0.05

struct rate_case {
    const char *what;
    struct payload_goals goals;
    double effects[GOALS]; /* of both treatments, in standard deviations */
    bool ships;            /* a verdict to ship would be right */
};

struct sums {
    double n, sum, squares;
};

static struct payload_goal further[] = {
    {.name = "items", .metric_type = METRIC_CONTINUOUS},
    {.name = "revenue", .metric_type = METRIC_CONTINUOUS},
};

#define GOALS_OF(required, way, read)                                                              \
    {                                                                                              \
        .further = {2, further}, .requires = (required), .correction = (way), .reading = (read)    \
    }

static const struct rate_case cases[] = {
    {"any, Holm, every look; no effect",
     GOALS_OF(GOALS_ANY, GOALS_HOLM, GOALS_ALWAYS_VALID),
     {0},
     false},
    {"any, Holm, every look; the first goal improves",
     GOALS_OF(GOALS_ANY, GOALS_HOLM, GOALS_ALWAYS_VALID),
     {.4, 0, 0},
     true},
    {"any, in order, every look; no effect",
     GOALS_OF(GOALS_ANY, GOALS_IN_ORDER, GOALS_ALWAYS_VALID),
     {0},
     false},
    {"any, in order, every look; the first goal improves",
     GOALS_OF(GOALS_ANY, GOALS_IN_ORDER, GOALS_ALWAYS_VALID),
     {.4, 0, 0},
     true},
    {"all, every look; two of three goals improve",
     GOALS_OF(GOALS_ALL, GOALS_HOLM, GOALS_ALWAYS_VALID),
     {.4, .4, 0},
     false},
    {"any, Holm, planned end; no effect",
     GOALS_OF(GOALS_ANY, GOALS_HOLM, GOALS_PLANNED_END),
     {0},
     false},
    {"any, Holm, planned end; the first goal improves",
     GOALS_OF(GOALS_ANY, GOALS_HOLM, GOALS_PLANNED_END),
     {.4, 0, 0},
     true},
    {"any, in order, planned end; the first goal improves",
     GOALS_OF(GOALS_ANY, GOALS_IN_ORDER, GOALS_PLANNED_END),
     {.4, 0, 0},
     true},
    {"all, planned end; two of three goals improve",
     GOALS_OF(GOALS_ALL, GOALS_HOLM, GOALS_PLANNED_END),
     {.4, .4, 0},
     false},
};

/* A user of an arm: a shared part makes the goals depend on each other. */
static void add_user(struct random *random, const struct rate_case *of, bool treated,
                     struct sums sums[GOALS])
{
    double shared = random_normal(random);
    double values[GOALS];

    for (size_t g = 0; g < GOALS; g++)
        values[g] =
            sqrt(0.5) * shared + sqrt(0.5) * random_normal(random) + (treated ? of->effects[g] : 0);
    values[0] = values[0] > 1.0;
    values[2] = exp(values[2]);
    for (size_t g = 0; g < GOALS; g++) {
        sums[g].n++;
        sums[g].sum += values[g];
        sums[g].squares += values[g] * values[g];
    }
}

static void lay_sums(struct bench *bench, int arm, const struct sums sums[GOALS])
{
    for (int g = 0; g < GOALS; g++) {
        const struct sums *of = &sums[g];
        int64_t n = (int64_t)of->n, number = g == 0 ? PRIMARY : FURTHER + g;

        lay(bench, number, LIVE_EVERYBODY, arm, n, g == 0 ? (int64_t)of->sum : n, of->sum,
            of->squares - of->sum * of->sum / of->n);
    }
}

static void start(struct bench *bench, const struct rate_case *of)
{
    bench_start(bench, METRIC_BINARY, 0.1587, 20, ARMS);
    bench->metrics.goals = &of->goals;
    bench->metrics.mde_pct = 20;
    for (int i = 0; i < GOALS - 1; i++)
        live_name_entry(bench->arena, &bench->view.metrics, "", further[i].name)->number =
            FURTHER + 1 + i;
}

/* Whether a goal without an effect is claimed to be better. */
static bool has_false_claim(const struct live_goals *goals, const struct rate_case *of)
{
    const struct live_goal *items = goals->goals.items;

    for (size_t g = 0; g < GOALS; g++) {
        const struct live_goal_comparison *shown = items[g].comparisons.items;

        for (size_t i = 0; of->effects[g] == 0 && i < ARMS - 1; i++)
            if (shown[i].is_proven)
                return true;
    }
    return false;
}

struct counts {
    int64_t claims, ships; /* runs with a false one at any look */
};

/* What the decision needs, with the quick approximations of trial changes. */
static void decide(struct bench *bench, struct arena *arena, struct policy_outcome *outcome)
{
    const struct live_results_call call = {locale_get(LANGUAGE_EN), arena, LOOKS * STEP / 2};
    struct live_stats *stats = &bench->stats;
    struct live_results results;

    live_results_start(&results, &call, &bench->view);
    results.rough = true;
    *stats = (struct live_stats){.exposures_total = live_results_subjects(&results)};
    live_results_srm(&results, stats);
    live_results_comparisons(&results, stats);
    live_results_sequential(&results, stats);
    live_results_guardrail(&results, stats);
    live_results_goals(&results, stats);
    policy_decide(stats, &bench->metrics, outcome);
}

/* The looks of one experiment. What is read at the planned end is read once. */
static void run(struct bench *bench, struct arena *arena, const struct rate_case *of,
                uint64_t number, struct counts *counts)
{
    struct random random = random_start(351, number);
    struct sums sums[ARMS][GOALS] = {0};
    bool claimed = false, shipped = false, ended = false;

    for (int look = 0; look < LOOKS && !ended; look++) {
        struct policy_outcome outcome;

        for (int arm = 0; arm < ARMS; arm++) {
            for (int user = 0; user < STEP; user++)
                add_user(&random, of, arm > 0, sums[arm]);
            lay_sums(bench, arm, sums[arm]);
        }
        decide(bench, arena, &outcome);
        claimed = claimed || has_false_claim(bench->stats.goals, of);
        shipped = shipped || outcome.verdict == VERDICT_SHIP;
        ended = outcome.complete && of->goals.reading == GOALS_PLANNED_END;
    }
    arena_reset(arena);
    counts->claims += claimed;
    counts->ships += shipped && !of->ships;
}

/* Returns whether the lower 99 % bound is above alpha. */
static bool print_rate(int64_t wrong, int64_t runs)
{
    double low = wrong ? beta_quantile(0.01, (double)wrong, (double)(runs - wrong + 1)) : 0;

    printf(" %.2f %% | %.2f %% |", 100 * (double)wrong / (double)runs, 100 * low);
    return low > ALPHA;
}

int main(int count, char **arguments)
{
    int64_t runs = count > 1 ? strtoll(arguments[1], NULL, 10) : RUNS;
    struct arena *arena = arena_create((size_t)1 << 28);
    bool failed = false;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct counts counts = {0};
        struct bench bench;

        start(&bench, &cases[i]);
        for (int64_t k = 0; k < runs; k++)
            run(&bench, arena, &cases[i], (uint64_t)k, &counts);
        bench_stop(&bench);
        printf("| %s |", cases[i].what);
        failed = print_rate(counts.claims, runs) || failed;
        failed = print_rate(counts.ships, runs) || failed;
        printf("\n");
        fflush(stdout);
    }
    arena_destroy(arena);
    return failed;
}
