/* The effect adjusted by covariates over all users (`adjusted`). Aggregates hold products of the
 * users who have every covariate in use; the others are the rest of all users. They count with the
 * covariates' means and one indicator of their own. */
#include "experiments/live_results/live_results_internal.h"

#include "experiments/analyses/adjusted_analysis.h"
#include "stats/multiple_testing.h"

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

/* What is adjusted: the metric of the design, or the mean per user of another one. */
struct adjusted_metric {
    const struct live_results *results;
    int64_t number;                                      /* 0 = the metric of the design */
    const struct live_products *products[LIVE_ARMS_MAX]; /* NULL = none */
    struct adjusted_options options;
};

static bool mean_outcome(const struct adjusted_metric *metric, int a, struct outcome *outcome)
{
    struct live_moments moments =
        live_view_moments(metric->results->view, metric->number, LIVE_EVERYBODY, a);

    *outcome = (struct outcome){.first = 1,
                                .pivot = moments.mean,
                                .centre = moments.mean,
                                .squares = moments.squares,
                                .n = moments.n};
    return moments.n >= SUBJECTS_MIN && moments.defined;
}

/* False when the arm has no outcome that could be squared. */
static bool outcome_of(const struct adjusted_metric *metric, int a, struct outcome *outcome)
{
    const struct live_results *results = metric->results;
    struct live_results_arm arm = live_results_arm(results, a);
    double n = (double)arm.n, rate = (double)arm.converted / n;

    if (metric->number)
        return mean_outcome(metric, a, outcome);
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

/* Those of the arms that are compared. */
struct outcomes {
    struct outcome of[LIVE_ARMS_MAX];
    bool used[LIVE_ARMS_MAX];
};

/* A small arm would take the covariates from all: it is left out where two arms have room for all
 * columns. False when there is nothing to compare. */
static bool set_outcomes(const struct adjusted_metric *metric, int columns,
                         struct outcomes *outcomes)
{
    const size_t arms = metric->results->arms;
    bool roomy[LIVE_ARMS_MAX], some = false, found = false;

    for (size_t a = 0; a < arms; a++) {
        outcomes->used[a] = outcome_of(metric, (int)a, &outcomes->of[a]);
        roomy[a] = outcomes->used[a] && outcomes->of[a].n >= columns + 2;
        some = some || (a > 0 && roomy[a]);
    }
    for (size_t a = 0; a < arms; a++) {
        outcomes->used[a] = some && roomy[CONTROL_ARM] ? roomy[a] : outcomes->used[a];
        found = found || (a > 0 && outcomes->used[a]);
    }
    return outcomes->used[CONTROL_ARM] && found;
}

/* The covariates' means over the users who have all of them. */
static bool set_fill(const struct adjusted_metric *metric, const struct outcomes *outcomes,
                     int covariates, double *fill, int64_t *users)
{
    struct sum sums[LIVE_COVARIATES_MAX] = {{0}};

    for (size_t a = 0; a < metric->results->arms; a++) {
        const struct live_products *products = outcomes->used[a] ? metric->products[a] : NULL;

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
static bool set_moments(const struct adjusted_metric *metric, int covariates,
                        struct regression *fit)
{
    struct outcomes *outcomes = ARENA_NEW(metric->results->call->arena, struct outcomes);
    int64_t users = 0, all = 0;

    if (!set_outcomes(metric, fit->columns, outcomes) ||
        !set_fill(metric, outcomes, covariates, fit->fill, &users))
        return false;
    for (size_t a = 0; a < metric->results->arms; a++) {
        static const struct live_products nobody;
        const struct live_products *products = metric->products[a];
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

static void prepare(const struct adjusted_metric *metric, int covariates, struct regression *fit)
{
    fit->arms = (int)metric->results->arms;
    fit->columns = 1 + covariates;
    fit->unit = metric->options.metric_type == METRIC_BINARY ? 100 : 1;
    for (int i = 0; i < fit->columns; i++)
        fit->column_unit[i] = 1;
    for (int i = 0; i < covariates; i++)
        fit->indicator[i] = covariates;
}

/* NULL where there are not two arms to compare. */
static const struct adjusted_reply *analyze(const struct adjusted_metric *metric)
{
    struct arena *arena = metric->results->call->arena;
    const struct results_call call = {metric->results->call->locale, arena, NULL};
    int covariates = (int)metric->options.covariate_count;
    struct adjusted_reply *answer = ARENA_NEW(arena, struct adjusted_reply);
    struct regression *fit = ARENA_NEW(arena, struct regression);

    prepare(metric, covariates, fit);
    if (!set_moments(metric, covariates, fit))
        return NULL;
    regression_solve(fit);
    if (fit->missing[0] == 0)
        for (int i = 0; i < covariates; i++)
            fit->indicator[i] = -1;
    adjusted_compose(&call, fit, &metric->options, answer);
    return answer;
}

static const char *const *name_covariates(const struct live_results *results)
{
    const struct live_experiment *experiment = &results->view->experiment;
    const char **names = ARENA_ARRAY(results->call->arena, const char *, experiment->used_count);

    for (size_t i = 0; i < experiment->used_count; i++)
        for (size_t k = 0; k < results->view->covariates.count; k++)
            if (results->view->covariates.items[k].number == experiment->used[i])
                names[i] = results->view->covariates.items[k].name;
    return names;
}

static struct adjusted_metric metric_of_design(const struct live_results *results)
{
    struct adjusted_metric metric = {
        .results = results,
        .options = {.metric_type = (enum metric_type)results->design->metric_type,
                    .variance = VARIANCE_ARM,
                    .normal = false,
                    .alpha = results->design->alpha,
                    .direction = (enum goal_direction)results->design->direction,
                    .covariate_count = results->view->experiment.used_count,
                    .covariate_names = name_covariates(results)}};

    for (size_t a = 0; a < results->arms; a++)
        metric.products[a] = results->view->rollup.products[LIVE_COVARIANCE][a];
    return metric;
}

/* The products of an arm with those of another metric in the place of the design's. */
static const struct live_products *exchange(const struct live_results *results, size_t arm,
                                            int64_t number)
{
    struct live_rollup *rollup =
        (struct live_rollup *)&results->view->rollup; /* absent products are added */
    const struct live_products *all = rollup->products[LIVE_COVARIANCE][arm];
    const struct live_metric_products *own = live_rollup_metric_products(rollup, number, (int)arm);
    struct live_products *products;

    if (!all)
        return NULL;
    products = ARENA_NEW(results->call->arena, struct live_products);
    *products = *all;
    products->huge += own->huge;
    products->at[ONE][FIRST] = own->at[LIVE_METRIC_SUM];
    products->at[FIRST][FIRST] = own->at[LIVE_METRIC_SQUARES];
    for (size_t i = 0; i < results->view->experiment.used_count; i++)
        products->at[FIRST][COVARIATES + i] = own->at[LIVE_METRIC_COVARIATES + i];
    return products;
}

static const struct adjusted_reply *analyze_secondary(const struct adjusted_metric *design,
                                                      const char *name)
{
    const struct live_results *results = design->results;
    struct adjusted_metric metric = *design;

    metric.number = live_view_metric(results->view, name);
    if (!metric.number)
        return NULL;
    metric.options.metric_type = METRIC_CONTINUOUS;
    metric.options.direction =
        (enum goal_direction)payload_secondary_direction(results->design, name);
    /* The products of the design have the values of its primary metric in that place. */
    for (size_t a = 0; a < results->arms; a++)
        if (metric.number != results->view->experiment.primary_metric)
            metric.products[a] = exchange(results, a, metric.number);
    return analyze(&metric);
}

/* Holm over all secondary metrics and treatments, as those of `metrics` have it. */
static void correct(const struct live_results *results, struct live_adjusted_secondary *items,
                    size_t count)
{
    struct arena *arena = results->call->arena;
    double *p_values = ARENA_ARRAY(arena, double, count * results->arms);
    struct live_adjusted_claim **claims =
        ARENA_ARRAY(arena, struct live_adjusted_claim *, count * results->arms);
    struct adjusted_test *tests = ARENA_ARRAY(arena, struct adjusted_test, count * results->arms);
    size_t tested = 0;

    for (size_t i = 0; i < count; i++) {
        const struct adjusted_reply *analysis = items[i].analysis;
        const struct adjusted_comparison *shown = analysis ? analysis->comparisons.items : NULL;
        size_t arms = analysis ? analysis->comparisons.count : 0;
        struct live_adjusted_claim *own = ARENA_ARRAY(arena, struct live_adjusted_claim, arms);

        for (size_t k = 0; k < arms; k++) {
            own[k].treatment_index = shown[k].treatment_index;
            if (!shown[k].adjusted)
                continue;
            p_values[tested] = shown[k].adjusted->p_value;
            claims[tested++] = &own[k];
        }
        items[i].claims = (struct object_list){arms, own};
    }
    if (tested > 0)
        (void)multiple_testing_adjust(MULTIPLE_TESTING_HOLM, p_values, tested,
                                      results->design->alpha, arena, tests);
    for (size_t i = 0; i < tested; i++) {
        claims[i]->p_value_adjusted = GIVEN_NUMBER(tests[i].adjusted_p_value);
        claims[i]->is_significant = (struct optional_boolean){true, tests[i].rejected};
    }
}

static struct object_list list_secondary(const struct adjusted_metric *design)
{
    const struct string_list *names = &design->results->design->secondary_metrics;
    struct live_adjusted_secondary *items =
        ARENA_ARRAY(design->results->call->arena, struct live_adjusted_secondary, names->count);

    for (size_t i = 0; i < names->count; i++) {
        items[i].metric = names->items[i];
        items[i].analysis = analyze_secondary(design, names->items[i]);
        items[i].status = items[i].analysis ? "available" : "insufficient_data";
    }
    correct(design->results, items, names->count);
    return (struct object_list){names->count, items};
}

void live_results_adjusted(const struct live_results *results, struct live_stats *stats)
{
    struct live_adjusted *block = ARENA_NEW(results->call->arena, struct live_adjusted);
    struct adjusted_metric metric;

    stats->adjusted = block;
    *block = (struct live_adjusted){.status = "unavailable",
                                    .metric = results->design->primary_metric_name};
    if (results->view->covariates_wanted > LIVE_COVARIATES_MAX) {
        block->status = "too_many_covariates";
        return;
    }
    /* What was used before, and covers too few of the users that came since, has no name here. */
    if (results->view->experiment.used_count == 0 || results->view->covariates_wanted == 0 ||
        results->arms < 2 || results->rough || results->clustered)
        return;
    metric = metric_of_design(results);
    block->secondary = list_secondary(&metric);
    block->analysis = analyze(&metric);
    block->status = block->analysis ? "available" : "insufficient_data";
}
