/*
 * With M = (X'WX)^-1 = U U', S = X_i'W X_i of one cluster and B = U'S U = Q diag(l) Q', the
 * adjustment (I - H_ii)^(-1/2) acts on the columns alone: the score of a contrast c is
 * k'Q diag(1 / sqrt(1 - l)) Q'U'r with k = U'c and r = X_i'W e. So every cluster costs a matrix of
 * the number of columns, whatever its size, and sums of its users suffice. With v = Q'k the moments
 * of the variance estimate under the working model are sums of l v^2 and of products of the vectors
 * Q l v / sqrt(1 - l). The eigenvalues m = 1 - l are those of U'(X'WX - S)U, which stay accurate
 * for a cluster of nearly all users; those of 0 are left out, as the generalized inverse does.
 */
#include "stats/cluster_robust.h"

#include "math/student.h"
#include "math/symmetric.h"
#include "stats/sample.h"
#include "stats/two_sample_internal.h"

#include <math.h>
#include <string.h>

enum { COLUMNS_MAX = 2 + CLUSTER_COVARIATES_MAX, CELLS_MAX = COLUMNS_MAX * COLUMNS_MAX };

/* What is tested: the effect, the values of both arms for the relative effect, and a slope. */
enum contrast_of { OF_EFFECT, OF_CONTROL, OF_TREATMENT, OF_SLOPE, CONTRASTS };

#define RANK_TOLERANCE 1e-12
#define WHOLE_LEVERAGE 1e-12 /* an m below it counts as 0 */
#define ROUNDING 1e-14

struct contrast {
    double k[COLUMNS_MAX];
    double variance, trace, squares;
    double before[CELLS_MAX]; /* sum of w w' of the clusters before */
};

struct model {
    const struct cluster_rows *rows;
    size_t columns;
    double unit, weight_unit; /* of values and of weights: powers of two */
    double column_unit[CLUSTER_COVARIATES_MAX];
    double center[CLUSTER_COVARIATES_MAX], spread[CLUSTER_COVARIATES_MAX]; /* in that unit */
    double gram[CELLS_MAX];                                                /* X'WX */
    double inverse[CELLS_MAX];                                             /* of its root */
    bool kept[COLUMNS_MAX];
    double slope[COLUMNS_MAX];
    size_t *order; /* rows by cluster */
    size_t *start; /* cluster_count + 1 places in it */
    struct contrast contrasts[CONTRASTS];
    double covariance; /* of the values of both arms */
    double largest_residual;
};

/* Sums over the clusters of an arm, for their sizes and the analysis of variance. */
struct arm_sums {
    struct cluster_arm sizes;
    double mean_size, size_squares;
    double squares, between, within; /* sums of squared weights and of squared values */
};

static double weight_of(const struct model *model, size_t row)
{
    return model->rows->weight[row] / model->weight_unit;
}

/* The total of a row in units of the model. */
static double total_of(const struct model *model, size_t row)
{
    return model->rows->total[row] / model->unit / model->weight_unit;
}

static double covariate_of(const struct model *model, size_t j, size_t row)
{
    return model->rows->covariates[j][row] / model->column_unit[j];
}

static void row_columns(const struct model *model, size_t row, double *x)
{
    x[0] = model->rows->arm[row] ? 0 : 1;
    x[1] = 1 - x[0];
    for (size_t j = 0; j + 2 < model->columns; j++)
        x[2 + j] = (covariate_of(model, j, row) - model->center[j]) / model->spread[j];
}

static double fitted(const struct model *model, const double *x)
{
    double value = 0;

    for (size_t j = 0; j < model->columns; j++)
        value += x[j] * model->slope[j];
    return value;
}

static void choose_units(struct model *model)
{
    const struct cluster_rows *rows = model->rows;
    double heaviest = 0, largest = 0;

    for (size_t i = 0; i < rows->count; i++)
        heaviest = fmax(heaviest, rows->weight[i]);
    model->weight_unit = sample_unit_near(heaviest);
    for (size_t i = 0; i < rows->count; i++)
        largest = fmax(largest, fabs(rows->total[i] / model->weight_unit));
    model->unit = sample_unit_near(largest);
}

