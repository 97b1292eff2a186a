/* From sums to posteriors, and from these to the answer. */
#include "experiments/analyses/bayes_analysis.h"

#include "experiments/design/sizing.h"
#include "stats/bayes/past_prior.h"

#include <math.h>

enum { UNITS_PER_ARM = 60 };

static const char *const metric_names[BAYES__MAX] = {"binary", "count", "continuous", "log_normal"};

struct bayes {
    const struct results_call *call;
    const struct bayes_request *request;
    bool is_log;
    struct rate_prior rate;
    struct mean_prior mean;
    double prior_n; /* observations that the prior is worth */
    struct posterior arms[BEST_ARMS_MAX];
};

int64_t bayes_cost_units(const struct bayes_request *request)
{
    return UNITS_PER_ARM * (int64_t)request->arms.count + request->looks;
}

static struct past_result past_of(int metric, const struct bayes_arm *arm)
{
    switch (metric) {
    case BAYES_BINARY:
        return (struct past_result){(double)arm->n.value,
                                    (double)arm->converted.value / (double)arm->n.value, 0};
    case BAYES_COUNT:
        return (struct past_result){arm->exposure.value,
                                    (double)arm->events.value / arm->exposure.value, 0};
    default:
        return (struct past_result){(double)arm->n.value, arm->mean.value, arm->std.value};
    }
}

static enum error fit_past(struct bayes *bayes)
{
    const struct bayes_request *request = bayes->request;
    const struct bayes_arm *items = request->past.items;
    struct past_result past[BAYES_PAST_MAX];
    bool found;

    for (size_t i = 0; i < request->past.count; i++)
        past[i] = past_of(request->metric_type, &items[i]);
    if (request->metric_type == BAYES_BINARY)
        found = past_rate_prior(past, request->past.count, &bayes->rate);
    else if (request->metric_type == BAYES_COUNT)
        found = past_count_prior(past, request->past.count, &bayes->rate);
    else
        found = past_mean_prior(past, request->past.count, &bayes->mean);
    if (found)
        return ERROR_NONE;
    return problem_set(bayes->call->problem, ERROR_INVALID, "bayes_past", "%s",
                       locale_format(bayes->call->locale, bayes->call->arena,
                                     "errors.schemas.bayes_past", NO_TEXT_ARGUMENTS));
}

static enum error choose_prior(struct bayes *bayes)
{
    const struct bayes_prior *given = bayes->request->prior;

    if (bayes->request->metric_type == BAYES_BINARY)
        bayes->rate = (struct rate_prior){1, 1};
    else if (bayes->request->metric_type == BAYES_COUNT)
        bayes->rate = (struct rate_prior){0.5, 0}; /* Jeffreys */
    if (bayes->request->past.count)
        return fit_past(bayes);
    if (given && bayes->request->metric_type <= BAYES_COUNT)
        bayes->rate = (struct rate_prior){given->a.value, given->b.value};
    else if (given)
        bayes->mean = (struct mean_prior){given->mean.value, given->n.value, given->std.value,
                                          given->degrees.value};
    return ERROR_NONE;
}

static struct posterior posterior_of(const struct bayes *bayes, const struct bayes_arm *arm)
{
    switch (bayes->request->metric_type) {
    case BAYES_BINARY:
        return posterior_of_rate(&bayes->rate, (double)arm->converted.value,
                                 (double)(arm->n.value - arm->converted.value));
    case BAYES_COUNT:
        return posterior_of_count(&bayes->rate, (double)arm->events.value, arm->exposure.value);
    default:
        return posterior_of_mean(&bayes->mean, (double)arm->n.value, arm->mean.value,
                                 arm->std.value);
    }
}

static enum error make_posteriors(struct bayes *bayes)
{
    const struct bayes_arm *arms = bayes->request->arms.items;

    for (size_t i = 0; i < bayes->request->arms.count; i++) {
        bayes->arms[i] = posterior_of(bayes, &arms[i]);
        if (!posterior_is_proper(&bayes->arms[i]))
            return problem_set(bayes->call->problem, ERROR_INVALID, "bayes_improper", "%s",
                               locale_format(bayes->call->locale, bayes->call->arena,
                                             "errors.schemas.bayes_improper", NO_TEXT_ARGUMENTS));
    }
    return ERROR_NONE;
}

