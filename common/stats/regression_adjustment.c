/* One Cholesky factor per arm, of correlations. With z the columns of a user over that factor,
 * everything is a product of two such vectors: leverage, fitted value and weight. */
#include "stats/regression_adjustment.h"

#include "math/student.h"
#include "stats/two_sample_internal.h"

#include <math.h>
#include <string.h>

enum { C = REGRESSION_COLUMNS_MAX };

/* A column whose rest has less than this share of its variance counts as explained. */
#define EXPLAINED 1e-9

/* A sum of squares below this share of n mean^2 is rounding. */
#define CONSTANT 1e-24

/* Residuals below this share of the outcome's squares are rounding, of a difference of sums and of
 * residuals themselves. */
#define NO_REST_OF_SUMS 1e-14
#define NO_REST_OF_USERS 1e-28

static double dot(const double *x, const double *y, int count)
{
    double sum = 0;

    for (int i = 0; i < count; i++)
        sum += x[i] * y[i];
    return sum;
}

/* Solves factor * z = x / scale for the first `rank` columns. */
static void over_factor(const struct regression_arm *arm, int rank, const double *x, double *z)
{
    for (int i = 0; i < rank; i++)
        z[i] = (x[i] / arm->scale[i] - dot(arm->factor[i], z, i)) / arm->factor[i][i];
}

/* The next row of the arm's factor for a column; the share that the columns before it leave. */
static double add_row(const struct regression *fit, int a, int column, double *row, double *scale)
{
    const struct co_moments *moments = &fit->moments[a];
    const struct regression_arm *arm = &fit->arm[a];
    double x[C];

    *scale = sqrt(moments->products[1 + column][1 + column]);
    for (int i = 0; i < fit->rank; i++)
        x[i] = moments->products[1 + column][1 + fit->used[i]] / *scale;
    over_factor(arm, fit->rank, x, row);
    return 1 - dot(row, row, fit->rank);
}

static bool varies(const struct co_moments *moments, int column)
{
    double squares = moments->products[1 + column][1 + column], mean = moments->mean[1 + column];

    return isfinite(squares) && squares > 0 &&
           squares > CONSTANT * (double)moments->n * mean * mean;
}

/* Every arm keeps a degree of freedom after one more slope. */
static bool has_room(const struct regression *fit)
{
    for (int a = 0; a < fit->arms; a++)
        if (fit->moments[a].n > 0 && fit->moments[a].n < fit->rank + 3)
            return false;
    return true;
}

static enum regression_use try_column(struct regression *fit, int column)
{
    double row[REGRESSION_ARMS_MAX][C], scale[REGRESSION_ARMS_MAX], rest[REGRESSION_ARMS_MAX];

    if (!has_room(fit))
        return COLUMN_CROWDED;
    for (int a = 0; a < fit->arms; a++) {
        if (fit->moments[a].n == 0)
            continue;
        if (!varies(&fit->moments[a], column))
            return COLUMN_CONSTANT;
        rest[a] = add_row(fit, a, column, row[a], &scale[a]);
        if (!(rest[a] > EXPLAINED))
            return COLUMN_COLLINEAR;
    }
    for (int a = 0; a < fit->arms; a++) {
        struct regression_arm *arm = &fit->arm[a];

        if (fit->moments[a].n == 0)
            continue;
        memcpy(arm->factor[fit->rank], row[a], (size_t)fit->rank * sizeof(double));
        arm->factor[fit->rank][fit->rank] = sqrt(rest[a]);
        arm->scale[fit->rank] = scale[a];
    }
    fit->used[fit->rank++] = column;
    return COLUMN_USED;
}

static void set_slopes(struct regression_arm *arm, int rank)
{
    for (int i = rank - 1; i >= 0; i--) {
        double rest = arm->outcome[i];

        for (int j = i + 1; j < rank; j++)
            rest -= arm->factor[j][i] * arm->slope[j];
        arm->slope[i] = rest / arm->factor[i][i];
    }
    for (int i = 0; i < rank; i++)
        arm->slope[i] /= arm->scale[i];
}

static void set_residual_squares(struct regression *fit, int a, double squares, double least)
{
    const struct co_moments *moments = &fit->moments[a];
    struct regression_arm *arm = &fit->arm[a];
    double n = (double)moments->n;

    arm->residual_squares = squares > least * moments->products[0][0] ? squares : 0;
    if (moments->n > 1 + fit->rank)
        arm->variance[VARIANCE_ARM] = arm->residual_squares / (n - 1 - fit->rank) *
                                      (1 / n + dot(arm->centre, arm->centre, fit->rank));
}

void regression_set_residuals(struct regression *fit, int arm, double squares)
{
    set_residual_squares(fit, arm, squares, NO_REST_OF_USERS);
}

