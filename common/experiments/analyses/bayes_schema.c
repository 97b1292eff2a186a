/* Schemas of the Bayesian analysis, and the rules that span their fields. */
#include "experiments/analyses/bayes_analysis.h"

#include "experiments/design/sizing.h"

static const char *const metric_names[BAYES__MAX] = {"binary", "count", "continuous", "log_normal"};

#define OWNER struct bayes_arm
static const struct field arm_fields[] = {
    NULLABLE_INTEGER(OWNER, n, .lower = AT_LEAST(0), .upper = AT_MOST(1e12),
                     .help = "Users; not for count."),
    NULLABLE_INTEGER(OWNER, converted, .lower = AT_LEAST(0), .help = "binary: at most n."),
    NULLABLE_INTEGER(OWNER, events, .lower = AT_LEAST(0), .upper = AT_MOST(1e12),
                     .help = "count only."),
    NULLABLE_NUMBER(OWNER, exposure, .lower = ABOVE(0), .upper = AT_MOST(1e15),
                    .help = "count: users, days or another unit."),
    NULLABLE_NUMBER(OWNER, mean, .lower = AT_LEAST(-1e15), .upper = AT_MOST(1e15),
                    .help = "continuous: of the values; log_normal: of their logarithms."),
    NULLABLE_NUMBER(OWNER, std, .lower = AT_LEAST(0), .upper = AT_MOST(1e15),
                    .help = "Standard deviation of the same, divided by n - 1."),
};
#undef OWNER
static SCHEMA(bayes_arm_schema, struct bayes_arm, "BayesArm", arm_fields,
              .help = "Sums of one arm.");

#define OWNER struct bayes_prior
static const struct field prior_fields[] = {
    NULLABLE_NUMBER(OWNER, a, .lower = AT_LEAST(0.5), .upper = AT_MOST(1e12),
                    .help = "binary: successes + 1 that it is worth; count: events."),
    NULLABLE_NUMBER(OWNER, b, .lower = ABOVE(0), .upper = AT_MOST(1e12),
                    .help = "binary: failures + 1, at least 0.5; count: exposure."),
    NULLABLE_NUMBER(OWNER, mean, .lower = AT_LEAST(-1e15), .upper = AT_MOST(1e15),
                    .help = "continuous and log_normal: the mean that is expected."),
    NULLABLE_NUMBER(OWNER, n, .lower = ABOVE(0), .upper = AT_MOST(1e12),
                    .help = "How many users it is worth."),
    NULLABLE_NUMBER(OWNER, std, .lower = ABOVE(0), .upper = AT_MOST(1e15),
                    .help = "Standard deviation of one user that is expected."),
    NULLABLE_NUMBER(OWNER, degrees, .lower = ABOVE(0), .upper = AT_MOST(1e12),
                    .help = "How many users that is worth."),
};
#undef OWNER
SCHEMA(bayes_prior_schema, struct bayes_prior, "BayesPrior", prior_fields,
       .help = "A conjugate prior: a and b, or the other four.");

#define OWNER struct bayes_request
static const struct field request_fields[] = {
    CHOICE(OWNER, metric_type, metric_names, .choice_count = BAYES__MAX, .required = true,
           .help = "binary: beta; count: gamma; continuous: normal-inverse-gamma; log_normal: the "
                   "same for logarithms, of positive values such as revenue per buyer."),
    CHOICE(OWNER, direction, goal_direction_names, .choice_count = GOAL__MAX,
           .help = "Where the metric should go."),
    OBJECTS(OWNER, arms, bayes_arm_schema, .required = true, .min_length = 2,
            .max_length = BEST_ARMS_MAX, .help = "The control first."),
    OBJECT(OWNER, prior, bayes_prior_schema, .nullable = true,
           .help = "Of each arm; null = uniform for binary, otherwise flat."),
    OBJECTS(OWNER, past, bayes_arm_schema, .max_length = BAYES_PAST_MAX,
            .help = "Control arms of past experiments, two at least: the prior is fitted to them."),
    NUMBER(OWNER, credibility, .lower = ABOVE(0.5), .upper = BELOW(1), .default_value = 0.95),
    NULLABLE_NUMBER(OWNER, loss_threshold, .lower = ABOVE(0),
                    .help = "Stop when the expected loss of the best arm is below it, in units of "
                            "the metric (fractions for binary, logarithms for log_normal)."),
    INTEGER(OWNER, looks, .lower = AT_LEAST(1), .upper = AT_MOST(STOPPING_LOOKS_MAX),
            .default_value = 1,
            .help = "How often the threshold was looked at up to now, for the error rates."),
    NULLABLE_NUMBER(OWNER, worthwhile_effect, .lower = ABOVE(0),
                    .help = "A true effect at which the error rates are measured, too."),
};
#undef OWNER

