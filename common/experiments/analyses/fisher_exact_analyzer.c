/* Two rates of conversion by Fisher's exact test. */
#include "experiments/analyses/analyzer_internal.h"
#include "stats/fisher_exact.h"

static const struct results_limit users_limit = {
    .reason = "fisher_exact_table_too_large",
    .key = "errors.schemas.fisher_exact_table_too_large",
    .maximum = 500000,
    .size = binary_users,
};

static void run(const struct results_call *call, const struct results_request *observed,
                struct results_finding *finding)
{
    fisher_exact_test(observed->binary, &finding->test);
    finding->interpretation = report_exact_interpretation(
        call->locale, call->arena, "results.interpretation.fisher_exact", &finding->test);
}

static int64_t cost(const struct results_request *observed)
{
    const struct binary_observation *binary = observed->binary;
    int64_t smaller = binary->control_users < binary->treatment_users ? binary->control_users
                                                                      : binary->treatment_users;

    return analyzer_units(2, smaller, 25) + fisher_exact_tables(binary) / 2000;
}

const struct analyzer fisher_exact_analyzer = {
    .name = "fisher_exact",
    .conventions = {.direction = "treatment_minus_control",
                    .effect_unit = "percentage_points",
                    .test = "fisher_exact",
                    .p_value = "exact_no_likelier_tables",
                    .interval = "newcombe_score",
                    .effect_size_direction = "control_over_treatment"},
    .decimals = EFFECT_DECIMALS,
    .limit = &users_limit,
    .run = run,
    .cost = cost,
};
