/* Two means by permutations, with percentiles of the bootstrap. */
#include "experiments/analyses/analyzer_internal.h"
#include "stats/resampling.h"

static const char *interpretation(const struct results_call *call,
                                  const struct resampling_result *result)
{
    const struct test_result *test = &result->test;
    struct arena *arena = call->arena;

    return locale_format(
        call->locale, arena, "results.interpretation.bootstrap",
        TEXT_ARGUMENTS({"treatmentMean", report_print_fixed(arena, 4, test->treatment_value)},
                       {"controlMean", report_print_fixed(arena, 4, test->control_value)},
                       {"effect", report_print_signed(arena, 4, test->effect)},
                       {"ciLevel", report_level(arena, test)},
                       {"ciLower", report_print_fixed(arena, 4, test->ci_lower)},
                       {"ciUpper", report_print_fixed(arena, 4, test->ci_upper)},
                       {"pValue", report_print_p_value(arena, test->p_value)},
                       {"permutations", report_print_count(arena, result->permutations)},
                       {"significance",
                        report_print_significance(call->locale, arena, test->is_significant)}));
}

static void run(const struct results_call *call, const struct results_request *observed,
                struct results_finding *finding)
{
    struct resampling_result result;

    resampling_means(observed->ranked, RESAMPLES, call->arena, &result);
    ranked_finding(observed->ranked, &result.test, finding);
    result.test = finding->test;
    finding->interpretation = interpretation(call, &result);
    finding->small_counts = small_resamples(observed->ranked);
}

static int64_t cost(const struct results_request *observed)
{
    return analyzer_units(10, RESAMPLES * ranked_values(observed->ranked), 100000);
}

const struct analyzer bootstrap_analyzer = {
    .name = "bootstrap",
    .conventions = {.direction = "treatment_minus_control",
                    .effect_unit = "metric_unit",
                    .test = "permutation_of_means",
                    .p_value = "two_sided_permutation",
                    .interval = "bootstrap_percentile",
                    .effect_size_direction = "treatment_minus_control"},
    .decimals = EFFECT_DECIMALS,
    .run = run,
    .cost = cost,
};
