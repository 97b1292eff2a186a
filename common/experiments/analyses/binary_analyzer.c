/* Two rates of conversion by the z-test. */
#include "experiments/analyses/analyzer_internal.h"
#include "stats/score_interval.h"

#include <math.h>

/* Expected under one common rate; the smallest of the four cells. */
static double expected_least(const struct binary_observation *observed)
{
    double n1 = (double)observed->control_users, n2 = (double)observed->treatment_users;
    double with = (double)observed->control_conversions + (double)observed->treatment_conversions;

    return fmin(with, n1 + n2 - with) * (fmin(n1, n2) / (n1 + n2));
}

static void run(const struct results_call *call, const struct results_request *observed,
                struct results_finding *finding)
{
    two_sample_binary(observed->binary, &finding->test);
    if (!finding->test.degenerate)
        finding->test.test_interval = score_interval(observed->binary);
    finding->interpretation =
        report_binary_interpretation(call->locale, call->arena, &finding->test);
    if (expected_least(observed->binary) < EXPECTED_MIN)
        finding->small_counts = "results.small_counts.conversions";
}

const struct analyzer binary_analyzer = {
    .name = "binary",
    .conventions = {.direction = "treatment_minus_control",
                    .effect_unit = "percentage_points",
                    .test = "two_proportion_z",
                    .standard_error = "pooled",
                    .p_value = "two_sided_normal",
                    .interval = "wald_unpooled"},
    .decimals = EFFECT_DECIMALS,
    .run = run,
};
