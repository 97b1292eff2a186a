/* Metrics that are robust against outliers: means of capped values, and quantiles. */
#include "experiments/live_results/live_results_internal.h"

#include "math/normal.h"
#include "stats/binned.h"
#include "stats/sequential/confidence_sequence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What one robust metric is made of. */
struct robust {
    const struct live_results *results;
    const struct robust_metric *asked;
    int64_t metric; /* by number; 0 = without events */
    struct live_metric *shown;
    struct binned_sample everybody[LIVE_ARMS_MAX]; /* of the arms of the design */
    struct binned_sample with_events[LIVE_ARMS_MAX];
    bool undefined; /* a value cannot be squared */
};

static int by_position(const void *one, const void *other)
{
    int64_t first = ((const struct binned_cell *)one)->index;
    int64_t second = ((const struct binned_cell *)other)->index;

    return (first > second) - (first < second);
}

/* Those without events are zeros, beside those whose events sum up to 0. */
static void add_zeros(struct binned_sample *sample, int64_t people)
{
    for (size_t i = 0; i < sample->count; i++) {
        if (sample->cells[i].index == 0) {
            sample->cells[i].count += people;
            return;
        }
    }
    sample->cells[sample->count++] = (struct binned_cell){.count = people};
}

static void read_sample(struct robust *robust, int arm)
{
    const struct live_rollup *rollup = &robust->results->view->rollup;
    struct arena *arena = robust->results->call->arena;
    int64_t people = live_view_moments(robust->results->view, LIVE_PRESENCE, LIVE_EVERYBODY, arm).n;
    struct binned_sample *sample = &robust->everybody[arm], *seen = &robust->with_events[arm];

    seen->cells = ARENA_ARRAY(arena, struct binned_cell, 1 + rollup->cell_count);
    for (size_t i = 0; i < rollup->cell_slots; i++) {
        const struct live_cell *cell = rollup->cells[i];

        if (!cell || cell->metric != robust->metric || cell->arm != arm || cell->slice >= 0 ||
            cell->people == 0)
            continue;
        robust->undefined = robust->undefined || cell->huge > 0;
        seen->cells[seen->count++] =
            (struct binned_cell){cell->slice - LIVE_BINS, cell->people, cell->sum, cell->squares};
        seen->total += cell->people;
    }
    *sample = (struct binned_sample){
        seen->count, ARENA_ARRAY(arena, struct binned_cell, 1 + seen->count), people};
    if (seen->count)
        memcpy(sample->cells, seen->cells, seen->count * sizeof *seen->cells);
    if (people > seen->total)
        add_zeros(sample, people - seen->total);
    qsort(sample->cells, sample->count, sizeof *sample->cells, by_position);
    qsort(seen->cells, seen->count, sizeof *seen->cells, by_position);
}

/* Welch's test, as of the metric itself. */
static void compare_means(const struct robust *robust, const struct live_moments *before,
                          const struct live_moments *after, struct live_metric_comparison *result)
{
    const struct continuous_observation means = {
        .control_mean = before->mean,
        .control_std = before->n > 1 ? sqrt(before->squares / (double)(before->n - 1)) : 0,
        .control_n = before->n,
        .treatment_mean = after->mean,
        .treatment_std = after->n > 1 ? sqrt(after->squares / (double)(after->n - 1)) : 0,
        .treatment_n = after->n,
        .alpha = robust->results->alpha};
    struct test_result test;

    if (before->n < SUBJECTS_MIN || after->n < SUBJECTS_MIN || !before->defined || !after->defined)
        return;
    two_sample_continuous(&means, &test);
    if (!test.degenerate)
        live_results_fill_metric(&test, false, result);
}

static int64_t capped_number(const struct robust *robust)
{
    const struct live_experiment *experiment = &robust->results->view->experiment;

    for (size_t i = 0; i < experiment->robust_count; i++)
        if (experiment->robust[i].capped && experiment->robust[i].metric == robust->metric &&
            experiment->robust[i].cap == robust->asked->at)
            return live_capped_metric(i);
    return 0;
}

static void compare_capped(const struct robust *robust, int arm,
                           struct live_metric_comparison *result)
{
    const struct live_view *view = robust->results->view;
    int64_t number = robust->metric ? capped_number(robust) : 0;
    struct live_moments before = live_view_moments(view, number, LIVE_EVERYBODY, CONTROL_ARM);
    struct live_moments after = live_view_moments(view, number, LIVE_EVERYBODY, arm);

    compare_means(robust, &before, &after, result);
}

static struct live_moments winsorized(const struct binned_sample *sample, double cap)
{
    struct live_moments moments = {.n = sample->total, .defined = true};
    struct binned_moments capped;

    if (sample->total == 0)
        return moments;
    capped = binned_capped_moments(sample, cap);
    moments.mean = capped.mean;
    moments.squares = fmax(capped.squares, 0);
    return moments;
}

static void compare_winsorized(const struct robust *robust, int arm,
                               struct live_metric_comparison *result)
{
    struct live_moments before, after;

    if (!robust->shown->cap.given)
        return;
    before = winsorized(&robust->everybody[CONTROL_ARM], robust->shown->cap.value);
    after = winsorized(&robust->everybody[arm], robust->shown->cap.value);
    compare_means(robust, &before, &after, result);
}