/* Weighted mean and spread of a covariate; a constant one gets the spread 1, and is no column of
 * its own. */
static void standardize(struct model *model, size_t j)
{
    double weight = 0, squares = 0, mean = 0, largest = 0;

    for (size_t i = 0; i < model->rows->count; i++)
        largest = fmax(largest, fabs(model->rows->covariates[j][i]));
    model->column_unit[j] = sample_unit_near(largest);
    for (size_t i = 0; i < model->rows->count; i++) {
        double own = weight_of(model, i);

        weight += own;
        if (own > 0)
            mean += (covariate_of(model, j, i) - mean) * (own / weight);
    }
    for (size_t i = 0; i < model->rows->count; i++)
        squares += weight_of(model, i) * pow(covariate_of(model, j, i) - mean, 2);
    model->center[j] = mean;
    model->spread[j] = sqrt(squares / weight);
    if (!(model->spread[j] > ROUNDING))
        model->spread[j] = 1;
}

static void add_outer(size_t n, double weight, const double *x, double *matrix)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            matrix[i * n + j] += weight * x[i] * x[j];
}

/* inverse * vector */
static void reduce(const struct model *model, const double *vector, double *reduced)
{
    size_t n = model->columns;

    for (size_t i = 0; i < n; i++) {
        reduced[i] = 0;
        for (size_t j = 0; j <= i; j++)
            reduced[i] += model->inverse[i * n + j] * vector[j];
    }
}

/* Adds M X'W(y - X slope) to the slopes. */
static void improve_slopes(struct model *model)
{
    size_t n = model->columns;
    double rest[COLUMNS_MAX] = {0}, reduced[COLUMNS_MAX], x[COLUMNS_MAX];

    for (size_t i = 0; i < model->rows->count; i++) {
        double residual;

        row_columns(model, i, x);
        residual = total_of(model, i) - weight_of(model, i) * fitted(model, x);
        for (size_t j = 0; j < n; j++)
            rest[j] += x[j] * residual;
    }
    reduce(model, rest, reduced);
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++)
            model->slope[j] += model->inverse[i * n + j] * reduced[i];
}

static void fit(struct model *model)
{
    double root[CELLS_MAX], x[COLUMNS_MAX];

    for (size_t j = 0; j < model->rows->covariate_count; j++)
        standardize(model, j);
    for (size_t i = 0; i < model->rows->count; i++) {
        row_columns(model, i, x);
        add_outer(model->columns, weight_of(model, i), x, model->gram);
    }
    symmetric_root(model->columns, model->gram, RANK_TOLERANCE, root, model->kept);
    symmetric_root_inverse(model->columns, root, model->kept, model->inverse);
    improve_slopes(model);
    improve_slopes(model);
}

static void sort_by_cluster(struct model *model, struct arena *arena)
{
    const struct cluster_rows *rows = model->rows;

    model->start = ARENA_ARRAY(arena, size_t, rows->cluster_count + 2);
    model->order = ARENA_ARRAY(arena, size_t, rows->count);
    for (size_t i = 0; i < rows->count; i++)
        model->start[rows->cluster[i] + 2]++;
    for (size_t c = 2; c < rows->cluster_count + 2; c++)
        model->start[c] += model->start[c - 1];
    for (size_t i = 0; i < rows->count; i++)
        model->order[model->start[rows->cluster[i] + 1]++] = i;
}

/* inverse * gram * inverse' */
static void transform(const struct model *model, const double *gram, double *b)
{
    size_t n = model->columns;
    double half[CELLS_MAX];

    for (size_t j = 0; j < n; j++) {
        double column[COLUMNS_MAX], reduced[COLUMNS_MAX];

        for (size_t i = 0; i < n; i++)
            column[i] = gram[i * n + j];
        reduce(model, column, reduced);
        for (size_t i = 0; i < n; i++)
            half[i * n + j] = reduced[i];
    }
    for (size_t i = 0; i < n; i++)
        reduce(model, half + i * n, b + i * n);
}

struct eigen {
    double values[COLUMNS_MAX], vectors[CELLS_MAX];
};

