/* Two means that differ by less than a margin: two one-sided t-tests. */
#include "experiments/analyses/analyzer_internal.h"
#include "stats/equivalence.h"

static const char *verdict(const struct results_call *call, double margin,
                           const struct test_result *test)
{
    const char *key =
        test->is_significant ? "results.verdict.equivalent" : "results.verdict.not_equivalent";

    if (test->degenerate)
        return NULL;
    return locale_format(call->locale, call->arena, key,
                         TEXT_ARGUMENTS({"margin", report_print_fixed(call->arena, 4, margin)},
                                        {"alpha", report_alpha(call->arena, test)}));
}

static const char *interpretation(const struct results_call *call, double margin,
                                  const struct test_result *test)
{
    const char *outcome = test->is_significant ? "results.equivalence.demonstrated"
                                               : "results.equivalence.not_demonstrated";
    struct arena *arena = call->arena;

    if (test->degenerate)
        return report_degenerate(call->locale, arena);
    return locale_format(
        call->locale, arena, "results.interpretation.equivalence",
        TEXT_ARGUMENTS(
            {"treatmentMean", report_print_fixed(arena, 4, test->treatment_value)},
            {"controlMean", report_print_fixed(arena, 4, test->control_value)},
            {"effect", report_print_signed(arena, 4, test->effect)},
            {"margin", report_print_fixed(arena, 4, margin)},
            {"equivalence", locale_format(call->locale, arena, outcome, NO_TEXT_ARGUMENTS)},
            {"ciLevel", report_level(arena, test)},
            {"ciLower", report_print_fixed(arena, 4, test->ci_lower)},
            {"ciUpper", report_print_fixed(arena, 4, test->ci_upper)},
            {"pValue", report_print_p_value(arena, test->p_value)}));
}

static void run(const struct results_call *call, const struct results_request *observed,
                struct results_finding *finding)
{
    double margin = observed->continuous->equivalence_margin.value;

    equivalence_test(observed->continuous, &finding->test);
    finding->verdict = verdict(call, margin, &finding->test);
    finding->interpretation = interpretation(call, margin, &finding->test);
    finding->small_counts = small_means(observed->continuous);
}

/* An interval inside the margin is significant. */
static bool interval_agrees(const struct results_request *observed, const struct test_result *test)
{
    double margin = observed->continuous->equivalence_margin.value;

    return (test->ci_lower > -margin && test->ci_upper < margin) == test->is_significant;
}

const struct analyzer equivalence_analyzer = {
    .name = "equivalence",
    .conventions = {.direction = "treatment_minus_control",
                    .effect_unit = "metric_unit",
                    .test = "two_one_sided_welch_t",
                    .standard_error = "unpooled",
                    .p_value = "larger_of_two_one_sided_t",
                    .interval = "welch_t_1_minus_2_alpha",
                    .effect_size_direction = "treatment_minus_control"},
    .decimals = EFFECT_DECIMALS,
    .without_outcome = true,
    .run = run,
    .interval_agrees = interval_agrees,
};
