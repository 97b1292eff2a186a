/* Two quantiles by permutations, with percentiles of the bootstrap. */
#include "experiments/analyses/analyzer_internal.h"
#include "stats/resampling.h"

#include <math.h>

static const char *interpretation(const struct results_call *call, double quantile,
                                  const struct resampling_result *result)
{
    const struct test_result *test = &result->test;
    struct arena *arena = call->arena;

    return locale_format(
        call->locale, arena, "results.interpretation.quantile",
        TEXT_ARGUMENTS({"percentile", arena_print(arena, "%g", 100 * quantile)},
                       {"treatmentQuantile", report_print_fixed(arena, 4, test->treatment_value)},
                       {"controlQuantile", report_print_fixed(arena, 4, test->control_value)},
                       {"effect", report_print_signed(arena, 4, test->effect)},
                       {"ciLevel", report_level(arena, test)},
                       {"ciLower", report_print_fixed(arena, 4, test->ci_lower)},
                       {"ciUpper", report_print_fixed(arena, 4, test->ci_upper)},
                       {"pValue", report_print_p_value(arena, test->p_value)},
                       {"permutations", report_print_count(arena, result->permutations)},
                       {"significance",
                        report_print_significance(call->locale, arena, test->is_significant)}));
}

/* Few values beyond the quantile say little about it. */
static const char *small_tails(const struct ranked_observation *observed)
{
    double share = fmin(observed->quantile, 1 - observed->quantile);

    return (double)ranked_smaller_arm(observed) * share < EXPECTED_MIN
               ? "results.small_counts.resamples"
               : small_resamples(observed);
}

static void run(const struct results_call *call, const struct results_request *observed,
                struct results_finding *finding)
{
    struct resampling_result result;

    resampling_quantiles(observed->ranked, RESAMPLES, call->arena, &result);
    ranked_finding(observed->ranked, &result.test, finding);
    result.test = finding->test;
    finding->interpretation = interpretation(call, observed->ranked->quantile, &result);
    finding->small_counts = small_tails(observed->ranked);
}

static int64_t cost(const struct results_request *observed)
{
    return analyzer_units(12, RESAMPLES * ranked_values(observed->ranked), 80000);
}

const struct analyzer quantile_analyzer = {
    .name = "quantile",
    .conventions = {.direction = "treatment_minus_control",
                    .effect_unit = "metric_unit",
                    .test = "permutation_of_quantiles",
                    .p_value = "two_sided_permutation",
                    .interval = "bootstrap_percentile"},
    .decimals = EFFECT_DECIMALS,
    .run = run,
    .cost = cost,
};