/* Adds the cluster to the moments of a contrast; gives its score. */
static double add_to_contrast(const struct model *model, const struct eigen *eigen,
                              const double *residual, struct contrast *contrast)
{
    size_t n = model->columns;
    double score = 0, trace = 0, w[COLUMNS_MAX] = {0}, cross = 0;

    for (size_t e = 0; e < n; e++) {
        double rest = eigen->values[e], share = 1 - rest, v = 0, r = 0;

        if (rest <= WHOLE_LEVERAGE)
            continue;
        for (size_t i = 0; i < n; i++) {
            v += eigen->vectors[i * n + e] * contrast->k[i];
            r += eigen->vectors[i * n + e] * residual[i];
        }
        score += v * r / sqrt(rest);
        trace += v * v * share;
        for (size_t i = 0; i < n; i++)
            w[i] += eigen->vectors[i * n + e] * v * share / sqrt(rest);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            cross += w[i] * contrast->before[i * n + j] * w[j];
    contrast->variance += score * score;
    contrast->trace += trace;
    contrast->squares += trace * trace + 2 * cross;
    add_outer(n, 1, w, contrast->before);
    return score;
}

static void add_cluster(struct model *model, size_t from, size_t to)
{
    size_t n = model->columns;
    double others[CELLS_MAX], b[CELLS_MAX], rest[COLUMNS_MAX] = {0}, reduced[COLUMNS_MAX];
    double x[COLUMNS_MAX], scores[CONTRASTS];
    struct eigen eigen;

    memcpy(others, model->gram, n * n * sizeof *others);
    for (size_t place = from; place < to; place++) {
        size_t row = model->order[place];
        double weight = weight_of(model, row), residual;

        row_columns(model, row, x);
        residual = total_of(model, row) - weight * fitted(model, x);
        add_outer(n, -weight, x, others);
        for (size_t j = 0; j < n; j++)
            rest[j] += x[j] * residual;
    }
    transform(model, others, b);
    reduce(model, rest, reduced);
    for (size_t j = 0; j < 2; j++)
        model->largest_residual = fmax(model->largest_residual, fabs(rest[j]));
    symmetric_eigen(n, b, eigen.values, eigen.vectors);
    for (int c = 0; c < CONTRASTS; c++)
        scores[c] = add_to_contrast(model, &eigen, reduced, &model->contrasts[c]);
    model->covariance += scores[OF_CONTROL] * scores[OF_TREATMENT];
}

static void add_variances(struct model *model)
{
    double contrast[CONTRASTS][COLUMNS_MAX] = {
        [OF_EFFECT] = {-1, 1}, [OF_CONTROL] = {1}, [OF_TREATMENT] = {0, 1}, [OF_SLOPE] = {0, 0, 1}};

    for (int c = 0; c < CONTRASTS; c++)
        reduce(model, contrast[c], model->contrasts[c].k);
    for (size_t c = 0; c < model->rows->cluster_count; c++)
        if (model->start[c] < model->start[c + 1])
            add_cluster(model, model->start[c], model->start[c + 1]);
}

/* One cluster's users of one arm, in the units of the model. */
static void add_sizes(const struct model *model, size_t cluster, int arm, struct arm_sums *sums)
{
    const struct cluster_rows *rows = model->rows;
    double weight = 0, total = 0, gap;

    for (size_t place = model->start[cluster]; place < model->start[cluster + 1]; place++) {
        size_t row = model->order[place];

        if (rows->arm[row] != arm)
            continue;
        weight += weight_of(model, row);
        total += total_of(model, row);
        if (rows->squares)
            sums->within += rows->squares[row] / model->unit / model->unit / model->weight_unit;
    }
    if (weight <= 0)
        return;
    sums->sizes.clusters++;
    sums->sizes.weight += weight;
    gap = weight - sums->mean_size;
    sums->mean_size += gap / (double)sums->sizes.clusters;
    sums->size_squares += gap * (weight - sums->mean_size);
    sums->squares += weight * weight;
    sums->within -= total * (total / weight);
    sums->between += weight * pow(total / weight - model->slope[arm], 2);
}

static void sum_sizes(struct model *model, struct arm_sums sums[2])
{
    memset(sums, 0, 2 * sizeof sums[0]);
    for (size_t c = 0; c < model->rows->cluster_count; c++)
        for (int arm = 0; arm < 2; arm++)
            add_sizes(model, c, arm, &sums[arm]);
    for (int arm = 0; arm < 2; arm++) {
        struct cluster_arm *sizes = &sums[arm].sizes;

        if (sizes->clusters > 1)
            sizes->size_cv =
                sqrt(sums[arm].size_squares / (double)(sizes->clusters - 1)) / sums[arm].mean_size;
    }
}

static struct optional_number when_finite(double value, double least)
{
    return isfinite(value) ? GIVEN_NUMBER(fmax(value, least)) : (struct optional_number){0};
}

/* The analysis of variance of clusters within arms (Donner and Koval 1980), and the variance of the
 * difference against that of independent users. */
static void compare_with_independent(const struct model *model, const struct arm_sums sums[2],
                                     struct cluster_result *result)
{
    double users = 0, clusters = 0, between = 0, within = 0, uneven = 0, naive = 0;
    double unit = model->weight_unit;

    for (int arm = 0; arm < 2; arm++) {
        double n = sums[arm].sizes.weight * unit;

        users += n;
        clusters += (double)sums[arm].sizes.clusters;
        between += sums[arm].between * unit;
        within += fmax(sums[arm].within, 0) * unit;
        uneven += sums[arm].squares * unit * unit / n;
        naive += (sums[arm].between + fmax(sums[arm].within, 0)) * unit / (n - 1) / n;
    }
    if (users > clusters && clusters > 2) {
        double size = (users - uneven) / (clusters - 2);

        between /= clusters - 2;
        within /= users - clusters;
        if (between + (size - 1) * within > 0)
            result->icc = when_finite((between - within) / (between + (size - 1) * within), 0);
    }
    if (users > 2 && naive > 0)
        result->design_effect = when_finite(model->contrasts[OF_EFFECT].variance / naive, 0);
}

static double degrees_of(const struct contrast *contrast)
{
    return contrast->trace * contrast->trace / contrast->squares;
}

/* Fieller's interval (1954) of the ratio of two estimates with a covariance. */
static void set_relative(const struct model *model, double critical, struct test_result *test)
{
    double c = model->slope[0], t = model->slope[1], q = critical * critical;
    double a = c * c - q * model->contrasts[OF_CONTROL].variance;
    double b = c * t - q * model->covariance;
    double rest = t * t - q * model->contrasts[OF_TREATMENT].variance, root;
    double sign = c < 0 ? -1 : 1;

    test->relative_lift.interval = c == 0 ? RELATIVE_OF_ZERO : RELATIVE_UNBOUNDED;
    if (!(a > 0) || c == 0)
        return;
    root = sqrt(fmax(b * b - a * rest, 0));
    test->relative_lift =
        (struct relative_lift){RELATIVE_FIELLER, 100 * sign * ((b - sign * root) / a - 1),
                               100 * sign * ((b + sign * root) / a - 1)};
    if (!isfinite(test->relative_lift.lower_pct) || !isfinite(test->relative_lift.upper_pct))
        test->relative_lift = (struct relative_lift){.interval = RELATIVE_TOO_LARGE};
}

static void set_test(const struct model *model, double alpha, struct cluster_result *result)
{
    const struct contrast *effect = &model->contrasts[OF_EFFECT];
    struct test_result *test = &result->test;
    double difference = model->slope[1] - model->slope[0], error = sqrt(effect->variance), critical;

    if (fabs(difference) <= 1e-15 * (fabs(model->slope[0]) + fabs(model->slope[1])))
        difference = 0;
    *test = (struct test_result){.alpha = alpha,
                                 .ci_level = 1 - alpha,
                                 .degrees_of_freedom = degrees_of(effect),
                                 .statistic = difference / error};
    set_effect(finite_value(model->slope[0] * model->unit),
               finite_value(model->slope[1] * model->unit), finite_value(difference * model->unit),
               test);
    test->p_value =
        probability_value(2 * student_survival(fabs(test->statistic), test->degrees_of_freedom));
    test->is_significant = test->p_value < alpha;
    critical = student_upper_quantile(alpha / 2, test->degrees_of_freedom);
    test->power = two_sample_normal_power(test->statistic, critical);
    result->standard_error = finite_value(error * model->unit);
    test->ci_lower = finite_value(test->effect - critical * result->standard_error);
    test->ci_upper = finite_value(test->effect + critical * result->standard_error);
    set_effect_as_test_interval(test);
    set_relative(model, critical, test);
}

static void set_slope(const struct model *model, double alpha, struct cluster_result *result)
{
    const struct contrast *contrast = &model->contrasts[OF_SLOPE];
    double scale, df, value, error, critical;

    if (model->columns < 3 || !model->kept[2] || !(contrast->variance > 0))
        return;
    scale = model->unit / model->spread[0] / model->column_unit[0];
    df = degrees_of(contrast);
    value = model->slope[2] * scale;
    error = sqrt(contrast->variance) * scale;
    critical = student_upper_quantile(alpha / 2, df);
    if (!isfinite(value) || !isfinite(critical * error) || !(error > 0))
        return;
    result->slope = GIVEN_NUMBER(value);
    result->slope_error = GIVEN_NUMBER(error);
    result->slope_df = GIVEN_NUMBER(df);
    result->slope_p =
        GIVEN_NUMBER(probability_value(2 * student_survival(fabs(value / error), df)));
    result->slope_lower = GIVEN_NUMBER(value - critical * error);
    result->slope_upper = GIVEN_NUMBER(value + critical * error);
}

static bool varies(const struct model *model)
{
    const struct contrast *effect = &model->contrasts[OF_EFFECT];
    double size = fabs(model->slope[0]) + fabs(model->slope[1]);

    return effect->variance > 0 && effect->squares > 0 && isfinite(effect->variance) &&
           model->largest_residual > 10 * ROUNDING * size;
}

/* Values beyond the range of doubles may leave none. */
static bool is_number(const struct test_result *test)
{
    return isfinite(test->statistic) && isfinite(test->p_value) &&
           isfinite(test->degrees_of_freedom) && test->degrees_of_freedom > 0 &&
           isfinite(test->ci_lower) && isfinite(test->ci_upper);
}

static enum cluster_refusal refusal_of(const struct arm_sums sums[2])
{
    for (int arm = 0; arm < 2; arm++)
        if (!(sums[arm].sizes.weight > 0))
            return CLUSTER_NO_WEIGHT;
    return sums[0].sizes.clusters < 2 || sums[1].sizes.clusters < 2 ? CLUSTER_TOO_FEW
                                                                    : CLUSTER_TESTED;
}

void cluster_robust_test(const struct cluster_rows *rows, double alpha, struct arena *arena,
                         struct cluster_result *result)
{
    struct model *model = ARENA_NEW(arena, struct model);
    struct arm_sums sums[2];

    *result = (struct cluster_result){.test = degenerate_result(alpha)};
    model->rows = rows;
    model->columns = 2 + rows->covariate_count;
    choose_units(model);
    sort_by_cluster(model, arena);
    sum_sizes(model, sums);
    result->refusal = refusal_of(sums);
    if (result->refusal)
        return;
    fit(model);
    add_variances(model);
    sum_sizes(model, sums);
    for (int arm = 0; arm < 2; arm++)
        result->arms[arm] = (struct cluster_arm){
            .clusters = sums[arm].sizes.clusters,
            .weight = finite_value(sums[arm].sizes.weight * model->weight_unit),
            .size_cv = sums[arm].sizes.size_cv};
    for (size_t j = 2; j < model->columns; j++)
        result->covariates_used += model->kept[j];
    if (!varies(model)) {
        result->refusal = CLUSTER_NO_VARIANCE;
        return;
    }
    set_test(model, alpha, result);
    if (!is_number(&result->test)) {
        result->refusal = CLUSTER_NO_VARIANCE;
        return;
    }
    set_slope(model, alpha, result);
    if (rows->squares && rows->covariate_count == 0)
        compare_with_independent(model, sums, result);
}
