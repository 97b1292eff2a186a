/* Computes all blocks from one view. */
#include "experiments/live_results/clusters.h"
#include "experiments/live_results/goals.h"

#include "experiments/analyses/report_print.h"
#include "experiments/analyses/results_analysis.h"
#include "experiments/analyses/results_evidence.h"

#include "report/drawing.h"

#include <math.h>
#include <string.h>

struct optional_number live_results_number(bool given, double value)
{
    return (struct optional_number){given && isfinite(value), given && isfinite(value) ? value : 0};
}

struct optional_integer live_results_integer(bool given, int64_t value)
{
    return (struct optional_integer){given, given ? value : 0};
}

const char *live_results_text(const struct live_results *results, const char *key)
{
    if (results->rough)
        return NULL;
    return locale_format(results->call->locale, results->call->arena, key, NO_TEXT_ARGUMENTS);
}

const char *live_results_arm_letter(struct arena *arena, int64_t arm)
{
    return arena_print(arena, "%c", (char)('A' + arm));
}

const char *live_results_effect_text(const struct live_results_call *call,
                                     const struct payload_metrics *design, double size,
                                     double effect)
{
    const char *number = report_print_isolated(call->locale, call->arena,
                                               print_difference(call->arena, false, size, effect));

    if (design->metric_type != METRIC_BINARY)
        return number;
    return locale_format(call->locale, call->arena, "live.points",
                         TEXT_ARGUMENTS({"value", number}));
}

/* What always-valid inference is tuned for must not depend on the data: the smallest effect the
 * design cares about, or the error that so many subjects would leave. */
static double mixture_variance(const struct payload_metrics *design, int64_t people)
{
    double effect = design->baseline_value * fabs(design->mde_pct) / 100;
    double variance = 0;

    if (effect > 0)
        return effect * effect;
    if (design->metric_type == METRIC_BINARY)
        variance = design->baseline_value * (1 - design->baseline_value);
    else if (design->std_dev.given)
        variance = design->std_dev.value * design->std_dev.value;
    return variance > 0 ? 2 * variance / (double)people : 0;
}

double goal_sign(const struct payload_metrics *design)
{
    return design->direction == GOAL_DECREASE ? -1 : 1;
}

double live_results_unit(const struct payload_metrics *design)
{
    return design->metric_type == METRIC_BINARY ? 100 : 1;
}

double live_results_better(const struct live_results *results, double probability_larger)
{
    return results->design->direction == GOAL_DECREASE ? 1 - probability_larger
                                                       : probability_larger;
}

void live_results_start(struct live_results *results, const struct live_results_call *call,
                        const struct live_view *view)
{
    double comparisons = view->arm_count > 1 ? (double)view->arm_count - 1 : 1;

    *results = (struct live_results){.call = call,
                                     .view = view,
                                     .design = view->design->metrics,
                                     .arms = view->arm_count,
                                     .rough = call->rough,
                                     .alpha = view->design->metrics->alpha / comparisons};
    results->clustered = view->experiment.cluster_plan.kept;
    if (results->clustered)
        results->goal_tests =
            ARENA_ARRAY(call->arena, struct cluster_result *, 1 + view->arm_count);
    results->mixture = mixture_variance(results->design, call->mixture_users);
    live_results_make_plan(view, call->arena, &results->plan);
}

double live_results_share(const struct live_results *results, size_t arm)
{
    const struct number_list *split = &results->view->design->setup->traffic_split;
    double sum = 0;

    for (size_t i = 0; i < split->count; i++)
        sum += split->items[i];
    return split->count == results->arms && sum > 0 ? split->items[arm] / sum
                                                    : 1 / (double)results->arms;
}

int64_t live_results_subjects(const struct live_results *results)
{
    int64_t people = 0;

    for (size_t i = 0; i < results->arms; i++)
        people += live_results_arm(results, (int)i).n;
    return people;
}

const char *live_results_timed_metric(const struct live_results *results)
{
    const char *numerator = results->design->numerator_metric_name;

    return results->design->metric_type == METRIC_RATIO && numerator
               ? numerator
               : results->design->primary_metric_name;
}

const struct results_reply *live_results_analysis(const struct live_results *results,
                                                  const struct test_result *test,
                                                  const char *interpretation)
{
    static const struct analyzer *const analyzer_of[METRIC__MAX] = {
        [METRIC_BINARY] = &binary_analyzer,
        [METRIC_CONTINUOUS] = &continuous_analyzer,
        [METRIC_RATIO] = &ratio_analyzer,
        [METRIC_COUNT] = &continuous_analyzer};
    struct results_reply *analysis = ARENA_NEW(results->call->arena, struct results_reply);
    const struct results_call call = {.locale = results->call->locale,
                                      .arena = results->call->arena};
    struct results_finding finding = {.test = *test, .interpretation = interpretation};

    finding.test.lower_is_better = results->design->direction == GOAL_DECREASE;
    finding.test.effect_size_kind = EFFECT_SIZE_NONE;
    finding.test.effect_size = finding.test.effect_size_lower = finding.test.effect_size_upper =
        (struct optional_number){0};
    results_compose(&call, analyzer_of[results->design->metric_type], &finding, analysis);
    analysis->relative_lift = results_lift_of(test, results->call->arena);
    return analysis;
}

void live_results_statistics(const struct live_results_call *call, const struct live_view *view,
                             struct live_stats *stats)
{
    struct live_results results;

    live_results_start(&results, call, view);
    *stats = (struct live_stats){
        .experiment_id = view->experiment.id,
        .metric_type = metric_type_names[results.design->metric_type],
        .primary_metric_name = results.design->primary_metric_name,
        .direction = goal_direction_names[results.design->direction],
        .exposures_total = live_results_subjects(&results),
        .disclaimer = live_results_text(&results, "live.disclaimer"),
    };
    for (size_t i = 0; i < results.arms; i++)
        stats->conversions_total +=
            live_view_moments(view, live_view_metric(view, live_results_timed_metric(&results)),
                              LIVE_EVERYBODY, (int)i)
                .converted;
    live_results_srm(&results, stats);
    live_results_comparisons(&results, stats);
    live_results_sequential(&results, stats);
    live_results_goals(&results, stats);
    live_results_cuped(&results, stats);
    live_results_adjusted(&results, stats);
    live_results_stratified(&results, stats);
    live_results_guardrail(&results, stats);
    live_results_holdout(&results, stats);
    live_results_population(&results, stats);
    live_results_metrics(&results, stats);
    live_results_forecast(&results, stats);
    live_results_drill_down(&results, stats);
    live_results_anomalies(&results, stats);
    live_results_adaptive(&results, stats);
    live_results_clusters(&results, stats);
    stats->livedata = live_results_source(view, call->arena);
}
