/* Two trimmed means by Yuen's test. */
#include "experiments/analyses/analyzer_internal.h"
#include "stats/trimmed_mean.h"

static const char *interpretation(const struct results_call *call, double trim,
                                  const struct trimmed_mean_result *result)
{
    const struct test_result *test = &result->test;
    struct arena *arena = call->arena;

    if (test->degenerate)
        return report_degenerate(call->locale, arena);
    return locale_format(
        call->locale, arena, "results.interpretation.trimmed_t",
        TEXT_ARGUMENTS({"trimPct", arena_print(arena, "%g", 100 * trim)},
                       {"treatmentMean", report_print_fixed(arena, 4, test->treatment_value)},
                       {"controlMean", report_print_fixed(arena, 4, test->control_value)},
                       {"treatmentN", report_print_count(arena, result->treatment_effective)},
                       {"controlN", report_print_count(arena, result->control_effective)},
                       {"effect", report_print_signed(arena, 4, test->effect)},
                       {"ciLevel", report_level(arena, test)},
                       {"ciLower", report_print_fixed(arena, 4, test->ci_lower)},
                       {"ciUpper", report_print_fixed(arena, 4, test->ci_upper)},
                       {"df", arena_print(arena, "%.1f", test->degrees_of_freedom)},
                       {"pValue", report_print_p_value(arena, test->p_value)},
                       {"significance",
                        report_print_significance(call->locale, arena, test->is_significant)}));
}

static void run(const struct results_call *call, const struct results_request *observed,
                struct results_finding *finding)
{
    struct trimmed_mean_result result;

    trimmed_mean_test(observed->ranked, call->arena, &result);
    ranked_finding(observed->ranked, &result.test, finding);
    result.test = finding->test;
    finding->interpretation = interpretation(call, observed->ranked->trim, &result);
    if (result.control_effective < VALUES_MIN || result.treatment_effective < VALUES_MIN)
        finding->small_counts = "results.small_counts.values";
}

static int64_t cost(const struct results_request *observed)
{
    return analyzer_units(2, ranked_values(observed->ranked), 200);
}

const struct analyzer trimmed_t_analyzer = {
    .name = "trimmed_t",
    .conventions = {.direction = "treatment_minus_control",
                    .effect_unit = "metric_unit",
                    .test = "yuen_welch_t",
                    .standard_error = "winsorised",
                    .p_value = "two_sided_t",
                    .interval = "yuen_welch_t"},
    .decimals = EFFECT_DECIMALS,
    .run = run,
    .cost = cost,
};
