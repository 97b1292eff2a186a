/* Two rates of conversion by the unconditional exact tests of Boschloo and of Barnard. */
#include "experiments/analyses/analyzer_internal.h"
#include "stats/unconditional_exact.h"

static const struct results_limit users_limit = {
    .reason = "unconditional_exact_table_too_large",
    .key = "errors.schemas.unconditional_exact_table_too_large",
    .maximum = 200,
    .size = binary_users,
};

static void run_boschloo(const struct results_call *call, const struct results_request *observed,
                         struct results_finding *finding)
{
    boschloo_test(observed->binary, call->arena, &finding->test);
    finding->interpretation = report_exact_interpretation(
        call->locale, call->arena, "results.interpretation.boschloo_exact", &finding->test);
}

static void run_barnard(const struct results_call *call, const struct results_request *observed,
                        struct results_finding *finding)
{
    barnard_test(observed->binary, call->arena, &finding->test);
    finding->interpretation = report_exact_interpretation(
        call->locale, call->arena, "results.interpretation.barnard_exact", &finding->test);
}

static int64_t cost(const struct results_request *observed)
{
    const struct binary_observation *binary = observed->binary;

    return analyzer_units(12, (binary->control_users + 1) * (binary->treatment_users + 1), 50);
}

const struct analyzer boschloo_exact_analyzer = {
    .name = "boschloo_exact",
    .conventions = {.direction = "treatment_minus_control",
                    .effect_unit = "percentage_points",
                    .test = "boschloo_exact",
                    .p_value = "exact_twice_smaller_side",
                    .interval = "newcombe_score",
                    .effect_size_direction = "control_over_treatment"},
    .decimals = EFFECT_DECIMALS,
    .limit = &users_limit,
    .run = run_boschloo,
    .cost = cost,
};

const struct analyzer barnard_exact_analyzer = {
    .name = "barnard_exact",
    .conventions = {.direction = "treatment_minus_control",
                    .effect_unit = "percentage_points",
                    .test = "barnard_exact",
                    .standard_error = "pooled",
                    .p_value = "exact_two_sided",
                    .interval = "newcombe_score",
                    .effect_size_direction = "control_over_treatment"},
    .decimals = EFFECT_DECIMALS,
    .limit = &users_limit,
    .run = run_barnard,
    .cost = cost,
};
