/* The effect adjusted by covariates over all users (`adjusted`). Aggregates hold products of the
 * users who have every covariate in use; the others are the rest of all users. They count with the
 * covariates' means and one indicator of their own. */
#include "experiments/live_results/live_results_internal.h"

#include "experiments/analyses/adjusted_analysis.h"

#include <math.h>

/* Sums of one figure of the users with all covariates: factor numbers of rollup.h. */
enum { ONE = 0, FIRST = 1, COVARIATES = 2 };

/* An outcome that is a weighted sum of two factors: value, indicator of events, or a ratio's
 * numerator - R denominator over the mean denominator. */
struct outcome {
    double first, last; /* weights */
    double pivot;       /* of the arm: mean or ratio */
    double centre;      /* mean of the weighted sum */
    double squares;     /* about the mean, of all users */
    int64_t n;
};

static bool ratio_outcome(const struct ratio_moments *arm, struct outcome *outcome)
{
    double ratio, variance, mean = arm->denominator_mean;

    if (!ratio_moments_estimate(arm, &ratio, &variance))
        return false;
    outcome->pivot = ratio;
    outcome->first = 1 / mean;
    outcome->last = -ratio / mean;
    outcome->squares = variance * (double)arm->n * ((double)arm->n - 1);
    return true;
}

/* False when the arm has no outcome that could be squared. */
static bool outcome_of(const struct live_results *results, int a, struct outcome *outcome)
{
    struct live_results_arm arm = live_results_arm(results, a);
    double n = (double)arm.n, rate = (double)arm.converted / n;

    *outcome = (struct outcome){.first = 1, .pivot = arm.mean, .centre = arm.mean, .n = arm.n};
    if (arm.n < SUBJECTS_MIN || !arm.defined)
        return false;
    switch (results->design->metric_type) {
    case METRIC_BINARY:
        *outcome = (struct outcome){
            .last = 1, .pivot = rate, .centre = rate, .squares = n * rate * (1 - rate), .n = arm.n};
        return true;
    case METRIC_RATIO:
        outcome->centre = 0; /* a linearised ratio is about 0 */
        return ratio_outcome(&arm.ratio, outcome);
    default:
        outcome->squares = arm.deviation * arm.deviation * (n - 1);
        return true;
    }
}

/* The sum of products about the means of two factors. */
static double about_means(const struct live_products *products, int i, int j)
{
    int first = i < j ? i : j, second = i < j ? j : i;

    return sum_about_means(&products->at[first][second].sum, &products->at[0][i].sum,
                           &products->at[0][j].sum, sum_value(&products->at[0][0].sum));
}

static double mean_of(const struct live_products *products, int factor)
{
    return sum_value(&products->at[0][factor].sum) / sum_value(&products->at[0][0].sum);
}

/* Users with all covariates: outcome and covariates about their pivots; the indicator is 0. */
static struct co_moments complete_part(const struct live_products *products,
                                       const struct outcome *outcome, const double *fill,
                                       int covariates)
{
    const int last = COVARIATES + covariates;
    const double w = outcome->first, v = outcome->last;
    struct co_moments part = {.n = (int64_t)sum_value(&products->at[0][0].sum),
                              .columns = 2 + covariates};

    part.mean[0] = w * mean_of(products, FIRST) + v * mean_of(products, last) - outcome->centre;
    part.products[0][0] = fmax(0, w * w * about_means(products, FIRST, FIRST) +
                                      2 * w * v * about_means(products, FIRST, last) +
                                      v * v * about_means(products, last, last));
    for (int i = 0; i < covariates; i++) {
        int factor = COVARIATES + i;

        part.mean[1 + i] = mean_of(products, factor) - fill[i];
        part.products[0][1 + i] = part.products[1 + i][0] =
            w * about_means(products, FIRST, factor) + v * about_means(products, factor, last);
        for (int j = 0; j < covariates; j++)
            part.products[1 + i][1 + j] = about_means(products, factor, COVARIATES + j);
    }
    return part;
}

/* The other users: what all have and the complete ones have not. */
static struct co_moments other_part(const struct outcome *outcome,
                                    const struct co_moments *complete)
{
    struct co_moments part = {.n = outcome->n - complete->n, .columns = complete->columns};
    double n = (double)part.n, m = (double)complete->n, gap;

    if (part.n <= 0)
        return (struct co_moments){.columns = complete->columns};
    part.mean[0] = -m * complete->mean[0] / n; /* the mean of all is the pivot */
    gap = part.mean[0] - complete->mean[0];
    part.products[0][0] =
        fmax(0, outcome->squares - complete->products[0][0] - gap * gap * n * m / (n + m));
    part.mean[complete->columns - 1] = 1;
    return part;
}

static const struct live_products *products_of(const struct live_results *results, size_t arm)
{
    return results->view->rollup.products[LIVE_COVARIANCE][arm];
}

/* Those of the arms that are compared. */
struct outcomes {
    struct outcome of[LIVE_ARMS_MAX];
    bool used[LIVE_ARMS_MAX];
};

/* A small arm would take the covariates from all: it is left out where two arms have room for all
 * columns. False when there is nothing to compare. */
