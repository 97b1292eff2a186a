/* Schema, rules and texts of the analysis of several groups. */
#include "experiments/analyses/omnibus_analysis.h"

#include "experiments/analyses/report_print.h"

enum {
    GROUPS_MIN = 2,
    VALUES_MIN = 2, /* per group */
    VALUES_MAX = 1000,
    VALUES_PER_UNIT = 150, /* of cost */
    COST_MIN = 2,
};

static const char *const test_names[OMNIBUS_TEST__MAX] = {
    [OMNIBUS_WELCH_ANOVA] = "welch_anova",
    [OMNIBUS_KRUSKAL_WALLIS] = "kruskal_wallis",
};

/* What a group holds. Its length is a rule of the request. */
static const struct field group_field = {.type = FIELD_NUMBERS};

#define OWNER struct omnibus_request
static const struct field request_fields[] = {
    CHOICE(OWNER, test_type, test_names, .choice_count = OMNIBUS_TEST__MAX, .required = true,
           .help = "welch_anova compares means, without assuming equal variances; kruskal_wallis "
                   "compares ranks."),
    LISTS(OWNER, groups, &group_field, .required = true, .min_length = GROUPS_MIN,
          .max_length = OMNIBUS_GROUPS_MAX,
          .help = "Every value of every group; 2 to 1000 values in each."),
    NUMBER(OWNER, alpha, .lower = AT_LEAST(0.001), .upper = AT_MOST(0.1), .default_value = 0.05,
           .help = "Significance level."),
};
#undef OWNER

static struct omnibus_groups groups_of(const void *object)
{
    const struct object_list *groups = &((const struct omnibus_request *)object)->groups;

    return (struct omnibus_groups){groups->count, groups->items};
}

static bool groups_have_values(const void *object)
{
    struct omnibus_groups groups = groups_of(object);

    for (size_t i = 0; i < groups.count; i++)
        if (groups.items[i].count < VALUES_MIN)
            return false;
    return true;
}

static bool groups_have_not_too_many_values(const void *object)
{
    struct omnibus_groups groups = groups_of(object);

    for (size_t i = 0; i < groups.count; i++)
        if (groups.items[i].count > VALUES_MAX)
            return false;
    return true;
}

static const struct schema_rule request_rules[] = {
    {"errors.schemas.omnibus_min_group_size", groups_have_values},
    {"errors.schemas.omnibus_group_too_large", groups_have_not_too_many_values},
};

SCHEMA(omnibus_request_schema, struct omnibus_request, "OmnibusRequest", request_fields,
       .help = "Several groups that may differ.", RULES(request_rules),
       .example = "{\"test_type\":\"welch_anova\",\"groups\":[[5.1,4.8,6.2,5.5],[6.5,7.1,6.8,7.4],"
                  "[5.9,6.3,6.7,5.5]]}");

#define OWNER struct omnibus_group
static const struct field group_fields[] = {
    INTEGER(OWNER, n),
    NULLABLE_NUMBER(OWNER, mean, ROUNDED(4), .help = "From welch_anova."),
    NULLABLE_NUMBER(OWNER, std, ROUNDED(4), .help = "From welch_anova; divisor n - 1."),
    NULLABLE_NUMBER(OWNER, median, ROUNDED(4), .help = "From kruskal_wallis."),
    NULLABLE_NUMBER(OWNER, mean_rank, ROUNDED(4),
                    .help = "From kruskal_wallis: among the values of all groups."),
};
#undef OWNER
static SCHEMA(group_schema, struct omnibus_group, "OmnibusGroup", group_fields,
              .help = "What one group looks like.");

#define OWNER struct omnibus_reply
static const struct field reply_fields[] = {
    STRING(OWNER, test_type),
    NUMBER(OWNER, test_statistic, ROUNDED(4), .help = "F, or H with its correction for ties."),
    NUMBER(OWNER, df_numerator),
    NULLABLE_NUMBER(OWNER, df_denominator, ROUNDED(4), .help = "Of F; null for kruskal_wallis."),
    NUMBER(OWNER, p_value, ROUNDED(6)),
    BOOLEAN(OWNER, is_significant, .help = "From the p-value before rounding."),
    NUMBER(OWNER, effect_size, ROUNDED(4), .help = "What effect_size_label names, 0 to 1."),
    STRING(OWNER, effect_size_label),
    INTEGER(OWNER, num_groups),
    INTEGER(OWNER, n_total),
    OBJECTS(OWNER, group_summaries, group_schema, .help = "In the order of the request."),
    STRING(OWNER, verdict),
    STRING(OWNER, interpretation),
};
#undef OWNER
SCHEMA(omnibus_reply_schema, struct omnibus_reply, "OmnibusReply", reply_fields,
       .help = "Whether the groups differ, not which of them do.");

