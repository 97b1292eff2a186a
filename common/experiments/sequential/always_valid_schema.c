/* Fields of an always-valid comparison, and which of them a metric needs. */
#include "experiments/sequential/always_valid_reading.h"

#include "stats/sequential/confidence_sequence.h"

enum { TUNING_USERS_PRESET = 5000 };
#define SIZE_MAX_VALUE 1e12 /* squares and their products keep their digits */
#define WITHIN .lower = AT_LEAST(-SIZE_MAX_VALUE), .upper = AT_MOST(SIZE_MAX_VALUE)
#define SPREAD .lower = AT_LEAST(0), .upper = AT_MOST(SIZE_MAX_VALUE)
#define CORRELATION .lower = AT_LEAST(-1), .upper = AT_MOST(1)
#define USERS .lower = AT_LEAST(2), .upper = AT_MOST(1000000000000000)

static const char *const metric_names[SEQUENCE__MAX] = {"mean", "rate", "ratio", "quantile"};

#define OWNER struct sequence_covariate
static const struct field covariate_fields[] = {
    NUMBER(OWNER, mean, .required = true, WITHIN),
    NUMBER(OWNER, std, .required = true, SPREAD),
    NUMBER(OWNER, correlation, .required = true, CORRELATION,
           .help = "With the value, of a ratio with the numerator."),
    NULLABLE_NUMBER(OWNER, denominator_correlation, CORRELATION,
                    .help = "Of a ratio: with the denominator."),
};
#undef OWNER
static SCHEMA(covariate_schema, struct sequence_covariate, "SequenceCovariate", covariate_fields,
              .help = "A figure of every user from before the experiment.");

#define OWNER struct sequence_arm
static const struct field arm_fields[] = {
    NULLABLE_INTEGER(OWNER, n, USERS, .help = "Users; not with values."),
    NULLABLE_NUMBER(OWNER, mean, WITHIN, .help = "Of a ratio: of the numerator."),
    NULLABLE_NUMBER(OWNER, std, SPREAD, .help = "Of a ratio: of the numerator."),
    NULLABLE_INTEGER(OWNER, conversions, .lower = AT_LEAST(0), .help = "Of a rate."),
    NULLABLE_NUMBER(OWNER, denominator_mean, .lower = ABOVE(0), .upper = AT_MOST(SIZE_MAX_VALUE)),
    NULLABLE_NUMBER(OWNER, denominator_std, SPREAD),
    NULLABLE_NUMBER(OWNER, denominator_correlation, CORRELATION,
                    .help = "Of numerator and denominator over users."),
    NUMBERS(OWNER, values, .max_length = SEQUENCE_VALUES_MAX,
            .help = "Of a quantile: the value of every user."),
    OBJECT(OWNER, covariate, covariate_schema, .nullable = true),
};
#undef OWNER
static SCHEMA(arm_schema, struct sequence_arm, "SequenceArm", arm_fields,
              .help = "One arm so far.");

#define OWNER struct always_valid_request
static const struct field request_fields[] = {
    CHOICE(OWNER, metric, metric_names, .choice_count = SEQUENCE__MAX,
           .help = "mean: n, mean, std. rate: n, conversions. ratio of totals: n, mean, std and "
                   "the three figures of the denominator. quantile: values."),
    OBJECT(OWNER, control_arm, arm_schema, .required = true),
    OBJECT(OWNER, treatment_arm, arm_schema, .required = true),
    NUMBER(OWNER, quantile, .lower = AT_LEAST(0.001), .upper = AT_MOST(0.999),
           .default_value = 0.5),
    NUMBER(OWNER, alpha, .lower = AT_LEAST(1e-10), .upper = AT_MOST(0.5), .default_value = 0.05),
    NULLABLE_NUMBER(OWNER, effect, .lower = AT_LEAST(1e-100), .upper = AT_MOST(SIZE_MAX_VALUE),
                    .help = "The difference you want to find, in its unit. Choose it before the "
                            "data."),
    INTEGER(OWNER, tuning_users, .lower = AT_LEAST(10), .upper = AT_MOST(1000000000),
            .default_value = TUNING_USERS_PRESET,
            .help = "Without an effect: users of both arms at which the interval is to be narrow. "
                    "Choose it before the data."),
};
#undef OWNER

