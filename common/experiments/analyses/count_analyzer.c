/* Two rates of events by the exact Poisson test. */
#include "experiments/analyses/analyzer_internal.h"
#include "stats/poisson_rates.h"

static int64_t events(const struct results_request *observed)
{
    return observed->count->control_events + observed->count->treatment_events;
}

static const struct results_limit events_limit = {
    .reason = "count_events_too_large",
    .key = "errors.schemas.count_events_too_large",
    .maximum = 1000000,
    .size = events,
};

static const char *interpretation(const struct results_call *call, const struct test_result *test)
{
    struct arena *arena = call->arena;

    if (test->degenerate)
        return report_degenerate(call->locale, arena);
    return locale_format(
        call->locale, arena, "results.interpretation.count",
        TEXT_ARGUMENTS({"treatmentRate", report_print_fixed(arena, 6, test->treatment_value)},
                       {"controlRate", report_print_fixed(arena, 6, test->control_value)},
                       {"rateRatio", report_effect_ratio(call->locale, arena, test,
                                                         "results.count.rate_ratio_undefined")},
                       {"rateDifference", report_print_signed(arena, 6, test->effect)},
                       {"ciLevel", report_level(arena, test)},
                       {"ciLower", report_print_fixed(arena, 6, test->ci_lower)},
                       {"ciUpper", report_print_fixed(arena, 6, test->ci_upper)},
                       {"pValue", report_print_p_value(arena, test->p_value)}));
}

static void run(const struct results_call *call, const struct results_request *observed,
                struct results_finding *finding)
{
    const struct count_observation *count = observed->count;

    poisson_rates_test(count, &finding->test);
    finding->interpretation = interpretation(call, &finding->test);
    if (count->control_events < EVENTS_MIN || count->treatment_events < EVENTS_MIN)
        finding->small_counts = "results.small_counts.events";
}

static int64_t cost(const struct results_request *observed)
{
    return 1 + analyzer_units(0, events(observed), 50000);
}

const struct analyzer count_analyzer = {
    .name = "count",
    .conventions = {.direction = "treatment_minus_control",
                    .effect_unit = "events_per_exposure",
                    .test = "conditional_binomial",
                    .p_value = "exact_no_likelier_outcomes",
                    .interval = "wald_unpooled",
                    .effect_size_direction = "treatment_over_control"},
    .decimals = RATE_DECIMALS,
    .limit = &events_limit,
    .run = run,
    .cost = cost,
};