static const struct bayes_prior_used *prior_used(struct bayes *bayes)
{
    struct bayes_prior_used *used = ARENA_NEW(bayes->call->arena, struct bayes_prior_used);
    const struct bayes_request *request = bayes->request;

    *used = (struct bayes_prior_used){.source = request->past.count ? "past"
                                                : request->prior    ? "given"
                                                                    : "default",
                                      .experiments = (int64_t)request->past.count};
    if (request->metric_type <= BAYES_COUNT) {
        used->a = GIVEN_NUMBER(bayes->rate.a);
        used->b = GIVEN_NUMBER(bayes->rate.b);
        bayes->prior_n = bayes->rate.b + (request->metric_type == BAYES_BINARY ? bayes->rate.a : 0);
    } else if (bayes->mean.n > 0) {
        used->mean = GIVEN_NUMBER(bayes->mean.mean);
        used->std = GIVEN_NUMBER(bayes->mean.deviation);
        used->degrees = GIVEN_NUMBER(bayes->mean.degrees);
        bayes->prior_n = bayes->mean.n;
    }
    used->n = GIVEN_NUMBER(bayes->prior_n);
    return used;
}

static double shown(const struct bayes *bayes, double value)
{
    return bayes->is_log ? exp(value) : value;
}

static void fill_arms(const struct bayes *bayes, struct bayes_reply *reply)
{
    size_t count = bayes->request->arms.count;
    double tail = (1 - bayes->request->credibility) / 2;
    struct arm_chance chances[BEST_ARMS_MAX];
    struct bayes_arm_reply *arms = ARENA_ARRAY(bayes->call->arena, struct bayes_arm_reply, count);

    best_arm(bayes->arms, count, bayes->request->direction == GOAL_DECREASE, bayes->call->arena,
             chances);
    for (size_t i = 0; i < count; i++) {
        const struct posterior *arm = &bayes->arms[i];
        double middle = arm->kind == POSTERIOR_STUDENT ? arm->a : posterior_mean(arm);

        arms[i] = (struct bayes_arm_reply){
            .index = (int64_t)i,
            .mean = shown(bayes, middle),
            .ci_lower = shown(bayes, posterior_quantile(arm, tail)),
            .ci_upper = shown(bayes, posterior_upper_quantile(arm, tail)),
            .probability_best = chances[i].best,
            .expected_loss = {isfinite(chances[i].loss),
                              isfinite(chances[i].loss) ? chances[i].loss : 0}};
        if (chances[i].loss < chances[reply->best_arm].loss ||
            (chances[i].loss == chances[reply->best_arm].loss &&
             chances[i].best > chances[reply->best_arm].best))
            reply->best_arm = (int64_t)i;
    }
    reply->arms = (struct object_list){count, arms};
}

static void fill_comparisons(const struct bayes *bayes, struct bayes_reply *reply)
{
    size_t count = bayes->request->arms.count - 1;
    const struct posterior *control = &bayes->arms[0];
    struct bayes_comparison *comparisons =
        ARENA_ARRAY(bayes->call->arena, struct bayes_comparison, count);
    const struct bayes_arm_reply *arms = reply->arms.items;

    for (size_t i = 0; i < count; i++) {
        const struct posterior *treatment = &bayes->arms[i + 1];
        bool smaller = bayes->request->direction == GOAL_DECREASE;
        double lower, upper;

        difference_interval(treatment, control, bayes->request->credibility, &lower, &upper);
        comparisons[i] = (struct bayes_comparison){
            .treatment_index = (int64_t)i + 1,
            .effect =
                bayes->is_log ? arms[i + 1].mean / arms[0].mean : arms[i + 1].mean - arms[0].mean,
            .ci_lower = shown(bayes, lower),
            .ci_upper = shown(bayes, upper),
            .probability_better = smaller ? difference_below(treatment, control, 0)
                                          : difference_below(control, treatment, 0)};
    }
    reply->comparisons = (struct object_list){count, comparisons};
}

static const struct bayes_rate *rate_reply(struct arena *arena, const struct measured_rate *rate)
{
    struct bayes_rate *reply = ARENA_NEW(arena, struct bayes_rate);

    *reply = (struct bayes_rate){rate->rate, rate->lower, rate->upper};
    return reply;
}