static bool arm_suits(int metric, const struct sequence_arm *arm)
{
    bool moments = arm->n.given && arm->mean.given && arm->std.given;

    switch (metric) {
    case SEQUENCE_MEAN:
        return moments;
    case SEQUENCE_RATE:
        return arm->n.given && arm->conversions.given && arm->conversions.value <= arm->n.value;
    case SEQUENCE_RATIO:
        return moments && arm->denominator_mean.given && arm->denominator_std.given &&
               arm->denominator_correlation.given;
    default:
        return arm->values.count > 0 && !arm->n.given && !arm->covariate;
    }
}

static bool arms_suit(const void *object)
{
    const struct always_valid_request *request = object;

    return arm_suits(request->metric, request->control_arm) &&
           arm_suits(request->metric, request->treatment_arm);
}

static bool covariates_suit(const void *object)
{
    const struct always_valid_request *request = object;
    const struct sequence_covariate *one = request->control_arm->covariate;
    const struct sequence_covariate *other = request->treatment_arm->covariate;
    bool ratio = request->metric == SEQUENCE_RATIO;

    return !one == !other && (!one || (one->denominator_correlation.given == ratio &&
                                       other->denominator_correlation.given == ratio));
}

static const struct schema_rule request_rules[] = {
    {"errors.schemas.always_valid_arms", arms_suit},
    {"errors.schemas.always_valid_covariates", covariates_suit},
};

SCHEMA(always_valid_request_schema, struct always_valid_request, "AlwaysValidRequest",
       request_fields, .help = "Two arms that may be read at any time.", RULES(request_rules),
       .example = "{\"metric\":\"mean\",\"control_arm\":{\"n\":5200,\"mean\":10.1,\"std\":8,"
                  "\"covariate\":{\"mean\":9.9,\"std\":7,\"correlation\":0.6}},\"treatment_arm\":{"
                  "\"n\":5150,\"mean\":10.9,\"std\":8.2,\"covariate\":{\"mean\":10,\"std\":7.1,"
                  "\"correlation\":0.62}},\"effect\":0.5}");

#define OWNER struct always_valid_figures
static const struct field figures_fields[] = {
    NUMBER(OWNER, effect, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, standard_error, ROUNDED(6)),
    NUMBER(OWNER, p_value, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, ci_lower, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, ci_upper, ROUNDED(6)),
    BOOLEAN(OWNER, is_significant),
};
#undef OWNER
static SCHEMA(figures_schema, struct always_valid_figures, "AlwaysValidFigures", figures_fields);

#define OWNER struct always_valid_reply
static const struct field reply_fields[] = {
    STRING(OWNER, status, .help = "ok, insufficient_data or not_evaluable."),
    STRING(OWNER, note),
    STRING(OWNER, method,
           .help = "asymptotic_confidence_sequence, or quantile_confidence_sequence."),
    NUMBER(OWNER, confidence_level, ROUNDED(6)),
    NULLABLE_INTEGER(OWNER, least_users,
                     .help = "Users of the smaller arm from which on the method holds; null: from "
                             "the first."),
    OBJECT(OWNER, unadjusted, figures_schema, .nullable = true),
    OBJECT(OWNER, adjusted, figures_schema, .nullable = true,
           .help = "By the covariate, with one slope for both arms."),
    NULLABLE_NUMBER(OWNER, variance_reduction_pct, ROUNDED(2)),
};
#undef OWNER
SCHEMA(always_valid_reply_schema, struct always_valid_reply, "AlwaysValidReply", reply_fields,
       .help = "An interval and a p-value that hold at all looks together.");
