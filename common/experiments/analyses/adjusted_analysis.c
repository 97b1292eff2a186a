/* From users to a regression, and from a regression to the answer with its texts. */
#include "experiments/analyses/adjusted_analysis.h"

#include "experiments/analyses/report_print.h"
#include "experiments/analyses/report_text.h"
#include "experiments/analyses/results_evidence.h"

#include <math.h>

enum { COST_MIN = 2, WORK_PER_UNIT = 40000, FIGURE_DECIMALS = 4 };

/* The users of a request, arm by arm. */
struct request_users {
    const struct adjusted_request *observed;
    size_t arm, at;
};

static const struct adjusted_arm_request *arm_at(const struct adjusted_request *observed, size_t i)
{
    return (const struct adjusted_arm_request *)observed->arms.items + i;
}

static void rewind_users(void *state)
{
    struct request_users *users = state;

    users->arm = users->at = 0;
}

static bool next_user(void *state, struct regression_user *user)
{
    struct request_users *users = state;
    const struct adjusted_arm_request *arm = arm_at(users->observed, users->arm);
    const struct number_list *lists;

    if (users->at == arm->values.count) {
        if (++users->arm == users->observed->arms.count)
            return false;
        users->at = 0;
        arm = arm_at(users->observed, users->arm);
    }
    lists = arm->covariates.items;
    user->arm = (int)users->arm;
    user->value = arm->values.items[users->at];
    user->denominator = arm->denominators.count ? arm->denominators.items[users->at] : 1;
    for (size_t i = 0; i < arm->covariates.count; i++)
        user->covariates[i] = lists[i].items[users->at];
    users->at++;
    return true;
}

static const struct adjusted_effect *effect_of(const struct results_call *call,
                                               const struct test_result *test,
                                               double standard_error, bool normal)
{
    struct adjusted_effect *effect = ARENA_NEW(call->arena, struct adjusted_effect);

    *effect = (struct adjusted_effect){.effect = test->effect,
                                       .relative_lift = results_lift_of(test, call->arena),
                                       .standard_error = standard_error,
                                       .degrees_of_freedom =
                                           normal ? (struct optional_number){0}
                                                  : GIVEN_NUMBER(test->degrees_of_freedom),
                                       .test_statistic = test->statistic,
                                       .p_value = test->p_value,
                                       .ci_lower = test->ci_lower,
                                       .ci_upper = test->ci_upper,
                                       .is_significant = test->is_significant};
    return effect;
}

static const char *interpretation(const struct results_call *call, const struct test_result *test,
                                  double reduction_pct)
{
    struct arena *arena = call->arena;

    return locale_format(
        call->locale, arena, "results.interpretation.adjusted",
        TEXT_ARGUMENTS(
            {"treatment", report_print_fixed(arena, FIGURE_DECIMALS, test->treatment_value)},
            {"control", report_print_fixed(arena, FIGURE_DECIMALS, test->control_value)},
            {"effect", report_print_signed(arena, FIGURE_DECIMALS, test->effect)},
            {"ciLevel", report_level(arena, test)},
            {"ciLower", report_print_fixed(arena, FIGURE_DECIMALS, test->ci_lower)},
            {"ciUpper", report_print_fixed(arena, FIGURE_DECIMALS, test->ci_upper)},
            {"pValue", report_print_p_value(arena, test->p_value)},
            {"reduction", report_print_percent(arena, false, reduction_pct)},
            {"significance",
             report_print_significance(call->locale, arena, test->is_significant)}));
}

static void compare(const struct results_call *call, const struct regression *fit,
                    const struct adjusted_options *options, double alpha,
                    struct adjusted_comparison *answer)
{
    struct regression_comparison found;

    regression_compare(fit, options->variance, options->normal, 0, (int)answer->treatment_index,
                       alpha, &found);
    answer->status = "insufficient_data";
    answer->interpretation = report_degenerate(call->locale, call->arena);
    if (!found.defined)
        return;
    found.adjusted.lower_is_better = options->direction == GOAL_DECREASE;
    answer->status = "ok";
    answer->adjusted = effect_of(call, &found.adjusted, found.standard_error, options->normal);
    answer->unadjusted = effect_of(call, &found.plain, found.plain_standard_error, options->normal);
    answer->variance_reduction_pct = found.variance_reduction_pct;
    answer->outcome = results_outcome(&found.adjusted);
    answer->verdict = report_verdict(call->locale, call->arena, &found.adjusted);
    answer->interpretation =
        interpretation(call, &found.adjusted, found.variance_reduction_pct.value);
}

static void describe_covariate(const struct results_call *call, const struct regression *fit,
                               const struct adjusted_options *options, size_t i,
                               struct adjusted_covariate *answer)
{
    int indicator = fit->indicator[i];