static void solve_arm(struct regression *fit, int a, const double *centre)
{
    const struct co_moments *moments = &fit->moments[a];
    struct regression_arm *arm = &fit->arm[a];
    double gap[C], crossed[C];

    for (int i = 0; i < fit->rank; i++) {
        gap[i] = centre[fit->used[i]] - moments->mean[1 + fit->used[i]];
        crossed[i] = moments->products[0][1 + fit->used[i]];
    }
    over_factor(arm, fit->rank, gap, arm->centre);
    over_factor(arm, fit->rank, crossed, arm->outcome);
    set_slopes(arm, fit->rank);
    arm->adjusted = moments->mean[0] + dot(arm->centre, arm->outcome, fit->rank);
    set_residual_squares(fit, a,
                         moments->products[0][0] - dot(arm->outcome, arm->outcome, fit->rank),
                         NO_REST_OF_SUMS);
}

void regression_solve(struct regression *fit)
{
    double centre[C] = {0};

    fit->total = 0;
    fit->rank = 0;
    for (int a = 0; a < fit->arms; a++)
        fit->total += fit->moments[a].n;
    for (int i = 0; i < fit->columns; i++) {
        for (int a = 0; a < fit->arms; a++)
            centre[i] +=
                (double)fit->moments[a].n / (double)fit->total * fit->moments[a].mean[1 + i];
        fit->use[i] = try_column(fit, i);
    }
    for (int a = 0; a < fit->arms; a++)
        if (fit->moments[a].n > 0)
            solve_arm(fit, a, centre);
}

double regression_adjusted_mean(const struct regression *fit, int arm)
{
    return fit->unit * (fit->pivot[arm] + fit->arm[arm].adjusted);
}

double regression_plain_mean(const struct regression *fit, int arm)
{
    return fit->unit * (fit->pivot[arm] + fit->moments[arm].mean[0]);
}

double regression_slope(const struct regression *fit, int arm, int column)
{
    for (int i = 0; i < fit->rank; i++)
        if (fit->used[i] == column)
            return fit->unit * (fit->arm[arm].slope[i] / fit->column_unit[column]);
    return 0;
}

struct optional_number regression_explained(const struct regression *fit, int arm)
{
    double all = fit->moments[arm].products[0][0];

    return all > 0 ? GIVEN_NUMBER(1 - fit->arm[arm].residual_squares / all)
                   : (struct optional_number){0};
}

/* The same kind of variance for the plain mean, whose leverages are all 1/n. */
static double plain_variance(const struct regression *fit, enum regression_variance variance, int a)
{
    double n = (double)fit->moments[a].n, squares = fit->moments[a].products[0][0];

    return variance == VARIANCE_HC3 ? squares / (n - 1) / (n - 1) : squares / (n - 1) / n;
}

/* Tests two independent estimates, each with degrees of freedom of its own; their standard error.
 */
static double compare(const double *means, const double *variances, double unit, const double *df,
                      double alpha, struct test_result *result)
{
    const struct mean_estimate control = {
        .mean = unit * means[0], .spread = unit * sqrt(variances[0]), .weight = 1, .df = df[0]};
    const struct mean_estimate treatment = {
        .mean = unit * means[1], .spread = unit * sqrt(variances[1]), .weight = 1, .df = df[1]};
    struct mean_comparison comparison = compare_means(&control, &treatment);

    comparison.difference = unit * (means[1] - means[0]);
    mean_comparison_test(&comparison, control.mean, treatment.mean, alpha, result);
    set_relative_means(&control, &treatment, student_upper_quantile(alpha / 2, comparison.df),
                       result);
    return comparison.scale * comparison.standard_error;
}

void regression_compare(const struct regression *fit, enum regression_variance variance,
                        bool normal, int control, int treatment, double alpha,
                        struct regression_comparison *comparison)
{
    const int pair[] = {control, treatment};
    double means[2], variances[2], plain_means[2], plain_variances[2], df[2], plain_df[2];

    *comparison = (struct regression_comparison){0};
    for (int i = 0; i < 2; i++) {
        int a = pair[i];

        if (fit->moments[a].n < 2 + fit->rank)
            return;
        df[i] = normal ? INFINITY : (double)(fit->moments[a].n - 1 - fit->rank);
        plain_df[i] = normal ? INFINITY : (double)(fit->moments[a].n - 1);
        means[i] = fit->pivot[a] + fit->arm[a].adjusted;
        plain_means[i] = fit->pivot[a] + fit->moments[a].mean[0];
        variances[i] = fit->arm[a].residual_squares > 0 ? fit->arm[a].variance[variance] : 0;
        plain_variances[i] = plain_variance(fit, variance, a);
    }
    if (!(variances[0] + variances[1] > 0) || !isfinite(variances[0] + variances[1]))
        return;
    comparison->defined = true;
    comparison->standard_error =
        compare(means, variances, fit->unit, df, alpha, &comparison->adjusted);
    comparison->plain_standard_error =
        compare(plain_means, plain_variances, fit->unit, plain_df, alpha, &comparison->plain);
    comparison->variance_reduction_pct = GIVEN_NUMBER(
        100 * (1 - (variances[0] + variances[1]) / (plain_variances[0] + plain_variances[1])));
}
