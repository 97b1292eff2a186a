/* One analyzer per metric type, one shape of answer. */
#include "experiments/analyses/results_analysis.h"

#include "base/number.h"
#include "experiments/analyses/report_text.h"
#include "experiments/analyses/results_evidence.h"
#include "experiments/analyses/results_limits.h"
#include "experiments/design/sizing.h"
#include "stats/equivalence.h"
#include "stats/fisher_exact.h"
#include "stats/poisson_rates.h"
#include "stats/rank_sum.h"
#include "stats/resampling.h"
#include "stats/score_interval.h"
#include "stats/trimmed_mean.h"
#include "stats/unconditional_exact.h"

/* Digits after the point of effect and interval: rates of events are small numbers. */
enum { EFFECT_DECIMALS = 4, RATE_DECIMALS = 6 };

typedef void analyzer_function(const struct results_call *call,
                               const struct results_request *observed,
                               struct results_finding *finding);

static void analyze_binary(const struct results_call *call, const struct results_request *observed,
                           struct results_finding *finding)
{
    two_sample_binary(observed->binary, &finding->test);
    if (!finding->test.degenerate)
        finding->test.test_interval = score_interval(observed->binary);
    finding->interpretation =
        report_binary_interpretation(call->locale, call->arena, &finding->test);
}

static void analyze_continuous(const struct results_call *call,
                               const struct results_request *observed,
                               struct results_finding *finding)
{
    two_sample_continuous(observed->continuous, &finding->test);
    finding->interpretation = report_continuous_interpretation(
        call->locale, call->arena, observed->continuous, &finding->test);
}

static void analyze_equivalence(const struct results_call *call,
                                const struct results_request *observed,
                                struct results_finding *finding)
{
    double margin = observed->continuous->equivalence_margin.value;

    equivalence_test(observed->continuous, &finding->test);
    finding->verdict =
        report_equivalence_verdict(call->locale, call->arena, margin, &finding->test);
    finding->interpretation =
        report_equivalence_interpretation(call->locale, call->arena, margin, &finding->test);
}

static void settle(const struct ranked_observation *observed, struct test_result *test)
{
    two_sample_settle(&observed->control_values, &observed->treatment_values, test);
}

static void analyze_ranks(const struct results_call *call, const struct results_request *observed,
                          struct results_finding *finding)
{
    struct rank_sum_result result;

    rank_sum_test(observed->ranked, call->arena, &result);
    settle(observed->ranked, &result.test);
    finding->test = result.test;
    finding->exact_ranks = result.exact;
    finding->interpretation = report_rank_sum_interpretation(call->locale, call->arena, &result);
}

static void analyze_by_bootstrap(const struct results_call *call,
                                 const struct results_request *observed,
                                 struct results_finding *finding)
{
    struct resampling_result result;

    resampling_means(observed->ranked, RESAMPLES, call->arena, &result);
    settle(observed->ranked, &result.test);
    finding->test = result.test;
    finding->interpretation = report_bootstrap_interpretation(call->locale, call->arena, &result);
}

static void analyze_quantiles(const struct results_call *call,
                              const struct results_request *observed,
                              struct results_finding *finding)
{
    struct resampling_result result;

    resampling_quantiles(observed->ranked, RESAMPLES, call->arena, &result);
    settle(observed->ranked, &result.test);
    finding->test = result.test;
    finding->interpretation = report_quantile_interpretation(call->locale, call->arena,
                                                             observed->ranked->quantile, &result);
}

static void analyze_trimmed_means(const struct results_call *call,
                                  const struct results_request *observed,
                                  struct results_finding *finding)
{
    struct trimmed_mean_result result;

    trimmed_mean_test(observed->ranked, call->arena, &result);
    settle(observed->ranked, &result.test);
    finding->test = result.test;
    finding->smallest_effective = result.control_effective < result.treatment_effective
                                      ? result.control_effective
                                      : result.treatment_effective;
    finding->interpretation =
        report_trimmed_interpretation(call->locale, call->arena, observed->ranked->trim, &result);
}

static void analyze_fisher(const struct results_call *call, const struct results_request *observed,
                           struct results_finding *finding)
{
    fisher_exact_test(observed->binary, &finding->test);
    finding->interpretation = report_exact_interpretation(
        call->locale, call->arena, "results.interpretation.fisher_exact", &finding->test);
}

static void analyze_boschloo(const struct results_call *call,
                             const struct results_request *observed,
                             struct results_finding *finding)
{
    boschloo_test(observed->binary, call->arena, &finding->test);
    finding->interpretation = report_exact_interpretation(
        call->locale, call->arena, "results.interpretation.boschloo_exact", &finding->test);
}

