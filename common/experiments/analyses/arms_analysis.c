/* Estimates of the arms, their joint law, and what each correction makes of it. */
#include "experiments/analyses/arms_analysis.h"

#include "math/student.h"
#include "stats/multiple_testing.h"

#include <float.h>
#include <math.h>

enum { ARMS_MAX = 1 + MANY_TO_ONE_MAX, LABEL_MAX = 200, COST_PER_COMPARISON = 2 };

static const char *const metric_names[ARMS_METRIC__MAX] = {
    [ARMS_MEAN] = "mean", [ARMS_BINARY] = "binary"};
static const char *const correction_names[ARMS_CORRECTION__MAX] = {[ARMS_DUNNETT] = "dunnett",
                                                                   [ARMS_HOLM] = "holm",
                                                                   [ARMS_BONFERRONI] = "bonferroni",
                                                                   [ARMS_NONE] = "none"};
static const char *const alternative_names[ARMS_ALTERNATIVE__MAX] = {
    [ARMS_TWO_SIDED] = "two_sided", [ARMS_GREATER] = "greater", [ARMS_LESS] = "less"};
static const char *const variances_names[ARMS_VARIANCES__MAX] = {
    [ARMS_POOLED] = "pooled", [ARMS_UNEQUAL] = "unequal"};

#define OWNER struct arms_observed
static const struct field observed_fields[] = {
    STRING(OWNER, label, .nullable = true, .max_length = LABEL_MAX),
    INTEGER(OWNER, users, .required = true, .lower = AT_LEAST(2), .upper = AT_MOST(1e12)),
    NULLABLE_NUMBER(OWNER, mean),
    NULLABLE_NUMBER(OWNER, std, .lower = AT_LEAST(0), .help = "Divisor n - 1."),
    NULLABLE_INTEGER(OWNER, conversions, .lower = AT_LEAST(0), .help = "Of a rate."),
};
#undef OWNER
static SCHEMA(observed_schema, struct arms_observed, "ObservedArm", observed_fields,
              .help = "One arm: mean and std of a mean, conversions of a rate.");

#define OWNER struct arms_request
static const struct field request_fields[] = {
    CHOICE(OWNER, metric_type, metric_names, .choice_count = ARMS_METRIC__MAX, .required = true),
    OBJECTS(OWNER, arms, observed_schema, .required = true, .min_length = 2, .max_length = ARMS_MAX,
            .help = "The control first."),
    CHOICE(OWNER, correction, correction_names, .choice_count = ARMS_CORRECTION__MAX,
           .help = "dunnett uses that all comparisons share the control; holm and bonferroni do "
                   "not, and have Bonferroni's intervals."),
    CHOICE(OWNER, alternative, alternative_names, .choice_count = ARMS_ALTERNATIVE__MAX,
           .help = "greater and less have alpha on one side, and intervals without another end."),
    CHOICE(OWNER, variances, variances_names, .choice_count = ARMS_VARIANCES__MAX,
           .help =
               "Of means: pooled is one variance of all arms, unequal each arm's own with Welch's "
               "degrees of freedom."),
    NUMBER(OWNER, alpha, .lower = AT_LEAST(0.001), .upper = AT_MOST(0.1), .default_value = 0.05,
           .help = "Family-wise: of any false finding."),
};
#undef OWNER

static bool is_complete(const struct arms_observed *arm, int metric)
{
    if (metric == ARMS_BINARY)
        return arm->conversions.given && arm->conversions.value <= arm->users && !arm->mean.given &&
               !arm->std.given;
    return arm->mean.given && arm->std.given && !arm->conversions.given;
}

static bool values_fit(const void *object)
{
    const struct arms_request *request = object;
    const struct arms_observed *arms = request->arms.items;

    for (size_t i = 0; i < request->arms.count; i++)
        if (!is_complete(&arms[i], request->metric_type))
            return false;
    return true;
}

static const struct schema_rule request_rules[] = {
    {"errors.schemas.arms_values", values_fit},
};

SCHEMA(arms_request_schema, struct arms_request, "ArmsRequest", request_fields,
       .help = "Several arms that are compared with one control.", RULES(request_rules),
       .example = "{\"metric_type\":\"binary\",\"correction\":\"dunnett\",\"arms\":[{\"label\":"
                  "\"today\",\"users\":9000,\"conversions\":430},{\"label\":\"blue\",\"users\":"
                  "5000,\"conversions\":270},{\"label\":\"green\",\"users\":5000,"
                  "\"conversions\":301}]}");

