/* Tables of request and answer of a results analysis, and the rules that span their fields. */
#include "experiments/analyses/results_schema.h"

#include "experiments/design/calculation.h"

#include <math.h>

enum { RANKED_VALUES_MAX = 1000 }; /* per arm */

#define ANALYZER_NAME(id, name, ...) #name,
const char *const results_analyzer_names[ANALYZER__MAX] = {ANALYZER_LIST(ANALYZER_NAME)};
#undef ANALYZER_NAME

#define ALPHA_FIELD(owner)                                                                         \
    NUMBER(owner, alpha, .lower = AT_LEAST(0.001), .upper = AT_MOST(0.1), .default_value = 0.05,   \
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
SCHEMA_ITEM(binary_schema, struct binary_observation);

#define OWNER struct continuous_observation
static const struct field continuous_fields[] = {
    NUMBER(OWNER, control_mean, .required = true),
    NUMBER(OWNER, control_std, .required = true, .lower = ABOVE(0)),
    INTEGER(OWNER, control_n, .required = true, .lower = AT_LEAST(2)),
    NUMBER(OWNER, treatment_mean, .required = true),
    NUMBER(OWNER, treatment_std, .required = true, .lower = ABOVE(0)),
    INTEGER(OWNER, treatment_n, .required = true, .lower = AT_LEAST(2)),
    ALPHA_FIELD(OWNER),
    NULLABLE_NUMBER(OWNER, equivalence_margin, .lower = ABOVE(0),
                    .help = "Largest difference that does not matter, in the metric's unit. "
                            "Required by, and only read by, equivalence."),
};
#undef OWNER
static const struct schema continuous_schema = {.name = "ContinuousObservation",
                                                .help =
                                                    "Mean, standard deviation and users per arm.",
                                                .size = sizeof(struct continuous_observation),
                                                .fields = continuous_fields,
                                                .field_count = COUNT_OF(continuous_fields)};
SCHEMA_ITEM(continuous_schema, struct continuous_observation);

#define OWNER struct ranked_observation
static const struct field ranked_fields[] = {
    NUMBERS(OWNER, control_values, .required = true, .min_length = 2,
            .max_length = RANKED_VALUES_MAX),
    NUMBERS(OWNER, treatment_values, .required = true, .min_length = 2,
            .max_length = RANKED_VALUES_MAX),
    ALPHA_FIELD(OWNER),
    NUMBER(OWNER, quantile, .lower = ABOVE(0), .upper = BELOW(1), .default_value = 0.5,
           .help = "Which quantile the quantile analyzer compares."),
    NUMBER(OWNER, trim, .lower = AT_LEAST(0), .upper = BELOW(0.5), .default_value = 0.2,
           .help = "Share of values that trimmed_t cuts off either end of an arm."),
};
#undef OWNER
static const struct schema ranked_schema = {.name = "RankedObservation",
                                            .help = "Every value of both arms.",
                                            .size = sizeof(struct ranked_observation),
                                            .fields = ranked_fields,
                                            .field_count = COUNT_OF(ranked_fields)};
SCHEMA_ITEM(ranked_schema, struct ranked_observation);

#define OWNER struct count_observation
static const struct field count_fields[] = {
    INTEGER(OWNER, control_events, .required = true, .lower = AT_LEAST(0)),
    NUMBER(OWNER, control_exposure, .required = true, .lower = ABOVE(0),
           .help = "Users, days, sessions: any unit, the same for both arms."),
    INTEGER(OWNER, treatment_events, .required = true, .lower = AT_LEAST(0)),
    NUMBER(OWNER, treatment_exposure, .required = true, .lower = ABOVE(0)),
    ALPHA_FIELD(OWNER),
};
#undef OWNER
static const struct schema count_schema = {.name = "CountObservation",
                                           .help = "Events and exposure per arm.",
                                           .size = sizeof(struct count_observation),
                                           .fields = count_fields,
                                           .field_count = COUNT_OF(count_fields)};
SCHEMA_ITEM(count_schema, struct count_observation);

#define OWNER struct results_request
static const struct field request_fields[] = {
    CHOICE(OWNER, metric_type, results_analyzer_names, .choice_count = ANALYZER__MAX,
           .required = true, .help = "The analyzer; it reads one of the blocks below."),
    OBJECT(OWNER, binary, binary_schema, .nullable = true,
           .help = "For binary, fisher_exact, boschloo_exact and barnard_exact."),
    OBJECT(OWNER, continuous, continuous_schema, .nullable = true,
           .help = "For continuous and equivalence."),
    OBJECT(OWNER, ranked, ranked_schema, .nullable = true,
           .help = "For mann_whitney, bootstrap, quantile and trimmed_t."),
    OBJECT(OWNER, count, count_schema, .nullable = true, .help = "For count."),
    CHOICE(OWNER, direction, goal_direction_names, .choice_count = GOAL__MAX,
           .help = "Where the metric should go: verdict and outcome follow it."),
};
#undef OWNER

static bool is_analyzer(const void *object, enum analyzer_id analyzer)
{
    return ((const struct results_request *)object)->metric_type == (int)analyzer;
}

/* A predicate for each block of each analyzer: its own block is present, the others are absent. */
#define HAS(id, name, block)                                                                       \
    static bool name##_has_##block(const void *object)                                             \
    {                                                                                              \
        return !is_analyzer(object, id) || ((const struct results_request *)object)->block;        \
    }
#define HAS_NO(id, name, block)                                                                    \
    static bool name##_has_no_##block(const void *object)                                          \
    {                                                                                              \
        return !is_analyzer(object, id) || !((const struct results_request *)object)->block;       \
    }
#define BLOCK_PREDICATES(id, name, needed, one, two, three)                                        \
    HAS(ANALYZER_##id, name, needed)                                                               \
    HAS_NO(ANALYZER_##id, name, one)                                                               \
    HAS_NO(ANALYZER_##id, name, two)                                                               \
    HAS_NO(ANALYZER_##id, name, three)
ANALYZER_LIST(BLOCK_PREDICATES)

#define BLOCK_RULES(id, name, needed, one, two, three)                                             \
    {"errors.schemas." #name "_requires_" #needed "_data", name##_has_##needed},                   \
        {"errors.schemas." #name "_rejects_" #one "_data", name##_has_no_##one},                   \
        {"errors.schemas." #name "_rejects_" #two "_data", name##_has_no_##two},                   \
        {"errors.schemas." #name "_rejects_" #three "_data", name##_has_no_##three},

static bool equivalence_has_margin(const void *object)
{
    const struct results_request *request = object;

    return !is_analyzer(object, ANALYZER_EQUIVALENCE) ||
           request->continuous->equivalence_margin.given;
}

static const struct schema_rule request_rules[] = {
    ANALYZER_LIST(BLOCK_RULES){"errors.schemas.equivalence_requires_margin",
                               equivalence_has_margin},
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

struct optional_number results_relative_effect(const struct test_result *test)
{
    return isfinite(test->effect_relative_pct) && !test->control_is_zero
               ? GIVEN_NUMBER(test->effect_relative_pct)
               : (struct optional_number){0};
}

const char *results_outcome(const struct test_result *test)
{
    double gain = test->lower_is_better ? -test->effect : test->effect;

    if (test->degenerate || !test->is_significant || gain == 0)
        return "inconclusive";
    return gain > 0 ? "better" : "worse";
}

const char *results_relative_effect_reason(const struct test_result *test)
{
    if (results_relative_effect(test).given)
        return NULL;
    return test->control_is_zero ? "control_is_zero" : "relative_effect_too_large";
}

#define OWNER struct results_lift
static const struct field lift_fields[] = {
    NULLABLE_NUMBER(OWNER, value_pct, ROUNDED(4),
                    .help = "The effect in percent of the size of the control value; null beside "
                            "a control value of 0."),
    NULLABLE_NUMBER(OWNER, ci_lower_pct, ROUNDED(4)),
    NULLABLE_NUMBER(OWNER, ci_upper_pct, ROUNDED(4)),
    STRING(OWNER, method, .nullable = true,
           .help = "koopman_score for rates; delta, fieller where the control value is uncertain, "
                   "log_delta where the treatment value is; conditional_exact for counts."),
    STRING(OWNER, reason, .nullable = true,
           .help = "Why there is no interval: control_is_zero, control_not_away_from_zero, "
                   "too_large, not_for_this_analyzer, degenerate."),
};
#undef OWNER
SCHEMA(results_lift_schema, struct results_lift, "RelativeLift", lift_fields,
       .help = "The relative effect with its interval, of level ci_level.", .extra = EXTRA_STORED);

#define OWNER struct results_conventions
static const struct field convention_fields[] = {
    STRING(OWNER, direction, .help = "Of the effect."),
    STRING(OWNER, effect_unit, .help = "percentage_points, metric_unit or events_per_exposure."),
    STRING(OWNER, test),
    STRING(OWNER, standard_error, .nullable = true,
           .help = "Of the test: pooled, unpooled, winsorised; null for tests without one."),
    STRING(OWNER, p_value, .help = "What it adds up."),
    STRING(OWNER, interval, .help = "How ci_lower and ci_upper are found."),
    STRING(OWNER, effect_size_direction, .nullable = true,
           .help = "control_over_treatment, treatment_over_control, treatment_minus_control."),
};
#undef OWNER
static SCHEMA(conventions_schema, struct results_conventions, "ResultsConventions",
              convention_fields, .help = "Which convention each figure follows.",
              .extra = EXTRA_STORED);

#define OWNER struct results_test_interval
static const struct field test_interval_fields[] = {
    STRING(OWNER, of, .nullable = true, .help = "difference, shift, odds_ratio or rate_ratio."),
    NULLABLE_NUMBER(OWNER, lower, .help = "Null where nothing bounds it."),
    NULLABLE_NUMBER(OWNER, upper),
    NULLABLE_NUMBER(OWNER, no_effect, .help = "0, or 1 for ratios."),
    STRING(OWNER, method, .nullable = true,
           .help = "same_as_ci, mee_score, inverted_rank_sum, inverted_permutation, "
                   "conditional_exact."),
    NULLABLE_BOOLEAN(OWNER, agrees,
                     .help = "It leaves out no effect exactly when is_significant is true."),
    STRING(OWNER, reason, .nullable = true, .help = "Why there is none: not_inverted, degenerate."),
};
#undef OWNER
static SCHEMA(test_interval_schema, struct results_test_interval, "TestInterval",
              test_interval_fields, .help = "The interval that belongs to the p-value.",
              .extra = EXTRA_STORED);

#define OWNER struct results_reply
static const struct field reply_fields[] = {
    STRING(OWNER, metric_type),
    NUMBER(OWNER, observed_effect,
           .help = "Treatment minus control; percentage points where the data are conversions."),
    NULLABLE_NUMBER(OWNER, observed_effect_relative, ROUNDED(2),
                    .help = "Percent of the size of the control value: positive means larger "
                            "than control. Null beside a control value of 0 and where it is too "
                            "large for a number; the reason says which."),
    NULLABLE_NUMBER(OWNER, control_rate, ROUNDED(4), .help = "Percent."),
    NULLABLE_NUMBER(OWNER, treatment_rate, ROUNDED(4), .help = "Percent."),
    NUMBER(OWNER, ci_lower,
           .help = "Of the effect. Binary and count: Wald; exact tests: Newcombe's score interval; "
                   "bootstrap and quantile: percentiles of the bootstrap."),
    NUMBER(OWNER, ci_upper),
    NULLABLE_NUMBER(OWNER, ci_score_lower, ROUNDED(4),
                    .help = "Binary: Newcombe's score interval of the difference."),
    NULLABLE_NUMBER(OWNER, ci_score_upper, ROUNDED(4)),
    NUMBER(OWNER, ci_level, ROUNDED(4)),
    NUMBER(OWNER, p_value, ROUNDED(6)),
    NUMBER(OWNER, test_statistic, ROUNDED(4),
           .help =
               "Exact tests: the odds ratio, count: the rate ratio; 0 where it is not defined."),
    BOOLEAN(OWNER, is_significant, .help = "From the p-value before rounding."),
    NUMBER(OWNER, power_achieved, ROUNDED(3),
           .help = "Descriptive only: the power had the observed effect been the true one."),
    STRING(OWNER, verdict),
    STRING(OWNER, interpretation),
    NULLABLE_NUMBER(OWNER, effect_size, ROUNDED(4),
                    .help = "What effect_size_label names. The odds ratio is that of control "
                            "against treatment."),
    STRING(OWNER, effect_size_label, .nullable = true),
    NULLABLE_NUMBER(OWNER, effect_size_ci_lower, ROUNDED(4)),
    NULLABLE_NUMBER(OWNER, effect_size_ci_upper, ROUNDED(4),
                    .help = "Null beside a lower end: infinite."),
    STRING(OWNER, observed_effect_relative_reason, .nullable = true,
           .help = "Why there is no relative effect: control_is_zero or "
                   "relative_effect_too_large."),
    OBJECT(OWNER, relative_lift, results_lift_schema, .nullable = true),
    OBJECT(OWNER, conventions, conventions_schema, .nullable = true),
    OBJECT(OWNER, test_interval, test_interval_schema, .nullable = true),
    NULLABLE_BOOLEAN(OWNER, interval_agrees,
                     .help = "ci_lower to ci_upper leaves out no effect exactly when "
                             "is_significant is true; otherwise interpretation says why."),
    OBJECTS(OWNER, warnings, calculation_warning_schema, .nullable = true,
            .help = "SMALL_COUNTS where the arms are too small for an approximation in use."),
    STRING(OWNER, direction, .nullable = true, .help = "increase or decrease, as asked."),
    STRING(OWNER, outcome, .nullable = true,
           .help = "better or worse where the effect is significant, else inconclusive; null for "
                   "equivalence."),
};
#undef OWNER
const struct schema results_reply_schema = {.name = "ResultsReply",
                                            .help = "What the test showed.",
                                            .extra = EXTRA_STORED,
                                            .complete = true,
                                            .size = sizeof(struct results_reply),
                                            .fields = reply_fields,
                                            .field_count = COUNT_OF(reply_fields)};
