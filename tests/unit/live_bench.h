/*
 * For tests of readings: a design and aggregates that are laid down by hand, without a database.
 */
#ifndef ASSAY_LIVE_BENCH_H
#define ASSAY_LIVE_BENCH_H

#include "experiments/live_results/decision.h"
#include "experiments/live_results/policy.h"
#include "test.h"

#include <stdlib.h>

enum { PRIMARY = 1, GUARDRAIL = 2 };

struct bench {
    struct arena *arena;
    struct experiment_payload design;
    struct payload_setup setup;
    struct payload_metrics metrics;
    struct payload_constraints constraints;
    struct guardrail_metric guardrail;
    struct live_view view;
    struct live_stats stats;
    struct live_decision decision;
};

static inline void bench_start(struct bench *bench, int metric_type, double baseline, double mde,
                               size_t arms)
{
    static int version;
    struct problem problem;
    double *split;

    *bench = (struct bench){.arena = arena_create((size_t)1 << 28)};
    if (locale_open_catalogues("locales", &problem))
        abort();
    split = ARENA_ARRAY(bench->arena, double, arms);
    for (size_t i = 0; i < arms; i++)
        split[i] = 1;
    bench->setup = (struct payload_setup){.traffic_split = {arms, split},
                                          .variants_count = (int64_t)arms,
                                          .expected_daily_traffic = 10000,
                                          .audience_share_in_test = 1};
    bench->metrics = (struct payload_metrics){.primary_metric_name = "purchase",
                                              .metric_type = metric_type,
                                              .baseline_value = baseline,
                                              .mde_pct = mde,
                                              .planned_test = -1,
                                              .alpha = 0.05,
                                              .power = 0.8};
    bench->constraints = (struct payload_constraints){.n_looks = 1};
    bench->design = (struct experiment_payload){
        .setup = &bench->setup, .metrics = &bench->metrics, .constraints = &bench->constraints};
    bench->view =
        (struct live_view){.experiment = {.number = 1, .id = "golden", .metrics = 2},
                           .design = &bench->design,
                           .updated_at = arena_print(bench->arena, "version %d", ++version),
                           .arm_count = arms};
    live_name_entry(bench->arena, &bench->view.metrics, "", "purchase")->number = PRIMARY;
    live_name_entry(bench->arena, &bench->view.metrics, "", "error_rate")->number = GUARDRAIL;
    live_rollup_start(&bench->view.rollup, &bench->view.experiment, bench->arena);
}

static inline void bench_stop(struct bench *bench)
{
    arena_destroy(bench->arena);
}

/* An arm of a slice: people, those with events, the sum of values and the sum of squares about the
 * mean over all people. */
static inline void lay(struct bench *bench, int64_t metric, int64_t slice, int arm, int64_t n,
                       int64_t c, double sum, double squares)
{
    struct live_rollup *rollup = &bench->view.rollup;
    struct live_cell *cell = live_rollup_cell(rollup, metric, slice, arm);

    live_rollup_cell(rollup, LIVE_PRESENCE, slice, arm)->people = n;
    if (slice == LIVE_EVERYBODY)
        rollup->arms[1 + arm].people = n;
    cell->people = cell->events = c;
    cell->sum.high = sum;
    cell->squares = (struct sum){0};
    if (n > 0) {
        sum_add_product(&cell->squares, sum, sum / (double)n);
        sum_add(&cell->squares, squares);
    }
}

static inline void lay_rate(struct bench *bench, int arm, int64_t n, int64_t c)
{
    lay(bench, PRIMARY, LIVE_EVERYBODY, arm, n, c, (double)c, 0);
}

static inline const struct live_comparison *read_stats(struct bench *bench)
{
    const struct live_results_call call = {locale_get(LANGUAGE_EN), bench->arena, 5000};

    live_results_statistics(&call, &bench->view, &bench->stats);
    return bench->stats.comparisons.items;
}

static inline void declare_guardrail(struct bench *bench, int type, double margin)
{
    bench->guardrail = (struct guardrail_metric){
        .name = "error_rate",
        .metric_type = type,
        .direction = type == METRIC_BINARY ? GUARDRAIL_INCREASE_IS_BAD : GUARDRAIL_DECREASE_IS_BAD,
        .baseline_rate = {type == METRIC_BINARY, 5},
        .baseline_mean = {type == METRIC_CONTINUOUS, 100},
        .non_inferiority_margin_pct = {margin > 0, margin}};
    bench->metrics.guardrail_metrics = (struct object_list){1, &bench->guardrail};
}

#endif