static bool is_whole(int metric, const struct bayes_arm *arm)
{
    bool users = arm->n.given && !arm->events.given && !arm->exposure.given;

    switch (metric) {
    case BAYES_BINARY:
        return users && arm->converted.given && !arm->mean.given && !arm->std.given;
    case BAYES_COUNT:
        return arm->events.given && arm->exposure.given && !arm->n.given && !arm->converted.given &&
               !arm->mean.given && !arm->std.given;
    default:
        return users && !arm->converted.given && arm->mean.given && arm->std.given &&
               arm->n.value >= 1;
    }
}

static bool arms_are_whole(const void *object)
{
    const struct bayes_request *request = object;
    const struct bayes_arm *arms = request->arms.items, *past = request->past.items;

    for (size_t i = 0; i < request->arms.count; i++)
        if (!is_whole(request->metric_type, &arms[i]))
            return false;
    for (size_t i = 0; i < request->past.count; i++)
        if (!is_whole(request->metric_type, &past[i]))
            return false;
    return true;
}

static bool counts_fit(const struct object_list *list)
{
    const struct bayes_arm *arms = list->items;

    for (size_t i = 0; i < list->count; i++)
        if (arms[i].converted.given && arms[i].converted.value > arms[i].n.value)
            return false;
    return true;
}

static bool conversions_fit(const void *object)
{
    const struct bayes_request *request = object;

    return counts_fit(&request->arms) && counts_fit(&request->past);
}

bool bayes_prior_fits(int metric_type, const struct bayes_prior *prior)
{
    bool rate = prior->a.given && prior->b.given;
    bool mean = prior->mean.given && prior->n.given && prior->std.given && prior->degrees.given;

    if (metric_type == BAYES_BINARY && prior->b.value < 0.5)
        return false;
    return metric_type <= BAYES_COUNT ? rate && !prior->mean.given && !prior->n.given &&
                                            !prior->std.given && !prior->degrees.given
                                      : mean && !prior->a.given && !prior->b.given;
}

/* Not beside past experiments. */
static bool prior_fits(const void *object)
{
    const struct bayes_request *request = object;

    if (request->past.count > 0)
        return !request->prior && request->past.count > 1;
    return !request->prior || bayes_prior_fits(request->metric_type, request->prior);
}

static const struct schema_rule request_rules[] = {
    {"errors.schemas.bayes_arm_figures", arms_are_whole},
    {"errors.schemas.bayes_conversions_exceed_users", conversions_fit},
    {"errors.schemas.bayes_prior_parameters", prior_fits},
};
SCHEMA(bayes_request_schema, struct bayes_request, "BayesRequest", request_fields,
       .help = "Sums of two to ten arms.", RULES(request_rules),
       .example = "{\"metric_type\":\"binary\",\"arms\":[{\"n\":5000,\"converted\":500},"
                  "{\"n\":5000,\"converted\":560}],\"loss_threshold\":0.0005,\"looks\":10}");

#define OWNER struct bayes_prior_used
static const struct field prior_used_fields[] = {
    STRING(OWNER, source, .help = "default, given or past."),
    INTEGER(OWNER, experiments, .help = "Past ones that it was fitted to."),
    NULLABLE_NUMBER(OWNER, a, ROUNDED(4)),
    NULLABLE_NUMBER(OWNER, b, ROUNDED(4)),
    NULLABLE_NUMBER(OWNER, mean, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, n, ROUNDED(4), .help = "Users, or exposure, that it is worth."),
    NULLABLE_NUMBER(OWNER, std, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, degrees, ROUNDED(4)),
};
#undef OWNER
static SCHEMA(prior_used_schema, struct bayes_prior_used, "BayesPriorUsed", prior_used_fields);

