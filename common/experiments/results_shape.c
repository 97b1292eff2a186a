/* Tables of the results documents and the rules that span their fields. */
#include "experiments/results_shape.h"

const char *const results_analyzer_names[ANALYZER__MAX] = {"binary", "continuous"};

#define ALPHA_FIELD(owner)                                                                         \
    NUMBER(owner, alpha, .lower = AT_LEAST(0.001), .upper = AT_MOST(0.1), .preset = 0.05,          \
           .help = "Two-sided significance level.")

#define OWNER struct binary_observation
static const struct field binary_fields[] = {
    INTEGER(OWNER, control_conversions, .required = true, .lower = AT_LEAST(0)),
    INTEGER(OWNER, control_users, .required = true, .lower = AT_LEAST(2)),
    INTEGER(OWNER, treatment_conversions, .required = true, .lower = AT_LEAST(0)),
    INTEGER(OWNER, treatment_users, .required = true, .lower = AT_LEAST(2)),
    ALPHA_FIELD(OWNER),
};
#undef OWNER

static bool control_conversions_fit(const void *object)
{
    const struct binary_observation *observed = object;

    return observed->control_conversions <= observed->control_users;
}

static bool treatment_conversions_fit(const void *object)
{
    const struct binary_observation *observed = object;

    return observed->treatment_conversions <= observed->treatment_users;
}

static const struct schema_rule binary_rules[] = {
    {"errors.schemas.control_conversions_exceed_users", control_conversions_fit},
    {"errors.schemas.treatment_conversions_exceed_users", treatment_conversions_fit},
};

static const struct schema binary_schema = {.name = "BinaryObservation",
                                            .help = "Users and conversions per arm.",
                                            .size = sizeof(struct binary_observation),
                                            .fields = binary_fields,
                                            .field_count = COUNT_OF(binary_fields),
                                            .rules = binary_rules,
                                            .rule_count = COUNT_OF(binary_rules)};

#define OWNER struct continuous_observation
static const struct field continuous_fields[] = {
    NUMBER(OWNER, control_mean, .required = true),
    NUMBER(OWNER, control_std, .required = true, .lower = ABOVE(0)),
    INTEGER(OWNER, control_n, .required = true, .lower = AT_LEAST(2)),
    NUMBER(OWNER, treatment_mean, .required = true),
    NUMBER(OWNER, treatment_std, .required = true, .lower = ABOVE(0)),
    INTEGER(OWNER, treatment_n, .required = true, .lower = AT_LEAST(2)),
    ALPHA_FIELD(OWNER),
};
#undef OWNER
static const struct schema continuous_schema = {.name = "ContinuousObservation",
                                                .help =
                                                    "Mean, standard deviation and users per arm.",
                                                .size = sizeof(struct continuous_observation),
                                                .fields = continuous_fields,
                                                .field_count = COUNT_OF(continuous_fields)};

#define OWNER struct results_request
static const struct field request_fields[] = {
    CHOICE(OWNER, metric_type, results_analyzer_names, .choice_count = ANALYZER__MAX,
           .required = true, .help = "The analyzer; the block of the same name holds its data."),
    OBJECT(OWNER, binary, &binary_schema, .nullable = true),
    OBJECT(OWNER, continuous, &continuous_schema, .nullable = true),
};
#undef OWNER

static bool is_analyzer(const void *object, enum analyzer analyzer)
{
    return ((const struct results_request *)object)->metric_type == (int)analyzer;
}

static bool binary_has_data(const void *object)
{
    return !is_analyzer(object, ANALYZER_BINARY) ||
           ((const struct results_request *)object)->binary;
}

static bool binary_has_no_other(const void *object)
{
    return !is_analyzer(object, ANALYZER_BINARY) ||
           !((const struct results_request *)object)->continuous;
}

static bool continuous_has_data(const void *object)
{
    return !is_analyzer(object, ANALYZER_CONTINUOUS) ||
           ((const struct results_request *)object)->continuous;
}

static bool continuous_has_no_other(const void *object)
{
    return !is_analyzer(object, ANALYZER_CONTINUOUS) ||
           !((const struct results_request *)object)->binary;
}

static const struct schema_rule request_rules[] = {
    {"errors.schemas.binary_requires_binary_data", binary_has_data},
    {"errors.schemas.binary_rejects_continuous_data", binary_has_no_other},
    {"errors.schemas.continuous_requires_continuous_data", continuous_has_data},
    {"errors.schemas.continuous_rejects_binary_data", continuous_has_no_other},
};

const struct schema results_request_schema = {
    .name = "ResultsRequest",
    .help = "What was observed in the two arms.",
    .size = sizeof(struct results_request),
    .fields = request_fields,
    .field_count = COUNT_OF(request_fields),
    .rules = request_rules,
    .rule_count = COUNT_OF(request_rules),
    .example = "{\"metric_type\":\"binary\",\"binary\":{\"control_conversions\":100,"
               "\"control_users\":1000,\"treatment_conversions\":130,\"treatment_users\":1000,"
               "\"alpha\":0.05}}",
};

#define OWNER struct results_reply
static const struct field reply_fields[] = {
    STRING(OWNER, metric_type),
    NUMBER(OWNER, observed_effect, ROUNDED(4),
           .help = "Treatment minus control; percentage points for binary."),
    NUMBER(OWNER, observed_effect_relative, ROUNDED(2), .help = "Percent of the control value."),
    NULLABLE_NUMBER(OWNER, control_rate, ROUNDED(4), .help = "Percent."),
    NULLABLE_NUMBER(OWNER, treatment_rate, ROUNDED(4), .help = "Percent."),
    NUMBER(OWNER, ci_lower, ROUNDED(4), .help = "Binary: Wald interval of the difference."),
    NUMBER(OWNER, ci_upper, ROUNDED(4)),
    NULLABLE_NUMBER(OWNER, ci_score_lower, ROUNDED(4),
                    .help = "Binary: Newcombe's score interval of the difference."),
    NULLABLE_NUMBER(OWNER, ci_score_upper, ROUNDED(4)),
    NUMBER(OWNER, ci_level, ROUNDED(4)),
    NUMBER(OWNER, p_value, ROUNDED(6)),
    NUMBER(OWNER, test_statistic, ROUNDED(4)),
    BOOLEAN(OWNER, is_significant, .help = "From the p-value before rounding."),
    NUMBER(OWNER, power_achieved, ROUNDED(3),
           .help = "Descriptive only: the power had the observed effect been the true one."),
    STRING(OWNER, verdict),
    STRING(OWNER, interpretation),
    NULLABLE_NUMBER(OWNER, effect_size, ROUNDED(4)),
    STRING(OWNER, effect_size_label, .nullable = true),
    NULLABLE_NUMBER(OWNER, effect_size_ci_lower, ROUNDED(4)),
    NULLABLE_NUMBER(OWNER, effect_size_ci_upper, ROUNDED(4)),
};
#undef OWNER
const struct schema results_reply_schema = {.name = "ResultsReply",
                                            .help = "What the test showed.",
                                            .extra = EXTRA_IGNORE,
                                            .complete = true,
                                            .size = sizeof(struct results_reply),
                                            .fields = reply_fields,
                                            .field_count = COUNT_OF(reply_fields)};
