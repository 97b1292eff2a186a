/* One table of risk sets for the test, the expected events and the curves. */
#include "experiments/analyses/survival_analysis.h"

#include "experiments/analyses/report_print.h"
#include "math/normal.h"

#include <math.h>
#include <string.h>

enum { UNITS_MIN = 3, SUBJECTS_PER_UNIT = 100 };

/* The request, and the results so far. */
struct survival_case {
    const struct results_call *call;
    const struct survival_request *observed;
    struct survival_table table;
    double expected[SURVIVAL_ARMS_MAX];
};

int64_t survival_cost_units(const struct survival_request *observed)
{
    int64_t units =
        (survival_request_subjects(observed) + SUBJECTS_PER_UNIT - 1) / SUBJECTS_PER_UNIT;

    return units > UNITS_MIN ? units : UNITS_MIN;
}

static void build_table(struct survival_case *of)
{
    const struct survival_request *observed = of->observed;
    struct survival_arm arms[SURVIVAL_ARMS_MAX] = {*observed->control_arm,
                                                   *observed->treatment_arm};

    if (observed->additional_arms.count)
        memcpy(arms + 2, observed->additional_arms.items,
               observed->additional_arms.count * sizeof *arms);
    survival_table_build(arms, 2 + observed->additional_arms.count, of->call->arena, &of->table);
    survival_expected(&of->table, of->expected);
}

static enum error refuse(const struct survival_case *of, const char *reason, const char *key)
{
    return problem_set(of->call->problem, ERROR_INVALID, reason, "%s",
                       locale_format(of->call->locale, of->call->arena, key, NO_TEXT_ARGUMENTS));
}

static const char *print(const struct survival_case *of, int decimals, double value)
{
    return report_print_fixed(of->call->arena, decimals, value);
}

static const char *print_count(const struct survival_case *of, int64_t count)
{
    return arena_print(of->call->arena, "%lld", (long long)count);
}

static const char *word(const struct survival_case *of, const char *key,
                        const struct text_argument *arguments, size_t count)
{
    return locale_format(of->call->locale, of->call->arena, key, arguments, count);
}

static const char *significance(const struct survival_case *of, bool significant)
{
    return word(of,
                significant ? "results.significance.significant"
                            : "results.significance.not_significant",
                NO_TEXT_ARGUMENTS);
}

static const char *word_two_arms(const struct survival_case *of,
                                 const struct survival_reply *answer)
{
    return word(of, "results.interpretation.log_rank",
                TEXT_ARGUMENTS({"chiSquare", print(of, 4, answer->chi_square)},
                               {"pValue", report_print_p_value(of->call->arena, answer->p_value)},
                               {"observedControl", print_count(of, of->table.observed[0])},
                               {"expectedControl", print(of, 4, of->expected[0])},
                               {"nControl", print_count(of, of->table.subjects[0])},
                               {"observedTreatment", print_count(of, of->table.observed[1])},
                               {"expectedTreatment", print(of, 4, of->expected[1])},
                               {"nTreatment", print_count(of, of->table.subjects[1])},
                               {"significance", significance(of, answer->is_significant)}));
}

static const char *test_name(const struct survival_case *of)
{
    const char *rho = arena_print(of->call->arena, "%g", of->observed->fh_rho);
    const char *gamma = arena_print(of->call->arena, "%g", of->observed->fh_gamma);

    if (of->observed->test_type == SURVIVAL_LOG_RANK)
        return word(of, "results.survival.test_name.log_rank", NO_TEXT_ARGUMENTS);
    return word(of, "results.survival.test_name.fleming_harrington",
                TEXT_ARGUMENTS({"rho", rho}, {"gamma", gamma}));
}

static const char *word_family(const struct survival_case *of, const struct survival_reply *answer)
{
    return word(of, "results.interpretation.log_rank_family",
                TEXT_ARGUMENTS({"testName", test_name(of)},
                               {"numArms", print_count(of, (int64_t)of->table.arm_count)},
                               {"chiSquare", print(of, 4, answer->chi_square)},
                               {"df", print_count(of, answer->degrees_of_freedom)},
                               {"pValue", report_print_p_value(of->call->arena, answer->p_value)},
                               {"significance", significance(of, answer->is_significant)}));
}

static enum error compare_arms(const struct survival_case *of, struct survival_reply *answer)
{
    bool weighted = of->observed->test_type == SURVIVAL_FLEMING_HARRINGTON;
    double rho = weighted ? of->observed->fh_rho : 0, gamma = weighted ? of->observed->fh_gamma : 0;
    struct log_rank_result result;

