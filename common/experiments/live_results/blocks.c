/* Guardrails, the holdout, and the population. */
#include "experiments/live_results/clusters.h"

#include "stats/equivalence.h"
#include "stats/stratified.h"

#include <math.h>
#include <string.h>

static const char *const guardrail_directions[GUARDRAIL__MAX] = {"increase_is_bad",
                                                                 "decrease_is_bad"};

static struct stratum_arm estimate_of(const struct live_moments *moments, bool binary)
{
    double n = (double)moments->n, rate = (double)moments->converted / n;

    if (moments->n == 0)
        return (struct stratum_arm){.is_rate = binary};
    if (!binary)
        return (struct stratum_arm){moments->n, moments->mean, moments->squares, false};
    return (struct stratum_arm){moments->n, rate, rate * (double)(moments->n - moments->converted),
                                true};
}

static const struct live_guardrail_arm *guardrail_arm(const struct live_results *results, int arm,
                                                      const struct stratum_arm *estimate)
{
    struct live_guardrail_arm *result = ARENA_NEW(results->call->arena, struct live_guardrail_arm);

    *result = (struct live_guardrail_arm){
        arm, estimate->n, live_results_number(estimate->n >= SUBJECTS_MIN, estimate->mean)};
    return result;
}

static double guardrail_margin(const struct guardrail_metric *metric)
{
    bool binary = metric->metric_type == METRIC_BINARY;
    struct optional_number baseline = binary ? metric->baseline_rate : metric->baseline_mean;

    if (!metric->non_inferiority_margin_pct.given || !baseline.given)
        return 0;
    return fabs(baseline.value) / (binary ? 100 : 1) * metric->non_inferiority_margin_pct.value /
           100;
}

static void compare_guardrail(const struct live_results *results,
                              const struct guardrail_metric *metric, int arm,
                              struct live_guardrail_comparison *result)
{
    const struct live_view *view = results->view;
    int64_t number = live_view_metric(view, metric->name);
    bool binary = metric->metric_type == METRIC_BINARY;
    struct live_moments before = live_view_moments(view, number, LIVE_EVERYBODY, CONTROL_ARM);
    struct live_moments after = live_view_moments(view, number, LIVE_EVERYBODY, arm);
    struct stratum_arm control = estimate_of(&before, binary);
    struct stratum_arm treatment = estimate_of(&after, binary);
    double effect = treatment.mean - control.mean;
    double harm = metric->direction == GUARDRAIL_INCREASE_IS_BAD ? effect : -effect;
    double margin = guardrail_margin(metric);
    struct harm_result test = {0};

    if (results->clustered)
        live_clusters_harm(results, metric->name, binary, arm,
                           metric->direction == GUARDRAIL_INCREASE_IS_BAD, margin, &test);
    else if (before.n >= SUBJECTS_MIN && after.n >= SUBJECTS_MIN && before.defined && after.defined)
        harm_test(harm, stratum_arm_variance(&control) + stratum_arm_variance(&treatment), margin,
                  results->alpha, &test);
    *result =
        (struct live_guardrail_comparison){.treatment_index = arm,
                                           .status = "insufficient_data",
                                           .control = guardrail_arm(results, CONTROL_ARM, &control),
                                           .treatment = guardrail_arm(results, arm, &treatment),
                                           .margin = margin};
    if (!test.evaluable) {
        result->note = live_results_text(results, "live.guardrail_insufficient");
        return;
    }
    result->status = test.is_breached ? "breached" : test.is_warning ? "warning" : "ok";
    result->effect = GIVEN_NUMBER(effect);
    result->harm = GIVEN_NUMBER(harm);
    result->harm_lower_bound = GIVEN_NUMBER(test.harm_lower_bound);
    result->harm_upper_bound = GIVEN_NUMBER(test.harm_upper_bound);
    result->p_value = GIVEN_NUMBER(test.p_value);
    result->is_breached = test.is_breached;
    if (margin > 0) {
        result->is_non_inferior = (struct optional_boolean){true, test.is_non_inferior};
        result->p_value_non_inferior = GIVEN_NUMBER(test.p_non_inferior);
    }
}

/* From best to worst; a status that is not listed is worse than unknown. */
static int severity(const char *status)
{
    static const char *const order[] = {"insufficient_data", "ok", "warning", "breached"};

    for (int i = 0; i < 4; i++)
        if (strcmp(order[i], status) == 0)
            return i;
    return 0;
}

static void read_guardrail(const struct live_results *results,
                           const struct guardrail_metric *metric,
                           struct live_guardrail_metric *result)
{
    size_t count = results->arms - 1;
    struct live_guardrail_comparison *comparisons =
        ARENA_ARRAY(results->call->arena, struct live_guardrail_comparison, count);