static void analyze_barnard(const struct results_call *call, const struct results_request *observed,
                            struct results_finding *finding)
{
    barnard_test(observed->binary, call->arena, &finding->test);
    finding->interpretation = report_exact_interpretation(
        call->locale, call->arena, "results.interpretation.barnard_exact", &finding->test);
}

static void analyze_counts(const struct results_call *call, const struct results_request *observed,
                           struct results_finding *finding)
{
    poisson_rates_test(observed->count, &finding->test);
    finding->decimals = RATE_DECIMALS;
    finding->interpretation =
        report_count_interpretation(call->locale, call->arena, &finding->test);
}

static analyzer_function *const analyzers[ANALYZER__MAX] = {
    [ANALYZER_BINARY] = analyze_binary,
    [ANALYZER_CONTINUOUS] = analyze_continuous,
    [ANALYZER_EQUIVALENCE] = analyze_equivalence,
    [ANALYZER_MANN_WHITNEY] = analyze_ranks,
    [ANALYZER_BOOTSTRAP] = analyze_by_bootstrap,
    [ANALYZER_QUANTILE] = analyze_quantiles,
    [ANALYZER_TRIMMED_T] = analyze_trimmed_means,
    [ANALYZER_FISHER_EXACT] = analyze_fisher,
    [ANALYZER_BOSCHLOO_EXACT] = analyze_boschloo,
    [ANALYZER_BARNARD_EXACT] = analyze_barnard,
    [ANALYZER_COUNT] = analyze_counts,
};

void results_compose(const struct results_call *call, enum analyzer analyzer,
                     const struct results_finding *finding, struct results_reply *answer)
{
    const struct test_result *test = &finding->test;

    *answer = (struct results_reply){
        .metric_type = finding->name ? finding->name : results_analyzer_names[analyzer],
        .observed_effect = number_round_figure(test->effect, finding->decimals),
        .observed_effect_relative = results_relative_effect(test),
        .observed_effect_relative_reason = results_relative_effect_reason(test),
        .control_rate = test->control_rate_pct,
        .treatment_rate = test->treatment_rate_pct,
        .ci_lower = number_round_figure(test->ci_lower, finding->decimals),
        .ci_upper = number_round_figure(test->ci_upper, finding->decimals),
        .ci_score_lower = test->ci_score_lower,
        .ci_score_upper = test->ci_score_upper,
        .ci_level = test->ci_level,
        .p_value = test->p_value,
        .test_statistic = test->statistic,
        .is_significant = test->is_significant,
        .power_achieved = test->power,
        .verdict =
            finding->verdict ? finding->verdict : report_verdict(call->locale, call->arena, test),
        .interpretation = finding->interpretation,
        .effect_size = test->effect_size,
        .effect_size_label = report_effect_size_label(call->locale, call->arena, test),
        .effect_size_ci_lower = test->effect_size_lower,
        .effect_size_ci_upper = test->effect_size_upper,
        .direction = goal_direction_names[test->lower_is_better],
        .outcome = analyzer == ANALYZER_EQUIVALENCE ? NULL : results_outcome(test)};
}

static enum error refuse(const struct results_call *call, const struct results_limit *limit)
{
    const char *maximum = arena_print(call->arena, "%lld", (long long)limit->maximum);
    const char *text =
        locale_format(call->locale, call->arena, limit->key, TEXT_ARGUMENTS({"limit", maximum}));

    return problem_set(call->problem, ERROR_TOO_LARGE, limit->reason, "%s", text);
}

enum error results_analyze(const struct results_call *call, const struct results_request *observed,
                           struct results_reply *answer)
{
    const struct results_limit *limit = results_limit_passed(observed);
    struct results_finding finding = {.decimals = EFFECT_DECIMALS};

    if (limit)
        return refuse(call, limit);
    analyzers[observed->metric_type](call, observed, &finding);
    finding.test.lower_is_better = observed->direction == GOAL_DECREASE;
    results_compose(call, (enum analyzer)observed->metric_type, &finding, answer);
    evidence_add(&(struct evidence){.locale = call->locale,
                                    .arena = call->arena,
                                    .observed = observed,
                                    .test = &finding.test,
                                    .exact_ranks = finding.exact_ranks,
                                    .smallest_effective = finding.smallest_effective,
                                    .decimals = finding.decimals},
                 answer);
    return ERROR_NONE;
}