#define OWNER struct arms_comparison
static const struct field comparison_fields[] = {
    STRING(OWNER, label, .nullable = true),
    NUMBER(OWNER, effect, ROUNDED(6), .help = "Arm minus control; percentage points of a rate."),
    NUMBER(OWNER, standard_error, ROUNDED(6)),
    NUMBER(OWNER, statistic, ROUNDED(4)),
    NULLABLE_NUMBER(OWNER, degrees_of_freedom, ROUNDED(4),
                    .help = "Null for rates, which are normal."),
    NUMBER(OWNER, p_value, ROUNDED(6), .help = "Of this comparison alone."),
    NUMBER(OWNER, adjusted_p_value, ROUNDED(6),
           .help = "Below alpha: found, whatever the others say."),
    NUMBER(OWNER, critical_value, ROUNDED(6), .help = "Of the interval."),
    NULLABLE_NUMBER(OWNER, ci_lower, ROUNDED(6),
                    .help = "All intervals together hold with 1 - alpha; null where unbounded."),
    NULLABLE_NUMBER(OWNER, ci_upper, ROUNDED(6)),
    BOOLEAN(OWNER, is_significant),
};
#undef OWNER
static SCHEMA(comparison_schema, struct arms_comparison, "ArmsComparison", comparison_fields,
              .help = "One arm against the control.");

#define OWNER struct arms_reply
static const struct field reply_fields[] = {
    STRING(OWNER, correction),
    STRING(OWNER, alternative),
    NUMBER(OWNER, alpha),
    INTEGER(OWNER, num_significant),
    OBJECTS(OWNER, comparisons, comparison_schema, .help = "In the order of the arms."),
};
#undef OWNER
SCHEMA(arms_reply_schema, struct arms_reply, "ArmsReply", reply_fields,
       .help = "Every arm against the control, with the errors of all together held.");

/* An arm's estimate, the variance of that, and its degrees of freedom. */
struct estimate {
    double value, variance, df;
};

static struct estimate estimate_of(const struct arms_request *request,
                                   const struct arms_observed *arm)
{
    double n = (double)arm->users, rate = (double)arm->conversions.value / n;

    if (request->metric_type == ARMS_BINARY)
        return (struct estimate){100 * rate, 1e4 * rate * (1 - rate) / n, INFINITY};
    return (struct estimate){arm->mean.value, arm->std.value * (arm->std.value / n), n - 1};
}

/* One variance per user, from all arms. */
static void pool_variances(const struct arms_request *request, struct estimate *estimates)
{
    const struct arms_observed *arms = request->arms.items;
    double squares = 0, df = 0;

    for (size_t i = 0; i < request->arms.count; i++) {
        squares += arms[i].std.value * arms[i].std.value * estimates[i].df;
        df += estimates[i].df;
    }
    for (size_t i = 0; i < request->arms.count; i++) {
        estimates[i].variance = squares / df / (double)arms[i].users;
        estimates[i].df = df;
    }
}

static double df_of(const struct arms_request *request, const struct estimate *control,
                    const struct estimate *treatment)
{
    double one = control->variance, other = treatment->variance, sum = one + other;

    if (request->metric_type == ARMS_BINARY || request->variances == ARMS_POOLED)
        return control->df;
    return 1 /
           (one / sum * (one / sum) / control->df + other / sum * (other / sum) / treatment->df);
}

/* The statistic in the direction that counts. */
static double towards(const struct arms_request *request, double statistic)
{
    return request->alternative == ARMS_LESS ? -statistic : statistic;
}

static double tail_of(double statistic, double df, bool two_sided)
{
    return two_sided ? fmin(2 * student_survival(fabs(statistic), df), 1)
                     : student_survival(statistic, df);
}

static void adjust_one(const struct arms_request *request, const struct many_to_one *law,
                       struct arms_comparison *comparison)
{
    bool two_sided = request->alternative == ARMS_TWO_SIDED;
    double statistic = towards(request, comparison->statistic);
    double tail = two_sided ? request->alpha / 2 : request->alpha;

    comparison->p_value = tail_of(statistic, law->df, two_sided);
    comparison->adjusted_p_value = comparison->p_value;
    if (request->correction == ARMS_DUNNETT) {
        comparison->adjusted_p_value = many_to_one_p_value(law, statistic, two_sided);
        comparison->critical_value = many_to_one_critical(law, request->alpha, two_sided);
        return;
    }
    if (request->correction != ARMS_NONE)
        tail /= (double)law->count;
    if (request->correction == ARMS_BONFERRONI)
        comparison->adjusted_p_value = fmin(comparison->p_value * (double)law->count, 1);
    comparison->critical_value = student_upper_quantile(tail, law->df);
}

