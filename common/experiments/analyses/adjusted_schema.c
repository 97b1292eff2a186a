/* Request, rules and answer of the analysis adjusted by covariates. */
#include "experiments/analyses/adjusted_analysis.h"

#include <string.h>

enum { ARM_USERS_MIN = 2, NAME_MAX_LENGTH = 200 };

const char *const adjusted_variance_names[VARIANCE__MAX] = {
    [VARIANCE_HC2] = "hc2", [VARIANCE_HC3] = "hc3", [VARIANCE_ARM] = "arm"};

const char *const adjusted_distribution_names[2] = {"t", "normal"};

const char *const adjusted_use_names[COLUMN__MAX] = {[COLUMN_USED] = "used",
                                                     [COLUMN_CONSTANT] = "constant",
                                                     [COLUMN_COLLINEAR] = "collinear",
                                                     [COLUMN_CROWDED] = "too_few_users"};

#define VALUE_RANGE .lower = AT_LEAST(-REGRESSION_VALUE_MAX), .upper = AT_MOST(REGRESSION_VALUE_MAX)

static const struct field covariate_field = {
    .type = FIELD_NUMBERS, .null_items = true, VALUE_RANGE};

#define OWNER struct adjusted_arm_request
static const struct field arm_fields[] = {
    NUMBERS(OWNER, values, .required = true, .min_length = ARM_USERS_MIN,
            .max_length = ADJUSTED_USERS_MAX, VALUE_RANGE,
            .help = "One per user: 0 or 1, a value, a number of events, or the numerator of a "
                    "ratio."),
    NUMBERS(OWNER, denominators, .max_length = ADJUSTED_USERS_MAX, VALUE_RANGE,
            .help = "Of a ratio, of the same users in the same order."),
    LISTS(OWNER, covariates, &covariate_field, .required = true, .min_length = 1,
          .max_length = REGRESSION_COVARIATES_MAX,
          .help = "One list per covariate, of the same users in the same order: what was known of "
                  "a user before the experiment; null where nothing was."),
};
#undef OWNER

static bool lists_match(const void *object)
{
    const struct adjusted_arm_request *arm = object;
    const struct number_list *lists = arm->covariates.items;

    for (size_t i = 0; i < arm->covariates.count; i++)
        if (lists[i].count != arm->values.count)
            return false;
    return arm->denominators.count == 0 || arm->denominators.count == arm->values.count;
}

static const struct schema_rule arm_rules[] = {
    {"errors.schemas.adjusted_length_mismatch", lists_match},
};

static SCHEMA(arm_schema, struct adjusted_arm_request, "AdjustedArmUsers", arm_fields,
              .help = "The users of one arm.", RULES(arm_rules));

#define OWNER struct adjusted_request
static const struct field request_fields[] = {
    CHOICE(OWNER, metric_type, metric_type_names, .choice_count = METRIC__MAX, .required = true),
    OBJECTS(OWNER, arms, arm_schema, .required = true, .min_length = 2,
            .max_length = REGRESSION_ARMS_MAX, .help = "The control first."),
    STRINGS(OWNER, covariate_names, .max_length = REGRESSION_COVARIATES_MAX),
    CHOICE(OWNER, variance, adjusted_variance_names, .choice_count = VARIANCE__MAX,
           .help = "hc2 and hc3 are robust, from every user's residual; arm takes one residual "
                   "variance per arm, as live statistics do."),
    CHOICE(OWNER, distribution, adjusted_distribution_names, .choice_count = 2,
           .help = "Of the test and the interval: t with users - arms x (1 + columns) degrees of "
                   "freedom, or normal."),
    NUMBER(OWNER, alpha, .lower = AT_LEAST(0.001), .upper = AT_MOST(0.1), .default_value = 0.05,
           .help = "Two-sided significance level; several treatments share it (Bonferroni)."),
    CHOICE(OWNER, direction, goal_direction_names, .choice_count = GOAL__MAX,
           .help = "Where the metric should go: verdict and outcome follow it."),
};
#undef OWNER

static const struct adjusted_arm_request *arm_at(const struct adjusted_request *request, size_t i)
{
    return (const struct adjusted_arm_request *)request->arms.items + i;
}

static bool covariates_match(const void *object)
{
    const struct adjusted_request *request = object;

    for (size_t i = 1; i < request->arms.count; i++)
        if (arm_at(request, i)->covariates.count != arm_at(request, 0)->covariates.count)
            return false;
    return true;
}

static bool names_match(const void *object)
{
    const struct adjusted_request *request = object;
    const struct string_list *names = &request->covariate_names;

    for (size_t i = 0; i < names->count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(names->items[i], names->items[j]) == 0)
                return false;
    return names->count == 0 || names->count == arm_at(request, 0)->covariates.count;
}

static bool denominators_fit(const void *object)
{
    const struct adjusted_request *request = object;

    for (size_t i = 0; i < request->arms.count; i++)
        if ((arm_at(request, i)->denominators.count > 0) != (request->metric_type == METRIC_RATIO))
            return false;
    return true;
}

static bool every_value(const struct adjusted_request *request, bool (*holds)(double value))
{
    for (size_t i = 0; i < request->arms.count; i++)
        for (size_t j = 0; j < arm_at(request, i)->values.count; j++)
            if (!holds(arm_at(request, i)->values.items[j]))
                return false;
    return true;
}

static bool is_binary(double value)
{
    return value == 0 || value == 1;
}

static bool is_not_negative(double value)
{
    return value >= 0;
}

static bool values_are_binary(const void *object)
{
    const struct adjusted_request *request = object;

    return request->metric_type != METRIC_BINARY || every_value(request, is_binary);
}