/* What depends on the test. */
static const struct {
    bool (*run)(const struct omnibus_groups *groups, double alpha, struct arena *arena,
                struct omnibus_result *result);
    const char *reason, *refusal; /* of data without an answer */
    const char *label;
    const char *interpretation;
} tests[OMNIBUS_TEST__MAX] = {
    [OMNIBUS_WELCH_ANOVA] = {omnibus_welch, "welch_anova_degenerate",
                             "errors.schemas.welch_anova_degenerate",
                             "results.effect_size.eta_squared",
                             "results.interpretation.welch_anova"},
    [OMNIBUS_KRUSKAL_WALLIS] = {omnibus_kruskal, "kruskal_wallis_degenerate",
                                "errors.schemas.kruskal_wallis_degenerate",
                                "results.effect_size.epsilon_squared",
                                "results.interpretation.kruskal_wallis"},
};

static const char *verdict_text(const struct results_call *call, double alpha, bool significant)
{
    const char *key = significant ? "results.omnibus.verdict_difference"
                                  : "results.omnibus.verdict_no_difference";

    return locale_format(call->locale, call->arena, key,
                         TEXT_ARGUMENTS({"alpha", report_print_fixed(call->arena, 3, alpha)}));
}

/* The texts of both tests are filled from the same numbers, by the names of each. */
static const char *interpretation_text(const struct results_call *call,
                                       const struct omnibus_reply *answer, const char *key)
{
    struct arena *arena = call->arena;
    const char *statistic = report_print_fixed(arena, 4, answer->test_statistic);
    const char *degrees = report_print_fixed(arena, 0, answer->df_numerator);
    const char *effect = report_print_fixed(arena, 4, answer->effect_size);

    return locale_format(
        call->locale, arena, key,
        TEXT_ARGUMENTS(
            {"fStatistic", statistic}, {"hStatistic", statistic}, {"dfNum", degrees},
            {"df", degrees}, {"dfDen", report_print_fixed(arena, 4, answer->df_denominator.value)},
            {"groups", report_print_count(arena, answer->num_groups)},
            {"n", report_print_count(arena, answer->n_total)}, {"etaSquared", effect},
            {"epsilonSquared", effect}, {"pValue", report_print_p_value(arena, answer->p_value)},
            {"significance",
             report_print_significance(call->locale, arena, answer->is_significant)}));
}

enum error omnibus_analyze(const struct results_call *call, const struct omnibus_request *observed,
                           struct omnibus_reply *answer)
{
    struct omnibus_groups groups = groups_of(observed);
    int test = observed->test_type;
    struct omnibus_result result;

    if (!tests[test].run(&groups, observed->alpha, call->arena, &result))
        return problem_set(
            call->problem, ERROR_INVALID, tests[test].reason, "%s",
            locale_format(call->locale, call->arena, tests[test].refusal, NO_TEXT_ARGUMENTS));
    *answer = (struct omnibus_reply){
        .test_type = test_names[test],
        .test_statistic = result.statistic,
        .df_numerator = result.df_numerator,
        .df_denominator = result.df_denominator,
        .p_value = result.p_value,
        .is_significant = result.is_significant,
        .effect_size = result.effect_size,
        .effect_size_label =
            locale_format(call->locale, call->arena, tests[test].label, NO_TEXT_ARGUMENTS),
        .num_groups = (int64_t)groups.count,
        .n_total = result.total,
        .group_summaries = {groups.count, result.groups},
        .verdict = verdict_text(call, observed->alpha, result.is_significant)};
    answer->interpretation = interpretation_text(call, answer, tests[test].interpretation);
    return ERROR_NONE;
}

int64_t omnibus_cost_units(const struct omnibus_request *observed)
{
    struct omnibus_groups groups = groups_of(observed);
    int64_t values = 0, units;

    for (size_t i = 0; i < groups.count; i++)
        values += (int64_t)groups.items[i].count;
    units = (values + VALUES_PER_UNIT - 1) / VALUES_PER_UNIT;
    return units > COST_MIN ? units : COST_MIN;
}
