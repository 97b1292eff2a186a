/*
 * How often rules that may stop a test early are wrong, by simulation: hybrid tests, and through
 * the decision itself readings before and at the planned size, and planned looks. Prints the first
 * three tables of docs/use/error-rates-stopping.md; the fourth is that of loss_error_rates.c.
 *
 *   stopping_error_rates [RUNS]     10 000 by default
 *
 * The exit code is 1 when a rule that keeps alpha is wrong significantly more often: when the lower
 * 99 % bound of its rate is above alpha.
 */
#include "../unit/live_bench.h"

#include "base/number.h"
#include "experiments/live_results/live_results_internal.h"
#include "math/normal.h"
#include "stats/sequential/confidence_sequence.h"
#include "stats/sequential/hybrid.h"
#include "support/streams.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RUNS = 10000, USERS_MAX = 5000, READINGS = 200, SEED_FIRST = 350 };

static const double alpha = 0.05;
static struct ziggurat ziggurat;

static bool print_rate(int64_t wrong, int64_t runs, double level, bool claims_nothing)
{
    double lower = stream_lower_bound(wrong, runs);

    printf(" %.2f %% | %.2f %% | %s |\n", 100 * (double)wrong / (double)runs, 100 * lower,
           claims_nothing   ? "claims nothing"
           : lower <= level ? "holds"
                            : "**fails**");
    fflush(stdout);
    return claims_nothing || lower <= level;
}

/* --- hybrid tests --- */

struct hybrid_row {
    const char *name;
    enum stream_metric metric;
    stream_draw *draw;
    double parameter;
    double share; /* of the treatment */
    bool adjusted;
    double early_share;
    double end; /* over the planned users */
    bool claims_nothing;
};

static const struct hybrid_row hybrid_rows[] = {
    {"means, normal", METRIC_MEAN, stream_normal, 1, .5, false, .5, 1},
    {"means, normal", METRIC_MEAN, stream_normal, 1, .5, false, .1, 1},
    {"means, normal", METRIC_MEAN, stream_normal, 1, .5, false, .9, 1},
    {"means, normal", METRIC_MEAN, stream_normal, 1, .2, true, .5, 1},
    {"means, normal, half more users than planned", METRIC_MEAN, stream_normal, 1, .5, false, .5,
     1.5},
    {"means, normal, half of the planned users", METRIC_MEAN, stream_normal, 1, .5, false, .5, .5},
    {"means, log-normal 1.5", METRIC_MEAN, stream_log_normal, 1.5, .5, false, .5, 1},
    {"control: means, log-normal 1.5", METRIC_MEAN, stream_log_normal, 1.5, .2, true, .5, 1, true},
    {"rates of 10 %", METRIC_RATE, stream_rate, .1, .5, false, .5, 1},
    {"rates of 10 %", METRIC_RATE, stream_rate, .1, .2, true, .9, 1},
    {"ratios, log-normal amounts", METRIC_RATIO_OF_TOTALS, stream_ratio, 1.5, .5, false, .5, 1},
    {"ratios, log-normal amounts", METRIC_RATIO_OF_TOTALS, stream_ratio, 1.5, .5, true, .5, 1},
};

/* Users of an arm, up to so many of the smaller one. */
static void fill_arm(const struct hybrid_row *row, double smaller, int arm, struct draws *draws,
                     struct stream_sums *sums)
{
    double users = arm == 0 ? floor(smaller * (1 - row->share) / row->share) : smaller;
    struct stream_user user = {0};

    while (sums->n < users) {
        row->draw(draws, row->parameter, &user);
        stream_add(sums, &user);
    }
}

static double z_at(const struct hybrid_row *row, double smaller, struct draws *draws,
                   struct stream_sums sums[2])
{
    double difference, variance;

    for (int arm = 0; arm < 2; arm++)
        fill_arm(row, smaller, arm, draws, &sums[arm]);
    stream_estimate(sums, row->metric, row->adjusted, &difference, &variance);
    return variance > 0 ? fabs(difference) / sqrt(variance) : 0;
}

struct hybrid_counts {
    int64_t early, wrong, single; /* single: of one test at the end alone */
};