static bool values_are_counts(const void *object)
{
    const struct adjusted_request *request = object;

    return request->metric_type != METRIC_COUNT || every_value(request, is_not_negative);
}

static const struct schema_rule request_rules[] = {
    {"errors.schemas.adjusted_covariates_mismatch", covariates_match},
    {"errors.schemas.adjusted_names_mismatch", names_match},
    {"errors.schemas.adjusted_denominators", denominators_fit},
    {"errors.schemas.adjusted_binary_values", values_are_binary},
    {"errors.schemas.adjusted_count_values", values_are_counts},
};

SCHEMA(adjusted_request_schema, struct adjusted_request, "AdjustedRequest", request_fields,
       .help = "The users of two or more arms with their covariates.", RULES(request_rules),
       .example = "{\"metric_type\":\"continuous\",\"covariate_names\":[\"spend_before\"],"
                  "\"arms\":[{\"values\":[10,12,13,15,16],\"covariates\":[[1,2,null,4,5]]},"
                  "{\"values\":[18,20,21,24,25],\"covariates\":[[4,5,6,null,8]]}]}");

#define OWNER struct adjusted_effect
static const struct field effect_fields[] = {
    NUMBER(OWNER, effect, .help = "Treatment minus control, in effect_unit."),
    OBJECT(OWNER, relative_lift, results_lift_schema),
    NUMBER(OWNER, standard_error),
    NULLABLE_NUMBER(OWNER, degrees_of_freedom, .help = "Null for the normal distribution."),
    NUMBER(OWNER, test_statistic, ROUNDED(4)),
    NUMBER(OWNER, p_value, ROUNDED(6)),
    NUMBER(OWNER, ci_lower),
    NUMBER(OWNER, ci_upper),
    BOOLEAN(OWNER, is_significant, .help = "From the p-value before rounding."),
};
#undef OWNER
static SCHEMA(effect_schema, struct adjusted_effect, "AdjustedEffect", effect_fields,
              .help = "A difference with its error. It is not rounded, but for p and statistic.");

#define OWNER struct adjusted_comparison
static const struct field comparison_fields[] = {
    INTEGER(OWNER, treatment_index, .help = "Position of the arm; 0 is the control."),
    STRING(OWNER, status,
           .help = "ok, or insufficient_data: fewer than two users in an arm, no degrees of "
                   "freedom, or nothing that the covariates do not explain."),
    OBJECT(OWNER, adjusted, effect_schema, .nullable = true),
    OBJECT(OWNER, unadjusted, effect_schema, .nullable = true,
           .help = "The same without covariates, with the same kind of variance."),
    NULLABLE_NUMBER(OWNER, variance_reduction_pct, ROUNDED(4),
                    .help = "How much smaller the variance of the effect is than without "
                            "covariates; negative where they do not help."),
    STRING(OWNER, outcome, .nullable = true, .help = "better, worse or inconclusive."),
    STRING(OWNER, verdict, .nullable = true),
    STRING(OWNER, interpretation),
};
#undef OWNER
static SCHEMA(comparison_schema, struct adjusted_comparison, "AdjustedComparison",
              comparison_fields, .help = "A treatment against the control.");

#define OWNER struct adjusted_arm
static const struct field arm_reply_fields[] = {
    INTEGER(OWNER, users),
    NUMBER(OWNER, unadjusted_value, .help = "Mean, rate in percent, or ratio of totals."),
    NUMBER(OWNER, adjusted_value, .help = "At the covariates' means over all users."),
    NULLABLE_NUMBER(OWNER, explained_pct, ROUNDED(4),
                    .help = "Share of the arm's variance that the covariates explain."),
};
#undef OWNER
static SCHEMA(arm_reply_schema, struct adjusted_arm, "AdjustedArm", arm_reply_fields);

#define OWNER struct adjusted_covariate
static const struct field covariate_fields[] = {
    STRING(OWNER, name),
    INTEGER(OWNER, users, .help = "Users who have it."),
    INTEGER(OWNER, missing,
            .help = "Users who have not; they count with its mean and an indicator."),
    STRING(OWNER, use,
           .help = "used, constant, collinear (the covariates before it explain it within an arm) "
                   "or too_few_users (of an arm, for one more slope)."),
    STRING(OWNER, indicator_use, .nullable = true,
           .help = "The same of the indicator of those without it; null where nobody is."),
    NUMBERS(OWNER, slopes, .help = "By arm; 0 where the covariate is not used."),
};
#undef OWNER
static SCHEMA(covariate_schema, struct adjusted_covariate, "AdjustedCovariate", covariate_fields);

#define OWNER struct adjusted_reply
static const struct field reply_fields[] = {
    STRING(OWNER, metric_type),
    STRING(OWNER, variance, .help = "hc2, hc3 or arm."),
    STRING(OWNER, distribution),
    STRING(OWNER, effect_unit, .help = "percentage_points for binary metrics, else metric_unit."),
    STRING(OWNER, direction),
    NUMBER(OWNER, alpha),
    NUMBER(OWNER, comparison_alpha, .help = "Of one comparison: alpha over their number."),
    NUMBER(OWNER, ci_level),
    INTEGER(OWNER, users),
    OBJECTS(OWNER, covariates, covariate_schema),
    OBJECTS(OWNER, arms, arm_reply_schema),
    OBJECTS(OWNER, comparisons, comparison_schema),
};
#undef OWNER
SCHEMA(adjusted_reply_schema, struct adjusted_reply, "AdjustedReply", reply_fields,
       .help = "Effects adjusted by covariates, beside those that are not.");