#define OWNER struct bayes_arm_reply
static const struct field arm_reply_fields[] = {
    INTEGER(OWNER, index),
    NUMBER(OWNER, mean, ROUNDED(6), .help = "Posterior; log_normal: the geometric mean."),
    NUMBER(OWNER, ci_lower, ROUNDED(6)),
    NUMBER(OWNER, ci_upper, ROUNDED(6)),
    NUMBER(OWNER, probability_best, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, expected_loss, ROUNDED(8),
                    .help = "Of choosing this arm; null where it is not finite."),
};
#undef OWNER
static SCHEMA(arm_reply_schema, struct bayes_arm_reply, "BayesArmResult", arm_reply_fields);

#define OWNER struct bayes_comparison
static const struct field comparison_fields[] = {
    INTEGER(OWNER, treatment_index),
    NUMBER(OWNER, effect, ROUNDED(6),
           .help = "Treatment minus control; log_normal: the ratio of geometric means."),
    NUMBER(OWNER, ci_lower, ROUNDED(6)),
    NUMBER(OWNER, ci_upper, ROUNDED(6)),
    NUMBER(OWNER, probability_better, ROUNDED(6)),
};
#undef OWNER
static SCHEMA(comparison_schema, struct bayes_comparison, "BayesComparison", comparison_fields);

#define OWNER struct bayes_rate
static const struct field rate_fields[] = {
    NUMBER(OWNER, rate, ROUNDED(4)),
    NUMBER(OWNER, ci_lower, ROUNDED(4), .help = "Of 95 % (Clopper and Pearson)."),
    NUMBER(OWNER, ci_upper, ROUNDED(4)),
};
#undef OWNER
static SCHEMA(rate_schema, struct bayes_rate, "BayesMeasuredRate", rate_fields);

#define OWNER struct bayes_measured
static const struct field measured_fields[] = {
    NUMBER(OWNER, effect, .help = "The true effect; 0 = both arms are the same."),
    OBJECT(OWNER, stopped, rate_schema),
    OBJECT(OWNER, chose_treatment, rate_schema,
           .help = "Stopped for the treatment: an error where the effect is 0 or a loss."),
    OBJECT(OWNER, chose_control, rate_schema),
};
#undef OWNER
static SCHEMA(measured_schema, struct bayes_measured, "BayesMeasured", measured_fields);

#define OWNER struct bayes_stopping
static const struct field stopping_fields[] = {
    NUMBER(OWNER, loss_threshold),
    BOOLEAN(OWNER, stop, .help = "The loss of the best arm is below the threshold."),
    INTEGER(OWNER, looks),
    INTEGER(OWNER, runs, .help = "Simulated tests of two arms with this error and this prior."),
    OBJECTS(OWNER, measured, measured_schema),
};
#undef OWNER
static SCHEMA(stopping_schema, struct bayes_stopping, "BayesStopping", stopping_fields);

#define OWNER struct bayes_reply
static const struct field reply_fields[] = {
    STRING(OWNER, metric_type),
    STRING(OWNER, direction),
    STRING(OWNER, scale, .help = "Of losses and of the threshold: metric or logarithm."),
    NUMBER(OWNER, credibility),
    OBJECT(OWNER, prior, prior_used_schema),
    OBJECTS(OWNER, arms, arm_reply_schema),
    OBJECTS(OWNER, comparisons, comparison_schema),
    INTEGER(OWNER, best_arm, .help = "The one with the smallest expected loss."),
    OBJECT(OWNER, stopping, stopping_schema, .nullable = true,
           .help = "With a threshold. Stopping by expected loss bounds the loss, not the error "
                   "rate: that is measured here."),
};
#undef OWNER
SCHEMA(bayes_reply_schema, struct bayes_reply, "BayesReply", reply_fields);
