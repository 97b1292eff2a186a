/* Two samples by the rank sum of Mann and Whitney. */
#include "experiments/analyses/analyzer_internal.h"
#include "stats/rank_sum.h"

static const char *interpretation(const struct results_call *call,
                                  const struct rank_sum_result *result)
{
    const char *method = result->exact ? "results.mann_whitney.method_exact"
                                       : "results.mann_whitney.method_asymptotic";
    const struct test_result *test = &result->test;
    struct arena *arena = call->arena;

    if (test->degenerate)
        return report_degenerate(call->locale, arena);
    return locale_format(
        call->locale, arena, "results.interpretation.mann_whitney",
        TEXT_ARGUMENTS({"treatmentMedian", report_print_fixed(arena, 4, test->treatment_value)},
                       {"controlMedian", report_print_fixed(arena, 4, test->control_value)},
                       {"shift", report_print_signed(arena, 4, test->effect)},
                       {"cles", report_print_fixed(arena, 1, 100 * result->superiority)},
                       {"ciLevel", report_level(arena, test)},
                       {"ciLower", report_print_fixed(arena, 4, test->ci_lower)},
                       {"ciUpper", report_print_fixed(arena, 4, test->ci_upper)},
                       {"uStatistic", report_print_fixed(arena, 1, result->u)},
                       {"pValue", report_print_p_value(arena, test->p_value)},
                       {"method", locale_format(call->locale, arena, method, NO_TEXT_ARGUMENTS)},
                       {"significance",
                        report_print_significance(call->locale, arena, test->is_significant)}));
}

static void run(const struct results_call *call, const struct results_request *observed,
                struct results_finding *finding)
{
    struct rank_sum_result result;

    rank_sum_test(observed->ranked, call->arena, &result);
    ranked_finding(observed->ranked, &result.test, finding);
    result.test = finding->test;
    finding->interpretation = interpretation(call, &result);
    if (result.exact)
        finding->p_value_convention = "exact_twice_smaller_tail";
    else if (ranked_smaller_arm(observed->ranked) < RANKS_MIN)
        finding->small_counts = "results.small_counts.ranks";
}

static int64_t cost(const struct results_request *observed)
{
    int64_t n = (int64_t)observed->ranked->control_values.count;
    int64_t m = (int64_t)observed->ranked->treatment_values.count;

    return analyzer_units(3, n * m, 50000);
}

const struct analyzer mann_whitney_analyzer = {
    .name = "mann_whitney",
    .conventions = {.direction = "treatment_minus_control",
                    .effect_unit = "metric_unit",
                    .test = "mann_whitney_u",
                    .p_value = "two_sided_normal_continuity_corrected",
                    .interval = "hodges_lehmann_normal",
                    .effect_size_direction = "treatment_minus_control"},
    .decimals = EFFECT_DECIMALS,
    .run = run,
    .cost = cost,
};
