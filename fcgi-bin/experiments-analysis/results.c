/* POST /api/v1/results: one analyzer per metric type, one shape of answer. */
#include "experiments-analysis/results.h"
#include "experiments/report_text.h"
#include "experiments/results_shape.h"

void results_cost(const void *body, struct compute_cost *cost)
{
    const struct results_request *observed = body;

    *cost = (struct compute_cost){.units = 1,
                                  .analyzer = results_analyzer_names[observed->metric_type]};
}

static struct results_reply *compose(const struct results_request *observed,
                                     const struct test_result *result, struct request *request)
{
    struct results_reply *answer = ARENA_NEW(request->arena, struct results_reply);

    *answer = (struct results_reply){.metric_type = results_analyzer_names[observed->metric_type],
                                     .observed_effect = result->effect,
                                     .observed_effect_relative = result->effect_relative_pct,
                                     .control_rate = result->control_rate_pct,
                                     .treatment_rate = result->treatment_rate_pct,
                                     .ci_lower = result->ci_lower,
                                     .ci_upper = result->ci_upper,
                                     .ci_score_lower = result->ci_score_lower,
                                     .ci_score_upper = result->ci_score_upper,
                                     .ci_level = result->ci_level,
                                     .p_value = result->p_value,
                                     .test_statistic = result->statistic,
                                     .is_significant = result->is_significant,
                                     .power_achieved = result->power};
    answer->verdict = report_verdict(request->locale, request->arena, result);
    return answer;
}

enum error results_handle(struct request *request, struct reply *reply)
{
    const struct results_request *observed = request->body;
    struct test_result result;
    struct results_reply *answer;

    if (observed->binary) {
        two_sample_binary(observed->binary, &result);
        answer = compose(observed, &result, request);
        answer->interpretation =
            report_binary_interpretation(request->locale, request->arena, &result);
    } else {
        two_sample_continuous(observed->continuous, &result);
        answer = compose(observed, &result, request);
        answer->interpretation = report_continuous_interpretation(request->locale, request->arena,
                                                                  observed->continuous, &result);
    }
    reply->object = answer;
    return ERROR_NONE;
}