    if (!log_rank_test(&of->table, rho, gamma, &result))
        return refuse(of, "survival_no_events", "errors.schemas.survival_no_events");
    answer->chi_square = result.statistic;
    answer->degrees_of_freedom = result.degrees_of_freedom;
    answer->p_value = result.p_value;
    answer->is_significant = result.p_value < of->observed->alpha;
    if (weighted) {
        answer->fh_rho = GIVEN_NUMBER(rho);
        answer->fh_gamma = GIVEN_NUMBER(gamma);
    }
    answer->interpretation =
        weighted || of->table.arm_count > 2 ? word_family(of, answer) : word_two_arms(of, answer);
    return ERROR_NONE;
}

static const char *word_ratio(const struct survival_case *of, const struct survival_reply *answer,
                              double z)
{
    double level = 100 * (1 - of->observed->alpha);

    return word(of, "results.interpretation.cox_ph",
                TEXT_ARGUMENTS({"hazardRatio", print(of, 4, answer->hazard_ratio.value)},
                               {"ciLevel", print(of, 1, level)},
                               {"ciLower", print(of, 4, answer->hazard_ratio_ci_lower.value)},
                               {"ciUpper", print(of, 4, answer->hazard_ratio_ci_upper.value)},
                               {"z", print(of, 4, z)},
                               {"pValue", report_print_p_value(of->call->arena, answer->p_value)},
                               {"significance", significance(of, answer->is_significant)}));
}

static enum error fit_hazards(const struct survival_case *of, struct survival_reply *answer)
{
    double reach, alpha = of->observed->alpha;
    struct cox_result result;

    if (of->table.time_count == 0)
        return refuse(of, "survival_no_events", "errors.schemas.survival_no_events");
    if (!cox_fit(&of->table, &result))
        return refuse(of, "survival_cox_undefined", "errors.schemas.survival_cox_undefined");
    reach = normal_upper_quantile(alpha / 2) * result.standard_error;
    answer->chi_square = result.z * result.z;
    answer->degrees_of_freedom = 1;
    answer->p_value = result.p_value;
    answer->is_significant = result.p_value < alpha;
    answer->hazard_ratio = GIVEN_NUMBER(exp(result.log_hazard_ratio));
    answer->hazard_ratio_ci_lower = GIVEN_NUMBER(exp(result.log_hazard_ratio - reach));
    answer->hazard_ratio_ci_upper = GIVEN_NUMBER(exp(result.log_hazard_ratio + reach));
    answer->log_hazard_ratio = GIVEN_NUMBER(result.log_hazard_ratio);
    answer->log_hazard_ratio_se = GIVEN_NUMBER(result.standard_error);
    answer->interpretation = word_ratio(of, answer, result.z);
    return ERROR_NONE;
}

static void summarise(const struct survival_case *of, struct survival_reply *answer)
{
    const struct survival_table *table = &of->table;
    struct arena *arena = of->call->arena;
    struct survival_arm_summary *arms =
        ARENA_ARRAY(arena, struct survival_arm_summary, table->arm_count);
    struct object_list *curves = ARENA_ARRAY(arena, struct object_list, table->arm_count);

    for (size_t arm = 0; arm < table->arm_count; arm++) {
        arms[arm] = (struct survival_arm_summary){table->subjects[arm], table->observed[arm],
                                                  of->expected[arm]};
        curves[arm] = kaplan_meier(table, arm, of->observed->alpha, arena);
    }
    answer->observed_control = arms[0].observed;
    answer->expected_control = arms[0].expected;
    answer->observed_treatment = arms[1].observed;
    answer->expected_treatment = arms[1].expected;
    answer->n_control = arms[0].n;
    answer->n_treatment = arms[1].n;
    answer->arm_summaries = (struct object_list){table->arm_count, arms};
    answer->control_curve = curves[0];
    answer->treatment_curve = curves[1];
    answer->additional_arm_curves = (struct object_list){table->arm_count - 2, curves + 2};
}

enum error survival_analyze(const struct results_call *call,
                            const struct survival_request *observed, struct survival_reply *answer)
{
    struct survival_case of = {.call = call, .observed = observed};
    enum error error;

    *answer = (struct survival_reply){.test_type = survival_test_names[observed->test_type]};
    build_table(&of);
    error =
        observed->test_type == SURVIVAL_COX ? fit_hazards(&of, answer) : compare_arms(&of, answer);
    if (error)
        return error;
    summarise(&of, answer);
    answer->verdict = word(&of,
                           answer->is_significant ? "results.survival.verdict_difference"
                                                  : "results.survival.verdict_no_difference",
                           TEXT_ARGUMENTS({"alpha", print(&of, 3, observed->alpha)}));
    return ERROR_NONE;
}