static bool set_outcomes(const struct live_results *results, int columns, struct outcomes *outcomes)
{
    bool roomy[LIVE_ARMS_MAX], some = false, found = false;

    for (size_t a = 0; a < results->arms; a++) {
        outcomes->used[a] = outcome_of(results, (int)a, &outcomes->of[a]);
        roomy[a] = outcomes->used[a] && outcomes->of[a].n >= columns + 2;
        some = some || (a > 0 && roomy[a]);
    }
    for (size_t a = 0; a < results->arms; a++) {
        outcomes->used[a] = some && roomy[CONTROL_ARM] ? roomy[a] : outcomes->used[a];
        found = found || (a > 0 && outcomes->used[a]);
    }
    return outcomes->used[CONTROL_ARM] && found;
}

/* The covariates' means over the users who have all of them. */
static bool set_fill(const struct live_results *results, const struct outcomes *outcomes,
                     int covariates, double *fill, int64_t *users)
{
    struct sum sums[LIVE_COVARIATES_MAX] = {{0}};

    for (size_t a = 0; a < results->arms; a++) {
        const struct live_products *products = outcomes->used[a] ? products_of(results, a) : NULL;

        if (products && products->huge > 0)
            return false;
        for (int i = 0; products && i < covariates; i++)
            sum_merge(&sums[i], &products->at[0][COVARIATES + i].sum);
        *users += products ? (int64_t)sum_value(&products->at[0][0].sum) : 0;
    }
    for (int i = 0; *users > 0 && i < covariates; i++)
        fill[i] = sum_value(&sums[i]) / (double)*users;
    return *users > 0;
}

/* Fills in the moments of the arms that can be compared; false when there are not two. */
static bool set_moments(const struct live_results *results, int covariates, struct regression *fit)
{
    struct outcomes *outcomes = ARENA_NEW(results->call->arena, struct outcomes);
    int64_t users = 0, all = 0;

    if (!set_outcomes(results, fit->columns, outcomes) ||
        !set_fill(results, outcomes, covariates, fit->fill, &users))
        return false;
    for (size_t a = 0; a < results->arms; a++) {
        static const struct live_products nobody;
        const struct live_products *products = products_of(results, a);
        const struct outcome *outcome = &outcomes->of[a];
        struct co_moments other;

        fit->moments[a] = (struct co_moments){.columns = 2 + covariates};
        if (!outcomes->used[a])
            continue;
        products = products ? products : &nobody;
        fit->pivot[a] = outcome->pivot;
        if (products->at[0][0].sum.high > 0)
            fit->moments[a] = complete_part(products, outcome, fit->fill, covariates);
        other = other_part(outcome, &fit->moments[a]);
        co_moments_merge(&fit->moments[a], &other);
        all += outcome->n;
    }
    for (int i = 0; i < covariates; i++)
        fit->missing[i] = all - users;
    return true;
}

static void prepare(const struct live_results *results, int covariates, struct regression *fit)
{
    fit->arms = (int)results->arms;
    fit->columns = 1 + covariates;
    fit->unit = results->design->metric_type == METRIC_BINARY ? 100 : 1;
    for (int i = 0; i < fit->columns; i++)
        fit->column_unit[i] = 1;
    for (int i = 0; i < covariates; i++)
        fit->indicator[i] = covariates;
}

static const struct adjusted_reply *analyze(const struct live_results *results,
                                            struct regression *fit, size_t covariates)
{
    struct arena *arena = results->call->arena;
    const struct results_call call = {results->call->locale, arena, NULL};
    const struct live_experiment *experiment = &results->view->experiment;
    struct adjusted_reply *answer = ARENA_NEW(arena, struct adjusted_reply);
    const char **names = ARENA_ARRAY(arena, const char *, covariates);

    for (size_t i = 0; i < covariates; i++)
        for (size_t k = 0; k < results->view->covariates.count; k++)
            if (results->view->covariates.items[k].number == experiment->used[i])
                names[i] = results->view->covariates.items[k].name;
    regression_solve(fit);
    if (fit->missing[0] == 0)
        for (size_t i = 0; i < covariates; i++)
            fit->indicator[i] = -1;
    adjusted_compose(
        &call, fit,
        &(struct adjusted_options){.metric_type = (enum metric_type)results->design->metric_type,
                                   .variance = VARIANCE_ARM,
                                   .normal = false,
                                   .alpha = results->design->alpha,
                                   .direction = (enum goal_direction)results->design->direction,
                                   .covariate_count = covariates,
                                   .covariate_names = names},
        answer);
    return answer;
}

void live_results_adjusted(const struct live_results *results, struct live_stats *stats)
{
    struct arena *arena = results->call->arena;
    struct live_adjusted *block = ARENA_NEW(arena, struct live_adjusted);
    struct regression *fit = ARENA_NEW(arena, struct regression);
    int covariates = (int)results->view->experiment.used_count;

    stats->adjusted = block;
    *block = (struct live_adjusted){.status = "unavailable",
                                    .metric = results->design->primary_metric_name};
    if (results->view->covariates_wanted > LIVE_COVARIATES_MAX) {
        block->status = "too_many_covariates";
        return;
    }
    /* What was used before, and covers too few of the users that came since, has no name here. */
    if (covariates == 0 || results->view->covariates_wanted == 0 || results->arms < 2 ||
        results->rough || results->clustered)
        return;
    prepare(results, covariates, fit);
    if (!set_moments(results, covariates, fit)) {
        block->status = "insufficient_data";
        return;
    }
    block->status = "available";
    block->analysis = analyze(results, fit, (size_t)covariates);
}