    *answer = (struct adjusted_covariate){
        .name = options->covariate_names ? options->covariate_names[i]
                                         : arena_print(call->arena, "covariate_%zu", i + 1),
        .users = fit->total - fit->missing[i],
        .missing = fit->missing[i],
        .use = adjusted_use_names[fit->use[i]],
        .indicator_use = indicator < 0 ? NULL : adjusted_use_names[fit->use[indicator]],
        .slopes = {(size_t)fit->arms, ARENA_ARRAY(call->arena, double, (size_t)fit->arms)}};
    for (int a = 0; a < fit->arms; a++)
        answer->slopes.items[a] = regression_slope(fit, a, (int)i);
}

static void describe_arm(const struct regression *fit, int a, struct adjusted_arm *answer)
{
    struct optional_number explained = regression_explained(fit, a);

    *answer = (struct adjusted_arm){fit->moments[a].n,
                                    regression_plain_mean(fit, a),
                                    regression_adjusted_mean(fit, a),
                                    {explained.given, 100 * explained.value}};
}

void adjusted_compose(const struct results_call *call, const struct regression *fit,
                      const struct adjusted_options *options, struct adjusted_reply *answer)
{
    size_t arms = (size_t)fit->arms;
    struct adjusted_covariate *covariates =
        ARENA_ARRAY(call->arena, struct adjusted_covariate, options->covariate_count);
    struct adjusted_arm *described = ARENA_ARRAY(call->arena, struct adjusted_arm, arms);
    struct adjusted_comparison *comparisons =
        ARENA_ARRAY(call->arena, struct adjusted_comparison, arms - 1);
    double alpha = options->alpha / (double)(arms - 1);

    for (size_t i = 0; i < options->covariate_count; i++)
        describe_covariate(call, fit, options, i, &covariates[i]);
    for (size_t a = 0; a < arms; a++)
        describe_arm(fit, (int)a, &described[a]);
    for (size_t a = 1; a < arms; a++) {
        comparisons[a - 1].treatment_index = (int64_t)a;
        compare(call, fit, options, alpha, &comparisons[a - 1]);
    }
    *answer = (struct adjusted_reply){
        .metric_type = metric_type_names[options->metric_type],
        .variance = adjusted_variance_names[options->variance],
        .distribution = adjusted_distribution_names[options->normal],
        .effect_unit = options->metric_type == METRIC_BINARY ? "percentage_points" : "metric_unit",
        .direction = goal_direction_names[options->direction],
        .alpha = options->alpha,
        .comparison_alpha = alpha,
        .ci_level = 1 - alpha,
        .users = fit->total,
        .covariates = {options->covariate_count, covariates},
        .arms = {arms, described},
        .comparisons = {arms - 1, comparisons}};
}

enum error adjusted_analyze_source(const struct results_call *call,
                                   const struct regression_source *source,
                                   const struct adjusted_options *options,
                                   struct adjusted_reply *answer)
{
    struct regression *fit = ARENA_NEW(call->arena, struct regression);

    regression_from_source(source, call->arena, fit);
    if (fit->ratio_undefined)
        return problem_set(call->problem, ERROR_INVALID, "degenerate", "%s",
                           locale_format(call->locale, call->arena,
                                         "errors.schemas.ratio_degenerate", NO_TEXT_ARGUMENTS));
    if (options->metric_type == METRIC_BINARY)
        fit->unit *= 100;
    adjusted_compose(call, fit, options, answer);
    return ERROR_NONE;
}

enum error adjusted_analyze(const struct results_call *call,
                            const struct adjusted_request *observed, struct adjusted_reply *answer)
{
    size_t covariates = arm_at(observed, 0)->covariates.count;
    struct request_users users = {.observed = observed};
    const struct regression_source source = {.arms = (int)observed->arms.count,
                                             .covariates = (int)covariates,
                                             .ratio = observed->metric_type == METRIC_RATIO,
                                             .state = &users,
                                             .rewind = rewind_users,
                                             .next = next_user};
    const struct adjusted_options options = {
        .metric_type = (enum metric_type)observed->metric_type,
        .variance = (enum regression_variance)observed->variance,
        .normal = observed->distribution == 1,
        .alpha = observed->alpha,
        .direction = (enum goal_direction)observed->direction,
        .covariate_count = covariates,
        .covariate_names =
            observed->covariate_names.count ? observed->covariate_names.items : NULL};

    return adjusted_analyze_source(call, &source, &options, answer);
}

int64_t adjusted_cost_units(const struct adjusted_request *observed)
{
    int64_t columns = 1 + 2 * (int64_t)arm_at(observed, 0)->covariates.count, users = 0, units;

    for (size_t i = 0; i < observed->arms.count; i++)
        users += (int64_t)arm_at(observed, i)->values.count;
    units = users * columns * columns / WORK_PER_UNIT;
    return units > COST_MIN ? units : COST_MIN;
}