    *result = (struct live_guardrail_metric){.name = metric->name,
                                             .metric_type = metric_type_names[metric->metric_type],
                                             .direction = guardrail_directions[metric->direction],
                                             .margin_pct = metric->non_inferiority_margin_pct,
                                             .status = "insufficient_data",
                                             .comparisons = {count, comparisons}};
    for (size_t i = 0; i < count; i++) {
        struct optional_boolean *all = &result->is_non_inferior;

        compare_guardrail(results, metric, (int)i + 1, &comparisons[i]);
        if (severity(comparisons[i].status) > severity(result->status))
            result->status = comparisons[i].status;
        if (guardrail_margin(metric) > 0)
            *all = (struct optional_boolean){true, (i == 0 || all->value) &&
                                                       comparisons[i].is_non_inferior.value};
    }
}

void live_results_guardrail(const struct live_results *results, struct live_stats *stats)
{
    const struct object_list *declared = &results->design->guardrail_metrics;
    struct live_guardrail *block = ARENA_NEW(results->call->arena, struct live_guardrail);
    struct live_guardrail_metric *metrics =
        ARENA_ARRAY(results->call->arena, struct live_guardrail_metric, declared->count);
    const char *worst = "insufficient_data";

    *block =
        (struct live_guardrail){.status = "unavailable",
                                .note = live_results_text(results, "live.guardrail_none_declared"),
                                .metrics = {declared->count, metrics}};
    stats->guardrail = block;
    if (declared->count == 0)
        return;
    for (size_t i = 0; i < declared->count; i++) {
        read_guardrail(results, (const struct guardrail_metric *)declared->items + i, &metrics[i]);
        if (severity(metrics[i].status) > severity(worst))
            worst = metrics[i].status;
    }
    block->note = live_results_text(results, "live.guardrail_no_data");
    if (severity(worst) == 0)
        return;
    block->status = worst;
    block->any_breached = strcmp(worst, "breached") == 0;
    block->note = live_results_text(results, "live.guardrail");
}

/* All arms but the control in one. */
static struct live_results_arm pool_treated(const struct live_results *results)
{
    struct live_results_arm treated = {.index = 1, .defined = true};
    struct stratum_arm pool = {0};

    for (size_t i = 1; i < results->arms; i++) {
        struct live_results_arm arm = live_results_arm(results, (int)i);
        struct stratum_arm part = {.n = arm.n,
                                   .mean = arm.mean,
                                   .squares = arm.deviation * arm.deviation *
                                              (double)(arm.n > 1 ? arm.n - 1 : 0)};

        treated.converted += arm.converted;
        treated.defined = treated.defined && arm.defined;
        pool = stratum_arm_pool(&pool, &part);
    }
    treated.n = pool.n;
    treated.mean = pool.mean;
    if (pool.n > 1)
        treated.deviation = sqrt(pool.squares / (double)(pool.n - 1));
    return treated;
}

static const struct live_holdout_side *side_of(const struct live_results *results,
                                               const char *label,
                                               const struct live_results_arm *arm)
{
    struct live_holdout_side *side = ARENA_NEW(results->call->arena, struct live_holdout_side);
    bool binary = results->design->metric_type == METRIC_BINARY;

    *side = (struct live_holdout_side){
        .label = label, .exposed_users = arm->n, .converted_users = arm->converted};
    if (binary)
        side->conversion_rate =
            live_results_number(arm->n > 0, (double)arm->converted / (double)arm->n);
    else {
        side->mean = live_results_number(arm->n > 0 && arm->defined, arm->mean);
        side->std = live_results_number(arm->n > 1 && arm->defined, arm->deviation);
    }
    return side;
}

void live_results_holdout(const struct live_results *results, struct live_stats *stats)
{
    struct live_holdout *block = ARENA_NEW(results->call->arena, struct live_holdout);
    int type = results->design->metric_type;
    struct live_results_arm holdout = live_results_arm(results, LIVE_HOLDOUT);
    struct live_results_arm treated = pool_treated(results);
    struct live_comparison comparison = {0};

    *block = (struct live_holdout){.status = "unavailable"};
    stats->holdout = block;
    if (type == METRIC_RATIO || type == METRIC_COUNT) {
        block->note = live_results_text(results, type == METRIC_RATIO ? "live.holdout_ratio"
                                                                      : "live.holdout_count");
        return;
    }
    if (results->clustered) {
        block->note = live_results_text(results, "live.clusters_only");
        return;
    }
    if (holdout.n == 0) {
        block->note = live_results_text(results, "live.holdout_none");
        return;
    }
    live_results_compare(results, &holdout, &treated, &comparison);
    *block = (struct live_holdout){
        .status = comparison.status,
        .note = strcmp(comparison.status, "ok") == 0 ? live_results_text(results, "live.holdout")
                                                     : comparison.note,
        .treated = side_of(results, "treated", &treated),
        .holdout = side_of(results, "holdout", &holdout),
        .analysis = comparison.analysis,
        .probability_treated_beats_holdout = comparison.probability_treatment_beats_control,
        .always_valid = comparison.always_valid,
        .treated_users_total = GIVEN_INTEGER(treated.n),
        .holdout_users_total = GIVEN_INTEGER(holdout.n)};
}

