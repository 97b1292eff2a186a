/* Turns sums into the observations of an analyzer, and counts into values. */
#include "experiments/analyses/statistics_analysis.h"

#include "experiments/analyses/report_text.h"
#include "experiments/analyses/results_evidence.h"
#include "experiments/design/sizing.h"
#include "stats/ratio_metric.h"

#include <math.h>

enum { VALUES_PER_UNIT = 2500, RESAMPLED_PER_UNIT = 50, COST_MIN = 2 };

/* squares - x y / n with the rounding of the product kept; negative rounding is 0. */
static double about_means(double squares, double x, double y, double n)
{
    double product = x / n * y, rest = fma(x / n, y, -product);
    double error = fma(-(x / n), n, x) / n * y; /* of the division */

    return squares - product - rest - error;
}

static double deviation_of(const struct statistics_arm *arm)
{
    double n = (double)arm->n.value;

    if (arm->std.given)
        return arm->std.value;
    return sqrt(fmax(0, about_means(arm->sum_squares.value, arm->sum.value, arm->sum.value, n)) /
                (n - 1));
}

static double mean_of(const struct statistics_arm *arm)
{
    return arm->mean.given ? arm->mean.value : arm->sum.value / (double)arm->n.value;
}

static const struct continuous_observation *continuous_of(const struct statistics_request *observed,
                                                          struct arena *arena)
{
    struct continuous_observation *data = ARENA_NEW(arena, struct continuous_observation);
    const struct statistics_arm *control = observed->control, *treatment = observed->treatment;

    *data = (struct continuous_observation){
        mean_of(control),         deviation_of(control),
        control->n.value,         mean_of(treatment),
        deviation_of(treatment),  treatment->n.value,
        .alpha = observed->alpha, .equivalence_margin = observed->equivalence_margin};
    return data;
}

static void set_binary(const struct statistics_request *observed, struct binary_observation *data)
{
    *data = (struct binary_observation){
        observed->control->conversions.value, observed->control->n.value,
        observed->treatment->conversions.value, observed->treatment->n.value, observed->alpha};
}

static const struct binary_observation *binary_of(const struct statistics_request *observed,
                                                  struct arena *arena)
{
    struct binary_observation *data = ARENA_NEW(arena, struct binary_observation);

    set_binary(observed, data);
    return data;
}

static void set_count(const struct statistics_request *observed, struct count_observation *data)
{
    *data = (struct count_observation){
        observed->control->events.value, observed->control->exposure.value,
        observed->treatment->events.value, observed->treatment->exposure.value, observed->alpha};
}

static const struct count_observation *count_of(const struct statistics_request *observed,
                                                struct arena *arena)
{
    struct count_observation *data = ARENA_NEW(arena, struct count_observation);

    set_count(observed, data);
    return data;
}

/* Each value as often as it was counted. */
static struct number_list values_of(const struct statistics_arm *arm, struct arena *arena)
{
    struct number_list values = {0};

    for (size_t i = 0; i < arm->counts.count; i++)
        values.count += (size_t)arm->counts.items[i];
    values.items = ARENA_ARRAY(arena, double, values.count);
    values.count = 0;
    for (size_t i = 0; i < arm->counts.count; i++)
        for (int64_t k = 0; k < arm->counts.items[i]; k++)
            values.items[values.count++] = arm->values.items[i];
    return values;
}

static const struct ranked_observation *ranked_of(const struct statistics_request *observed,
                                                  struct arena *arena)
{
    struct ranked_observation *data = ARENA_NEW(arena, struct ranked_observation);

    *data = (struct ranked_observation){values_of(observed->control, arena),
                                        values_of(observed->treatment, arena), observed->alpha,
                                        observed->quantile, observed->trim};
    return data;
}

static struct ratio_moments ratio_of(const struct statistics_arm *arm)
{
    double n = (double)arm->n.value, y = arm->numerator_sum.value, x = arm->denominator_sum.value;

    return (struct ratio_moments){arm->n.value,
                                  y / n,
                                  x / n,
                                  fmax(0, about_means(arm->numerator_squares.value, y, y, n)),
                                  fmax(0, about_means(arm->denominator_squares.value, x, x, n)),
                                  about_means(arm->products.value, x, y, n)};
}

static enum error analyze_ratio(const struct results_call *call,
                                const struct statistics_request *observed,
                                struct results_reply *answer)
{
    struct ratio_moments control = ratio_of(observed->control);
    struct ratio_moments treatment = ratio_of(observed->treatment);
    struct results_finding finding = {0};

    ratio_moments_test(&control, &treatment, observed->alpha, &finding.test);
    if (finding.test.degenerate)
        return problem_set(call->problem, ERROR_INVALID, "degenerate", "%s",
                           locale_format(call->locale, call->arena,
                                         "errors.schemas.ratio_degenerate", NO_TEXT_ARGUMENTS));
    finding.test.lower_is_better = observed->direction == GOAL_DECREASE;
    finding.interpretation = report_ratio_interpretation(call->locale, call->arena, &finding.test);
    results_compose(call, &ratio_analyzer, &finding, answer);
    evidence_add(&(struct evidence){.locale = call->locale,
                                    .arena = call->arena,
                                    .analyzer = &ratio_analyzer,
                                    .finding = &finding},
                 answer);
    return ERROR_NONE;
}

enum error statistics_analyze(const struct results_call *call,
                              const struct statistics_request *observed,
                              struct results_reply *answer)
{
    struct results_request request = {.metric_type = observed->metric_type,
                                      .direction = observed->direction};

    if (observed->metric_type == ANALYZER__MAX)
        return analyze_ratio(call, observed, answer);
    if (observed->control->values.count > 0)
        request.ranked = ranked_of(observed, call->arena);
    else if (observed->control->conversions.given)
        request.binary = binary_of(observed, call->arena);
    else if (observed->control->events.given)
        request.count = count_of(observed, call->arena);
    else
        request.continuous = continuous_of(observed, call->arena);
    return results_analyze(call, &request, answer);
}

/* Of counts: what the same analysis costs from /results. */
static int64_t cost_of_counts(const struct statistics_request *observed)
{
    struct binary_observation binary;
    struct count_observation count;
    const struct results_request request = {
        .metric_type = observed->metric_type, .binary = &binary, .count = &count};

    set_binary(observed, &binary);
    set_count(observed, &count);
    return results_cost_units(&request);
}

int64_t statistics_cost_units(const struct statistics_request *observed)
{
    bool resampled =
        observed->metric_type == ANALYZER_BOOTSTRAP || observed->metric_type == ANALYZER_QUANTILE;
    int64_t users = 0, units;

    if (observed->control->conversions.given || observed->control->events.given)
        return cost_of_counts(observed);
    for (size_t i = 0; i < observed->control->counts.count; i++)
        users += observed->control->counts.items[i];
    for (size_t i = 0; i < observed->treatment->counts.count; i++)
        users += observed->treatment->counts.items[i];
    units = users / (resampled ? RESAMPLED_PER_UNIT : VALUES_PER_UNIT);
    return units > COST_MIN ? units : COST_MIN;
}