/* Half the width of the central 68 %: the standard error where the posterior is normal. */
static double error_of(const struct posterior *arm)
{
    return (posterior_upper_quantile(arm, 0.15865525393145707) -
            posterior_quantile(arm, 0.15865525393145707)) /
           2;
}

/* Observations of an arm. */
static double size_of(const struct bayes *bayes, const struct bayes_arm *arm)
{
    return bayes->request->metric_type == BAYES_COUNT ? arm->exposure.value : (double)arm->n.value;
}

/* Of the control and the first treatment. */
static struct stopping_plan plan_of(const struct bayes *bayes)
{
    const struct bayes_arm *arms = bayes->request->arms.items;
    double n = fmax((size_of(bayes, &arms[0]) + size_of(bayes, &arms[1])) / 2, 1);
    double prior = bayes->prior_n / n;

    /* The posterior's error has the prior in it; that of the data alone is larger. */
    return (struct stopping_plan){
        .error = hypot(error_of(&bayes->arms[0]), error_of(&bayes->arms[1])) * sqrt(1 + prior),
        .prior = prior,
        .threshold = bayes->request->loss_threshold.value,
        .looks = (int)bayes->request->looks};
}

static void fill_stopping(const struct bayes *bayes, struct bayes_reply *reply)
{
    struct arena *arena = bayes->call->arena;
    struct bayes_stopping *stopping = ARENA_NEW(arena, struct bayes_stopping);
    struct bayes_measured *measured = ARENA_ARRAY(arena, struct bayes_measured, 2);
    const struct bayes_arm_reply *arms = reply->arms.items;
    struct optional_number loss = arms[reply->best_arm].expected_loss;
    struct stopping_plan plan = plan_of(bayes);
    size_t count = bayes->request->worthwhile_effect.given ? 2 : 1;

    *stopping = (struct bayes_stopping){.loss_threshold = plan.threshold,
                                        .stop = loss.given && loss.value < plan.threshold,
                                        .looks = bayes->request->looks,
                                        .runs = STOPPING_RUNS,
                                        .measured = {count, measured}};
    for (size_t i = 0; i < count; i++) {
        struct stopping_rates rates;

        plan.effect = i ? bayes->request->worthwhile_effect.value : 0;
        stopping_measure(&plan, &rates);
        measured[i] = (struct bayes_measured){plan.effect, rate_reply(arena, &rates.stopped),
                                              rate_reply(arena, &rates.chose_treatment),
                                              rate_reply(arena, &rates.chose_control)};
    }
    reply->stopping = stopping;
}

static bool is_finite_reply(const struct bayes_reply *reply)
{
    const struct bayes_arm_reply *arms = reply->arms.items;
    const struct bayes_comparison *comparisons = reply->comparisons.items;

    for (size_t i = 0; i < reply->arms.count; i++)
        if (!isfinite(arms[i].mean + arms[i].ci_lower + arms[i].ci_upper +
                      arms[i].probability_best))
            return false;
    for (size_t i = 0; i < reply->comparisons.count; i++)
        if (!isfinite(comparisons[i].effect + comparisons[i].ci_lower + comparisons[i].ci_upper +
                      comparisons[i].probability_better))
            return false;
    return true;
}

enum error bayes_analyze(const struct results_call *call, const struct bayes_request *request,
                         struct bayes_reply *reply)
{
    struct bayes bayes = {
        .call = call, .request = request, .is_log = request->metric_type == BAYES_LOG_NORMAL};
    enum error error = choose_prior(&bayes);

    if (!error)
        error = make_posteriors(&bayes);
    if (error)
        return error;
    *reply = (struct bayes_reply){.metric_type = metric_names[request->metric_type],
                                  .direction = goal_direction_names[request->direction],
                                  .scale = bayes.is_log ? "logarithm" : "metric",
                                  .credibility = request->credibility,
                                  .prior = prior_used(&bayes)};
    fill_arms(&bayes, reply);
    fill_comparisons(&bayes, reply);
    if (request->loss_threshold.given)
        fill_stopping(&bayes, reply);
    if (is_finite_reply(reply))
        return ERROR_NONE;
    return problem_set(call->problem, ERROR_INVALID, "bayes_improper", "%s",
                       locale_format(call->locale, call->arena, "errors.schemas.bayes_improper",
                                     NO_TEXT_ARGUMENTS));
}