static struct quantile_cells cells_of(const struct binned_sample *sample, struct arena *arena)
{
    struct quantile_cell *cells = ARENA_ARRAY(arena, struct quantile_cell, sample->count);
    int64_t through = 0;

    for (size_t i = 0; i < sample->count; i++) {
        const struct binned_edges ends = binned_cell_ends(&sample->cells[i]);

        through += sample->cells[i].count;
        cells[i] = (struct quantile_cell){ends.lower, ends.upper, through};
    }
    return (struct quantile_cells){sample->count, cells};
}

/* Valid at every look; the bins make the interval wider. */
static void add_always_valid(const struct robust *robust, const struct binned_sample *before,
                             const struct binned_sample *after,
                             struct live_metric_comparison *result)
{
    struct arena *arena = robust->results->call->arena;
    const struct quantile_cells control = cells_of(before, arena);
    const struct quantile_cells treatment = cells_of(after, arena);
    struct quantile_sequence sequence;

    if (control.count == 0 || treatment.count == 0)
        return;
    quantile_sequence_difference(&control, &treatment, robust->asked->at / 100,
                                 (double)robust->results->call->mixture_users,
                                 robust->results->alpha, &sequence);
    result->always_valid_p_value = live_results_number(true, sequence.p_value);
    result->always_valid_lower = live_results_number(true, sequence.lower);
    result->always_valid_upper = live_results_number(true, sequence.upper);
}

static void compare_quantiles(const struct robust *robust, int arm,
                              struct live_metric_comparison *result)
{
    const struct binned_sample *samples =
        robust->asked->ignore_zeros ? robust->with_events : robust->everybody;
    double z = normal_upper_quantile(robust->results->alpha / 2), share = robust->asked->at / 100;
    struct binned_quantile before, after;
    double error, effect;

    add_always_valid(robust, &samples[CONTROL_ARM], &samples[arm], result);
    if (!binned_quantile(&samples[CONTROL_ARM], share, z, &before) ||
        !binned_quantile(&samples[arm], share, z, &after))
        return;
    error = hypot(before.error, after.error);
    effect = after.value - before.value;
    result->control_value = GIVEN_NUMBER(before.value);
    result->treatment_value = GIVEN_NUMBER(after.value);
    result->effect = GIVEN_NUMBER(effect);
    result->effect_relative = live_results_number(
        before.value != 0, before.value != 0 ? 100 * effect / fabs(before.value) : 0);
    if (error == 0) /* many share the value: it has no interval */
        return;
    result->status = "ok";
    result->ci_lower = GIVEN_NUMBER(effect - z * error);
    result->ci_upper = GIVEN_NUMBER(effect + z * error);
    result->p_value = GIVEN_NUMBER(erfc(fabs(effect) / error / sqrt(2)));
}

/* Subjects with events of the metric. */
static int64_t seen_by(const struct robust *robust)
{
    int64_t people = 0;

    for (size_t i = 0; i < robust->results->arms; i++)
        people += robust->with_events[i].total;
    return people;
}

static void read_bins(struct robust *robust)
{
    double share = robust->asked->at / 100, cap = 0;

    for (size_t i = 0; i < robust->results->arms; i++)
        read_sample(robust, (int)i);
    if (robust->undefined)
        robust->shown->reason = "values_too_large";
    if (robust->asked->statistic != ROBUST_WINSORIZED_MEAN || robust->undefined)
        return;
    if (!binned_cap(robust->asked->ignore_zeros ? robust->with_events : robust->everybody,
                    robust->results->arms, share, &cap))
        robust->shown->reason = seen_by(robust) ? "values_too_large" : "no_values";
    else if (cap > 0)
        robust->shown->cap = GIVEN_NUMBER(cap);
    else
        robust->shown->reason = "cap_not_positive";
}

void live_results_robust(const struct live_results *results, const struct robust_metric *asked,
                         struct live_metric *shown)
{
    static void (*const compare[ROBUST__MAX])(const struct robust *robust, int arm,
                                              struct live_metric_comparison *result) = {
        compare_capped, compare_winsorized, compare_quantiles};
    size_t count = results->arms - 1;
    struct live_metric_comparison *comparisons =
        ARENA_ARRAY(results->call->arena, struct live_metric_comparison, count);
    struct robust robust = {.results = results,
                            .asked = asked,
                            .metric = live_view_metric(results->view, asked->name),
                            .shown = shown};

    *shown = (struct live_metric){.name = asked->name,
                                  .role = "secondary",
                                  .unit = robust_statistic_names[asked->statistic],
                                  .direction = goal_direction_names[asked->direction],
                                  .at = GIVEN_NUMBER(asked->at),
                                  .comparisons = {count, comparisons}};
    if (asked->statistic == ROBUST_CAPPED_MEAN)
        shown->cap = GIVEN_NUMBER(asked->at);
    else
        read_bins(&robust);
    for (size_t i = 0; i < count; i++) {
        comparisons[i] = (struct live_metric_comparison){.treatment_index = (int64_t)i + 1,
                                                         .status = "insufficient_data"};
        if (!robust.undefined && !results->clustered)
            compare[asked->statistic](&robust, (int)i + 1, &comparisons[i]);
    }
    live_results_mark_improvements(&shown->comparisons, asked->direction);
}