static const double horizon_days = 14;

static void time_events(const struct live_results *results, struct live_event_timing *block)
{
    struct live_rollup *rollup = (struct live_rollup *)&results->view->rollup;
    int64_t metric = live_view_metric(results->view, live_results_timed_metric(results));

    *block = (struct live_event_timing){
        .status = "ok",
        .metric = live_results_timed_metric(results),
        .horizon_days = horizon_days,
    };
    block->conversion_window = conversion_window_names[payload_window(
        results->design, block->metric, &block->conversion_window_days)];
    for (int arm = 0; metric && arm < LIVE_ARMS_MAX; arm++) {
        const struct live_cell *cell = live_rollup_cell(rollup, metric, LIVE_EVERYBODY, arm);

        block->late += cell->late;
        block->out_of_order += cell->early;
        block->total += cell->events;
    }
    block->in_window = block->total - block->late - block->out_of_order;
}

static int64_t crossed_people(const struct live_results *results)
{
    int64_t crossed = 0;

    for (int i = 0; i < 1 + LIVE_ARMS_MAX; i++)
        crossed += results->view->rollup.arms[i].crossed;
    return crossed;
}

static double share_of(int64_t part, int64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

void live_results_population(const struct live_results *results, struct live_stats *stats)
{
    struct arena *arena = results->call->arena;
    const struct live_experiment *experiment = &results->view->experiment;
    struct live_event_timing *timing = ARENA_NEW(arena, struct live_event_timing);
    struct live_identity_resolution *identity = ARENA_NEW(arena, struct live_identity_resolution);
    struct live_exclusions *exclusions = ARENA_NEW(arena, struct live_exclusions);
    struct live_population *population = ARENA_NEW(arena, struct live_population);
    int64_t treated = 0, manual = 0, spiked = 0, filtered, crossed, holdout;
    bool linked = experiment->links > 0;

    for (int i = 1; i < 1 + LIVE_ARMS_MAX; i++) {
        treated += results->view->rollup.arms[i].people;
        manual += results->view->rollup.arms[i].excluded;
        spiked += results->view->rollup.arms[i].spiked;
    }
    crossed = crossed_people(results);
    holdout = results->view->rollup.arms[0].people;
    filtered = manual + spiked;
    time_events(results, timing);
    *identity = (struct live_identity_resolution){
        .status = linked ? "active" : "inactive",
        .linked_identities = experiment->links,
        .canonicalized_events = live_results_integer(linked, experiment->alias_exposures +
                                                                 experiment->alias_conversions),
        .merged_users = live_results_integer(linked, experiment->merged_people)};
    *exclusions =
        (struct live_exclusions){.status = filtered > 0 ? "active" : "inactive",
                                 .total_filtered = filtered,
                                 .manual_filtered = live_results_integer(filtered > 0, manual),
                                 .rate_spike_filtered = live_results_integer(filtered > 0, spiked)};
    *population =
        (struct live_population){.status = "ok",
                                 .policy_version = "analytical_population_v1",
                                 .treated_users = treated,
                                 .holdout_users = holdout,
                                 .multiple_exposure_users = crossed,
                                 .multiple_exposure_share = share_of(crossed, treated + holdout),
                                 .excluded_users = filtered,
                                 .manual_excluded = manual,
                                 .rate_spike_excluded = spiked,
                                 .linked_identities = experiment->links,
                                 .policy_aligned = true};
    population->fingerprint = arena_print(
        arena,
        "analytical_population_v1|metric=%s|treated=%lld|holdout=%lld|excluded=%lld|manual=%lld"
        "|spike=%lld|links=%lld",
        results->design->primary_metric_name, (long long)treated,
        (long long)population->holdout_users, (long long)filtered, (long long)manual,
        (long long)spiked, (long long)experiment->links);
    stats->event_timing = timing;
    stats->identity_resolution = identity;
    stats->exclusions = exclusions;
    stats->population = population;
}