static void run_hybrid(const struct hybrid_row *row, const struct hybrid_design *design,
                       struct draws *draws, struct hybrid_counts *counts)
{
    double least = row->metric == METRIC_RATE ? SEQUENCE_RATE_USERS_MIN : SEQUENCE_USERS_MIN;
    double last = USERS_MAX * row->end, z;
    struct stream_sums sums[2] = {0};
    bool early = false;

    for (int i = 0; i < READINGS && !early; i++) {
        double smaller = floor(least * pow((last - 1) / least, (double)i / (READINGS - 1)));

        early =
            z_at(row, smaller, draws, sums) > hybrid_early_z(&design->plan, smaller / USERS_MAX);
    }
    z = z_at(row, last, draws, sums);
    counts->early += early;
    counts->wrong += early || z > design->end_z;
    counts->single += z > normal_upper_quantile(alpha / 2);
}

static bool run_hybrid_row(const struct hybrid_row *row, int64_t runs)
{
    struct arena *arena = arena_create((size_t)1 << 28);
    struct hybrid_design *design = ARENA_NEW(arena, struct hybrid_design);
    struct hybrid_plan plan = {alpha, row->early_share, hybrid_mixture(.5, alpha, row->early_share),
                               row->end};
    struct hybrid_counts counts = {0};

    if (!hybrid_solve(&plan, arena, design))
        return false;
    for (int64_t i = 0; i < runs; i++) {
        struct draws draws;

        draws_start(&draws, &ziggurat, SEED_FIRST + (uint64_t)(row - hybrid_rows), (uint64_t)i);
        run_hybrid(row, design, &draws, &counts);
    }
    printf("| %s | %s | %s | %g | %.2f %% | %.2f %% | %.2f %% |", row->name,
           row->share < .5 ? "1 : 4" : "1 : 1", row->adjusted ? "yes" : "no", row->early_share,
           100 * (double)counts.single / (double)runs, 100 * design->early_error,
           100 * (double)counts.early / (double)runs);
    arena_destroy(arena);
    return print_rate(counts.wrong, runs, alpha, row->claims_nothing);
}

