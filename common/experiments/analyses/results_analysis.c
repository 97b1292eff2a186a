/* Runs the row of an analyzer; all analyzers answer with one schema. */
#include "experiments/analyses/results_analysis.h"

#include "base/number.h"
#include "experiments/analyses/report_text.h"
#include "experiments/analyses/results_evidence.h"
#include "experiments/design/sizing.h"

void results_compose(const struct results_call *call, const struct analyzer *analyzer,
                     const struct results_finding *finding, struct results_reply *answer)
{
    const struct test_result *test = &finding->test;

    *answer = (struct results_reply){
        .metric_type = analyzer->name,
        .observed_effect = number_round_figure(test->effect, analyzer->decimals),
        .observed_effect_relative = results_relative_effect(test),
        .observed_effect_relative_reason = results_relative_effect_reason(test),
        .control_rate = test->control_rate_pct,
        .treatment_rate = test->treatment_rate_pct,
        .ci_lower = number_round_figure(test->ci_lower, analyzer->decimals),
        .ci_upper = number_round_figure(test->ci_upper, analyzer->decimals),
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
        .outcome = analyzer->without_outcome ? NULL : results_outcome(test)};
}

const struct results_limit *results_limit_passed(const struct results_request *observed)
{
    const struct results_limit *limit = analyzers[observed->metric_type]->limit;

    return limit && limit->size(observed) > limit->maximum ? limit : NULL;
}

int64_t results_cost_units(const struct results_request *observed)
{
    const struct analyzer *analyzer = analyzers[observed->metric_type];

    return !analyzer->cost || results_limit_passed(observed) ? 1 : analyzer->cost(observed);
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
    const struct analyzer *analyzer = analyzers[observed->metric_type];
    const struct results_limit *limit = results_limit_passed(observed);
    struct results_finding finding = {0};

    if (limit)
        return refuse(call, limit);
    analyzer->run(call, observed, &finding);
    finding.test.lower_is_better = observed->direction == GOAL_DECREASE;
    results_compose(call, analyzer, &finding, answer);
    evidence_add(&(struct evidence){.locale = call->locale,
                                    .arena = call->arena,
                                    .analyzer = analyzer,
                                    .observed = observed,
                                    .finding = &finding},
                 answer);
    return ERROR_NONE;
}