static void set_interval(const struct arms_request *request, struct arms_comparison *comparison)
{
    double half = comparison->critical_value * comparison->standard_error;

    if (request->alternative != ARMS_LESS)
        comparison->ci_lower = GIVEN_NUMBER(fmax(comparison->effect - half, -DBL_MAX));
    if (request->alternative != ARMS_GREATER)
        comparison->ci_upper = GIVEN_NUMBER(fmin(comparison->effect + half, DBL_MAX));
}

static void adjust_by_holm(const struct arms_request *request, struct arms_comparison *comparisons,
                           size_t count, struct arena *arena)
{
    double p_values[MANY_TO_ONE_MAX];
    struct adjusted_test tests[MANY_TO_ONE_MAX];

    for (size_t j = 0; j < count; j++)
        p_values[j] = comparisons[j].p_value;
    multiple_testing_adjust(MULTIPLE_TESTING_HOLM, p_values, count, request->alpha, arena, tests);
    for (size_t j = 0; j < count; j++)
        comparisons[j].adjusted_p_value = tests[j].adjusted_p_value;
}

static enum error refuse(const struct results_call *call)
{
    return problem_set(call->problem, ERROR_INVALID, "arms_degenerate", "%s",
                       locale_format(call->locale, call->arena, "errors.schemas.arms_degenerate",
                                     NO_TEXT_ARGUMENTS));
}

/* Differences and their joint law; false when one has no variance, or is beyond all numbers. */
static bool compare(const struct arms_request *request, const struct estimate *estimates,
                    struct many_to_one *law, struct arms_comparison *comparisons)
{
    const struct arms_observed *arms = request->arms.items;

    for (size_t j = 0; j < law->count; j++) {
        const struct estimate *control = &estimates[0], *treatment = &estimates[j + 1];
        double variance = control->variance + treatment->variance;
        double effect = treatment->value - control->value;

        if (!(variance > 0 && isfinite(variance) && isfinite(effect)))
            return false;
        law->lambda[j] = many_to_one_lambda(control->variance, treatment->variance);
        comparisons[j] = (struct arms_comparison){.label = arms[j + 1].label,
                                                  .effect = effect,
                                                  .standard_error = sqrt(variance),
                                                  .statistic = effect / sqrt(variance)};
        if (!isfinite(comparisons[j].statistic))
            return false;
    }
    return true;
}

enum error arms_analyze(const struct results_call *call, const struct arms_request *observed,
                        struct arms_reply *answer)
{
    const struct arms_observed *arms = observed->arms.items;
    struct many_to_one law = {.count = observed->arms.count - 1};
    struct arms_comparison *comparisons =
        ARENA_ARRAY(call->arena, struct arms_comparison, law.count);
    struct estimate estimates[ARMS_MAX] = {0};

    for (size_t i = 0; i < observed->arms.count; i++)
        estimates[i] = estimate_of(observed, &arms[i]);
    if (observed->metric_type == ARMS_MEAN && observed->variances == ARMS_POOLED)
        pool_variances(observed, estimates);
    if (!compare(observed, estimates, &law, comparisons))
        return refuse(call);
    for (size_t j = 0; j < law.count; j++) {
        law.df = df_of(observed, &estimates[0], &estimates[j + 1]);
        if (isfinite(law.df))
            comparisons[j].degrees_of_freedom = GIVEN_NUMBER(law.df);
        adjust_one(observed, &law, &comparisons[j]);
        set_interval(observed, &comparisons[j]);
    }
    if (observed->correction == ARMS_HOLM)
        adjust_by_holm(observed, comparisons, law.count, call->arena);
    *answer = (struct arms_reply){.correction = correction_names[observed->correction],
                                  .alternative = alternative_names[observed->alternative],
                                  .alpha = observed->alpha,
                                  .comparisons = {law.count, comparisons}};
    for (size_t j = 0; j < law.count; j++) {
        comparisons[j].is_significant = comparisons[j].adjusted_p_value < observed->alpha;
        answer->num_significant += comparisons[j].is_significant;
    }
    return ERROR_NONE;
}

int64_t arms_cost_units(const struct arms_request *observed)
{
    int64_t comparisons = (int64_t)observed->arms.count - 1;

    return observed->correction == ARMS_DUNNETT ? COST_PER_COMPARISON * comparisons : 1;
}
