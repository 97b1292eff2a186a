/* Two means by Welch's t-test. */
#include "experiments/analyses/analyzer_internal.h"

static void run(const struct results_call *call, const struct results_request *observed,
                struct results_finding *finding)
{
    two_sample_continuous(observed->continuous, &finding->test);
    finding->interpretation = report_continuous_interpretation(
        call->locale, call->arena, observed->continuous, &finding->test);
    finding->small_counts = small_means(observed->continuous);
}

const struct analyzer continuous_analyzer = {
    .name = "continuous",
    .conventions = {.direction = "treatment_minus_control",
                    .effect_unit = "metric_unit",
                    .test = "welch_t",
                    .standard_error = "unpooled",
                    .p_value = "two_sided_t",
                    .interval = "welch_t"},
    .decimals = EFFECT_DECIMALS,
    .run = run,
};
