/* All blocks from one view. */
#include "experiments/readout/readout_internal.h"

#include "experiments/analyses/results_analysis.h"
#include "experiments/analyses/results_evidence.h"

#include <math.h>
#include <string.h>

struct optional_number readout_number(bool given, double value)
{
    return (struct optional_number){given && isfinite(value), given && isfinite(value) ? value : 0};
}

struct optional_integer readout_integer(bool given, int64_t value)
{
    return (struct optional_integer){given, given ? value : 0};
}

const char *readout_text(const struct readout *readout, const char *key)
{
    if (readout->rough)
        return NULL;
    return locale_format(readout->call->locale, readout->call->arena, key, NO_TEXT_ARGUMENTS);
}

/* What always-valid inference is tuned for must not depend on the data: the smallest effect the
 * design cares about, or the error that so many people would leave. */
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

double readout_better(const struct readout *readout, double probability_larger)
{
    return readout->design->direction == GOAL_DECREASE ? 1 - probability_larger
                                                       : probability_larger;
}

void readout_start(struct readout *readout, const struct readout_call *call,
                   const struct live_view *view)
{
    double comparisons = view->arm_count > 1 ? (double)view->arm_count - 1 : 1;

    *readout = (struct readout){.call = call,
                                .view = view,
                                .design = view->design->metrics,
                                .arms = view->arm_count,
                                .alpha = view->design->metrics->alpha / comparisons};
    readout->mixture = mixture_variance(readout->design, call->mixture_users);
    readout_make_plan(view, &readout->plan);
}

double readout_share(const struct readout *readout, size_t arm)
{
    const struct number_list *split = &readout->view->design->setup->traffic_split;
    double sum = 0;

    for (size_t i = 0; i < split->count; i++)
        sum += split->items[i];
    return split->count == readout->arms && sum > 0 ? split->items[arm] / sum
                                                    : 1 / (double)readout->arms;
}

int64_t readout_people(const struct readout *readout)
{
    int64_t people = 0;

    for (size_t i = 0; i < readout->arms; i++)
        people += readout_arm(readout, (int)i).n;
    return people;
}

const char *readout_timed_metric(const struct readout *readout)
{
    const char *numerator = readout->design->numerator_metric_name;

    return readout->design->metric_type == METRIC_RATIO && numerator
               ? numerator
               : readout->design->primary_metric_name;
}

const struct results_reply *readout_analysis(const struct readout *readout,
                                             const struct test_result *test,
                                             const char *interpretation)
{
    static const struct analyzer *const analyzer_of[METRIC__MAX] = {
        [METRIC_BINARY] = &binary_analyzer,
        [METRIC_CONTINUOUS] = &continuous_analyzer,
        [METRIC_RATIO] = &ratio_analyzer,
        [METRIC_COUNT] = &continuous_analyzer};
    struct results_reply *analysis = ARENA_NEW(readout->call->arena, struct results_reply);
    const struct results_call call = {.locale = readout->call->locale,
                                      .arena = readout->call->arena};
    struct results_finding finding = {.test = *test, .interpretation = interpretation};

    finding.test.lower_is_better = readout->design->direction == GOAL_DECREASE;
    finding.test.effect_size_kind = EFFECT_SIZE_NONE;
    finding.test.effect_size = finding.test.effect_size_lower = finding.test.effect_size_upper =
        (struct optional_number){0};
    results_compose(&call, analyzer_of[readout->design->metric_type], &finding, analysis);
    analysis->relative_lift = results_lift_of(test, readout->call->arena);
    return analysis;
}

void readout_statistics(const struct readout_call *call, const struct live_view *view,
                        struct live_stats *stats)
{
    struct readout readout;

    readout_start(&readout, call, view);
    *stats = (struct live_stats){
        .experiment_id = view->experiment.id,
        .metric_type = metric_type_names[readout.design->metric_type],
        .primary_metric_name = readout.design->primary_metric_name,
        .direction = goal_direction_names[readout.design->direction],
        .exposures_total = readout_people(&readout),
        .disclaimer = readout_text(&readout, "live.disclaimer"),
    };
    for (size_t i = 0; i < readout.arms; i++)
        stats->conversions_total +=
            live_view_moments(view, live_view_metric(view, readout_timed_metric(&readout)),
                              LIVE_EVERYBODY, (int)i)
                .converted;
    readout_srm(&readout, stats);
    readout_comparisons(&readout, stats);
    readout_sequential(&readout, stats);
    readout_cuped(&readout, stats);
    readout_stratified(&readout, stats);
    readout_guardrail(&readout, stats);
    readout_holdout(&readout, stats);
    readout_population(&readout, stats);
    readout_metrics(&readout, stats);
    readout_forecast(&readout, stats);
    readout_drill_down(&readout, stats);
    readout_oddities(&readout, stats);
}