static bool run_hybrids(int64_t runs)
{
    bool holds = true;

    printf("| metric | split | adjusted | share | one test | wrong before the end, at most | "
           "before the end | "
           "ever wrong | lower 99 %% bound | |\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof hybrid_rows / sizeof hybrid_rows[0]; i++)
        holds = run_hybrid_row(&hybrid_rows[i], runs) && holds;
    return holds;
}

/* --- running experiments, by the decision --- */

enum { STEP_USERS = 25, ARMS_MAX = 3 };

struct looks_row {
    const char *name;
    int metric_type;
    size_t arms;
    struct payload_looks looks;
};

static double halves[] = {.5, 1}, quarters[] = {.25, .5, .75, 1}, uneven[] = {.1, .6, 1};
static double fifths[] = {.2, .4, .6, .8, 1};

#define LOOKS_OF(spending, fractions, ...)                                                         \
    {                                                                                              \
        .alpha_spending = (spending),                                                              \
        .information_fractions = {sizeof(fractions) / sizeof(fractions)[0], fractions},            \
        __VA_ARGS__                                                                                \
    }

static const struct looks_row looks_rows[] = {
    {"rates, O'Brien-Fleming, four looks", METRIC_BINARY, 2,
     LOOKS_OF(SPENDING_OBRIEN_FLEMING, quarters)},
    {"rates, Pocock, five looks", METRIC_BINARY, 2, LOOKS_OF(SPENDING_POCOCK, fifths)},
    {"rates, Pocock, two looks, two treatments", METRIC_BINARY, 3,
     LOOKS_OF(SPENDING_POCOCK, halves)},
    {"means, Kim-DeMets 2, three uneven looks", METRIC_CONTINUOUS, 2,
     LOOKS_OF(SPENDING_POWER, uneven, .alpha_parameter = GIVEN_NUMBER(2))},
    {"rates, O'Brien-Fleming, four looks, non-binding futility, not followed", METRIC_BINARY, 2,
     LOOKS_OF(SPENDING_OBRIEN_FLEMING, quarters, .futility = FUTILITY_NON_BINDING,
              .beta_spending = SPENDING_OBRIEN_FLEMING)},
};

/* With futility the test has one side, at half of alpha. */
static double alpha_of(const struct looks_row *row)
{
    return row->looks.futility == FUTILITY_NONE ? alpha : alpha / 2;
}

struct looks_plan {
    struct bench bench;
    struct arena *work; /* of one decision */
    double planned;     /* users of an arm */
    const char *name;
};

static void add_users(struct bench *bench, int metric_type, struct draws *draws,
                      struct stream_sums *arms)
{
    for (size_t a = 0; a < bench->view.arm_count; a++) {
        struct stream_user user = {0};
        struct stream_sums *sums = &arms[a];
        bool rate = metric_type == METRIC_BINARY;

        for (int i = 0; i < STEP_USERS; i++) {
            if (rate)
                stream_rate(draws, .2, &user);
            else
                stream_normal(draws, 1, &user);
            user.value += rate ? 0 : 10;
            stream_add(sums, &user);
        }
        lay(bench, PRIMARY, LIVE_EVERYBODY, (int)a, (int64_t)sums->n,
            (int64_t)(rate ? sums->one[0] : sums->n), sums->one[0],
            sums->two[0][0] - sums->one[0] * sums->one[0] / sums->n);
    }
}

/* What the decision needs, with the quick approximations of trial changes. */
static void decide(struct bench *bench, struct arena *arena, struct policy_outcome *outcome)
{
    const struct live_results_call call = {locale_get(LANGUAGE_EN), arena, USERS_MAX};
    struct live_stats *stats = &bench->stats;
    struct live_results results;

    live_results_start(&results, &call, &bench->view);
    results.rough = true;
    *stats = (struct live_stats){.exposures_total = live_results_subjects(&results)};
    live_results_srm(&results, stats);
    live_results_comparisons(&results, stats);
    live_results_sequential(&results, stats);
    live_results_guardrail(&results, stats);
    policy_decide(stats, &bench->metrics, outcome);
}

/* What the design plans, from a decision about the first users. */
static void start_looks(struct looks_plan *plan, const struct looks_row *row)
{
    bool rate = row->metric_type == METRIC_BINARY;
    struct bench *bench = &plan->bench;
    struct stream_sums arms[ARMS_MAX] = {0};
    struct policy_outcome outcome;
    struct draws draws;

    bench_start(bench, row->metric_type, rate ? .2 : 10, rate ? 20 : 1, row->arms);
    bench->metrics.std_dev = GIVEN_NUMBER(1);
    bench->constraints.planned_looks = &row->looks;
    draws_start(&draws, &ziggurat, 36, 0);
    add_users(bench, row->metric_type, &draws, arms);
    plan->work = arena_create((size_t)1 << 28);
    decide(bench, plan->work, &outcome);
    plan->planned = arms[0].n / bench->stats.sequential->plans;
    plan->name = arena_copy_string(bench->arena, bench->stats.sequential->planned_looks->plan);
    arena_reset(plan->work);
}

/* What every treatment shows now, as a look. */
static void keep_look(const struct bench *bench, const struct stream_sums *arms, double fraction,
                      const char *plan, struct live_look *look)
{
    size_t count = bench->view.arm_count;

    *look = (struct live_look){.look = (int64_t)bench->view.looks.count + 1,
                               .information_fraction = fraction,
                               .users = (int64_t)(arms[0].n * (double)count),
                               .plan = plan,
                               .taken_at = "2026-01-01T00:00:00Z"};
    for (size_t a = 1; a < count; a++) {
        const struct stream_sums pair[2] = {arms[0], arms[a]};
        double difference, variance;

        stream_estimate(pair, METRIC_MEAN, false, &difference, &variance);
        look->effects[look->effect_count++] =
            (struct live_look_effect){(int64_t)a, difference, sqrt(variance)};
    }
}

/* The look that the upkeep takes at the numbers so far: decide() is slow, and says no more. */
static void take_look(struct looks_plan *plan, const struct stream_sums *arms,
                      struct live_look *looks)
{
    struct live_look_list *taken = &plan->bench.view.looks;

    keep_look(&plan->bench, arms, arms[0].n / plan->planned, plan->name, &looks[taken->count]);
    taken->count++;
    taken->items = looks;
}

static bool claims(const struct bench *bench)
{
    const struct live_comparison *shown = bench->stats.comparisons.items;

    for (size_t i = 0; i < bench->stats.comparisons.count; i++)
        if (shown[i].planned && shown[i].planned->is_significant)
            return true;
    return false;
}

struct looks_counts {
    int64_t claims, ships, looks;
};

/* One experiment up to the first claim. A look is taken at the step that reaches the next planned
 * one; between looks the decision does not change. */
static void run_looks(struct looks_plan *plan, const struct looks_row *row, uint64_t number,
                      struct looks_counts *counts)
{
    const struct number_list *fractions = &row->looks.information_fractions;
    struct bench *bench = &plan->bench;
    struct live_look looks[LIVE_LOOKS_MAX];
    struct stream_sums arms[ARMS_MAX] = {0};
    bool claimed = false, shipped = false;
    struct draws draws;

    draws_start(&draws, &ziggurat, 36, number);
    bench->view.looks = (struct live_look_list){0};
    for (size_t next = 0; next < fractions->count && !claimed;) {
        struct policy_outcome outcome;

        add_users(bench, row->metric_type, &draws, arms);
        if (arms[0].n < fractions->items[next] * plan->planned)
            continue;
        while (next < fractions->count && arms[0].n >= fractions->items[next] * plan->planned)
            next++;
        take_look(plan, arms, looks);
        decide(bench, plan->work, &outcome);
        claimed = claims(bench);
        shipped = outcome.verdict == VERDICT_SHIP;
        arena_reset(plan->work);
    }
    counts->looks += (int64_t)bench->view.looks.count;
    counts->claims += claimed;
    counts->ships += shipped;
}

static bool run_looks_row(const struct looks_row *row, int64_t runs)
{
    struct looks_counts counts = {0};
    struct looks_plan plan;

    start_looks(&plan, row);
    for (int64_t i = 0; i < runs; i++)
        run_looks(&plan, row, (uint64_t)i, &counts);
    bench_stop(&plan.bench);
    arena_destroy(plan.work);
    printf("| %s | %.1f | %.2f %% |", row->name, (double)counts.looks / (double)runs,
           100 * (double)counts.ships / (double)runs);
    return print_rate(counts.claims, runs, alpha_of(row), false);
}

static bool run_planned(int64_t runs)
{
    bool holds = true;

    printf("\n| rule | looks taken | says ship | ever wrong | lower 99 %% bound | |\n"
           "|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof looks_rows / sizeof looks_rows[0]; i++)
        holds = run_looks_row(&looks_rows[i], runs) && holds;
    return holds;
}

/* --- readings before the planned size and at it, by the decision --- */

struct policy_row {
    const char *name;
    int metric_type;
    size_t arms;
    double mde; /* in percent */
    bool claims_nothing;
    struct payload_hybrid hybrid; /* a share of 0: without */
};

static const struct policy_row policy_rows[] = {
    {"control: rates, no plan: always-valid, then the plain test",
     METRIC_BINARY,
     2,
     11.5,
     true,
     {0}},
    {"control: means, no plan: always-valid, then the plain test",
     METRIC_CONTINUOUS,
     2,
     .57,
     true,
     {0}},
    {"rates, hybrid, half of alpha early", METRIC_BINARY, 2, 11.5, false, {.5, .5}},
    {"rates, hybrid, a tenth of alpha early", METRIC_BINARY, 2, 11.5, false, {.1, .5}},
    {"rates, hybrid, half of alpha early, two treatments", METRIC_BINARY, 3, 12.7, false, {.5, .5}},
    {"means, hybrid, half of alpha early", METRIC_CONTINUOUS, 2, .57, false, {.5, .5}},
    {"means, hybrid, nine tenths of alpha early", METRIC_CONTINUOUS, 2, .58, false, {.9, .5}},
};

struct policy_plan {
    struct bench bench;
    struct arena *work; /* of one decision */
    double planned;     /* users of an arm */
};

static double planned_users(const struct live_sequential *sequential)
{
    return (double)sequential->planned_sample_size_per_variant.value;
}

static void start_policy(struct policy_plan *plan, const struct policy_row *row)
{
    bool rate = row->metric_type == METRIC_BINARY;
    struct policy_outcome outcome;

    bench_start(&plan->bench, row->metric_type, rate ? .2 : 10, row->mde, row->arms);
    plan->bench.metrics.std_dev = GIVEN_NUMBER(1);
    if (row->hybrid.early_share > 0)
        plan->bench.constraints.hybrid = &row->hybrid;
    plan->work = arena_create((size_t)1 << 28);
    decide(&plan->bench, plan->work, &outcome);
    plan->planned = planned_users(plan->bench.stats.sequential);
    arena_reset(plan->work);
}

/* The test at the end, which the upkeep takes once the planned users are there. */
static void take_end(struct policy_plan *plan, const struct stream_sums *arms,
                     struct live_look *look)
{
    struct bench *bench = &plan->bench;
    const char *name;
    struct policy_outcome outcome;

    decide(bench, plan->work, &outcome);
    name = arena_copy_string(plan->work, bench->stats.sequential->hybrid->plan);
    keep_look(bench, arms, arms[0].n / plan->planned, name, look);
    bench->view.looks = (struct live_look_list){.count = 1, .items = look};
}

static bool claims_effect(const struct policy_outcome *outcome)
{
    for (size_t i = 0; i < outcome->reason_count; i++)
        if (outcome->reasons[i].reason == REASON_SIGNIFICANT_WIN ||
            outcome->reasons[i].reason == REASON_SIGNIFICANT_LOSS)
            return true;
    return false;
}

struct policy_counts {
    int64_t early, claims;
};

/* One experiment up to the first claim: a reading at each of 200 steps, the last one at the end. */
static void run_policy(struct policy_plan *plan, const struct policy_row *row, uint64_t number,
                       struct policy_counts *counts)
{
    struct bench *bench = &plan->bench;
    struct stream_sums arms[ARMS_MAX] = {0};
    double step = plan->planned / READINGS;
    bool ended = false, claimed = false;
    struct live_look look;
    struct draws draws;

    draws_start(&draws, &ziggurat, 37, number);
    bench->view.looks = (struct live_look_list){0};
    for (int i = 1; !claimed && !ended; i++) {
        struct policy_outcome outcome;

        while (arms[0].n < fmin(step * i, plan->planned))
            add_users(bench, row->metric_type, &draws, arms);
        ended = arms[0].n >= plan->planned;
        if (ended && bench->constraints.hybrid)
            take_end(plan, arms, &look);
        decide(bench, plan->work, &outcome);
        claimed = claims_effect(&outcome);
        arena_reset(plan->work);
    }
    counts->early += claimed && !ended;
    counts->claims += claimed;
}

static bool run_policy_row(const struct policy_row *row, int64_t runs)
{
    struct policy_counts counts = {0};
    struct policy_plan plan;

    start_policy(&plan, row);
    for (int64_t i = 0; i < runs; i++)
        run_policy(&plan, row, (uint64_t)i, &counts);
    bench_stop(&plan.bench);
    arena_destroy(plan.work);
    printf("| %s | %.0f | %.2f %% |", row->name, plan.planned,
           100 * (double)counts.early / (double)runs);
    return print_rate(counts.claims, runs, alpha, row->claims_nothing);
}

static bool run_policies(int64_t runs)
{
    bool holds = true;

    printf("\n| plan | users of an arm | before the end | ever wrong | lower 99 %% bound | |\n"
           "|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof policy_rows / sizeof policy_rows[0]; i++)
        holds = run_policy_row(&policy_rows[i], runs) && holds;
    return holds;
}

int main(int count, char **words)
{
    int64_t runs = RUNS;
    bool holds;

    if (count > 2 || (count == 2 && !integer_parse(words[1], &runs)))
        return 2;
    ziggurat_build(&ziggurat);
    holds = run_hybrids(runs);
    holds = run_policies(runs) && holds;
    holds = run_planned(runs) && holds;
    return holds ? 0 : 1;
}
