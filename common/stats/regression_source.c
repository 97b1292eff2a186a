/* Regression from users: the passes over a source. Values are taken in units of their largest
 * magnitude and about their mean, so that squares stay in range and keep their digits. */
#include "math/sum.h"
#include "stats/regression_adjustment.h"
#include "stats/sample.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { C = REGRESSION_COLUMNS_MAX };

/* A leverage nearer to 1 than this leaves no residual to estimate from. */
#define OWN_LINE 1e-10

/* What the first two passes find. Position `covariates` and beyond: value and denominator. */
enum { VALUE = REGRESSION_COVARIATES_MAX, DENOMINATOR, QUANTITIES };

struct passes {
    const struct regression_source *source;
    struct regression *fit;
    double largest[QUANTITIES], unit[QUANTITIES];
    struct sum sums[QUANTITIES];
    struct sum arm_values[REGRESSION_ARMS_MAX], arm_denominators[REGRESSION_ARMS_MAX];
    double denominator_sizes[REGRESSION_ARMS_MAX]; /* sums of magnitudes */
    int64_t users[REGRESSION_ARMS_MAX], all;
    double ratio[REGRESSION_ARMS_MAX], weight[REGRESSION_ARMS_MAX]; /* mean denominators */
    struct co_moments_stream *streams;
    struct sum robust[REGRESSION_ARMS_MAX][2], squares[REGRESSION_ARMS_MAX];
};

typedef void pass_step(struct passes *passes, const struct regression_user *user);

static void pass(struct passes *passes, pass_step *step)
{
    struct regression_user user;

    passes->source->rewind(passes->source->state);
    while (passes->source->next(passes->source->state, &user))
        step(passes, &user);
}

static void find_sizes(struct passes *passes, const struct regression_user *user)
{
    for (int i = 0; i < passes->source->covariates; i++) {
        if (isnan(user->covariates[i]))
            passes->fit->missing[i]++;
        else
            passes->largest[i] = fmax(passes->largest[i], fabs(user->covariates[i]));
    }
    passes->largest[VALUE] = fmax(passes->largest[VALUE], fabs(user->value));
    passes->largest[DENOMINATOR] = fmax(passes->largest[DENOMINATOR], fabs(user->denominator));
    passes->users[user->arm]++;
    passes->all++;
}

static void find_sums(struct passes *passes, const struct regression_user *user)
{
    double denominator = user->denominator / passes->unit[DENOMINATOR];

    for (int i = 0; i < passes->source->covariates; i++)
        if (!isnan(user->covariates[i]))
            sum_add(&passes->sums[i], user->covariates[i] / passes->unit[i]);
    sum_add(&passes->sums[VALUE], user->value / passes->unit[VALUE]);
    if (!passes->source->ratio)
        return;
    sum_add(&passes->arm_values[user->arm], user->value / passes->unit[VALUE]);
    sum_add(&passes->arm_denominators[user->arm], denominator);
    passes->denominator_sizes[user->arm] += fabs(denominator);
}

static double outcome(const struct passes *passes, const struct regression_user *user)
{
    double value = user->value / passes->unit[VALUE];

    if (!passes->source->ratio)
        return value - passes->fit->pivot[0];
    return (value - passes->ratio[user->arm] * (user->denominator / passes->unit[DENOMINATOR])) /
           passes->weight[user->arm];
}

/* The outcome and the columns, about their means; a missing covariate is its mean, thus 0. */
static void make_row(const struct passes *passes, const struct regression_user *user, double *row)
{
    const struct regression *fit = passes->fit;

    row[0] = outcome(passes, user);
    for (int i = 0; i < passes->source->covariates; i++) {
        bool missing = isnan(user->covariates[i]);

        row[1 + i] = missing ? 0 : user->covariates[i] / passes->unit[i] - fit->fill[i];
        if (fit->indicator[i] >= 0)
            row[1 + fit->indicator[i]] = missing;
    }
}

static void find_moments(struct passes *passes, const struct regression_user *user)
{
    double row[CO_MOMENTS_MAX];

    make_row(passes, user, row);
    co_moments_push(&passes->streams[user->arm], row);
}

/* The user's columns over the arm's factor. */
static void over_arm(const struct regression *fit, int a, const double *row, double *z)
{
    const struct regression_arm *arm = &fit->arm[a];

    for (int i = 0; i < fit->rank; i++) {
        int column = 1 + fit->used[i];

        z[i] = (row[column] - fit->moments[a].mean[column]) / arm->scale[i];
        for (int j = 0; j < i; j++)
            z[i] -= arm->factor[i][j] * z[j];
        z[i] /= arm->factor[i][i];
    }
}

/* The weight of the user in the adjusted mean, squared, times his squared residual: over 1 - h and
 * over its square. Whoever has a slope to himself gets the arm's residual variance. */
static void add_residual(struct passes *passes, const struct regression_user *user)
{
    const struct regression *fit = passes->fit;
    const struct regression_arm *arm = &fit->arm[user->arm];
    double row[CO_MOMENTS_MAX], z[C], n = (double)fit->moments[user->arm].n;
    double leverage = 1 / n, weight = 1 / n, residual, rest, share;

    make_row(passes, user, row);
    over_arm(fit, user->arm, row, z);
    residual = row[0] - fit->moments[user->arm].mean[0];
    for (int i = 0; i < fit->rank; i++) {
        leverage += z[i] * z[i];
        weight += z[i] * arm->centre[i];
        residual -= z[i] * arm->outcome[i];
    }
    rest = 1 - leverage;
    sum_add(&passes->squares[user->arm], residual * residual);
    if (rest < OWN_LINE) {
        share = weight * weight * arm->residual_squares / fmax(n - 1 - fit->rank, 1);
        rest = 1;
    } else {
        share = weight * weight * residual * residual / rest;
    }
    sum_add(&passes->robust[user->arm][0], share);
    sum_add(&passes->robust[user->arm][1], share / rest);
}

static void set_units(struct passes *passes)
{
    for (int i = 0; i < QUANTITIES; i++)
        passes->unit[i] = sample_unit_near(passes->largest[i]);
}

static void set_columns(struct passes *passes)
{
    struct regression *fit = passes->fit;

    fit->arms = passes->source->arms;
    fit->columns = passes->source->covariates;
    for (int i = 0; i < passes->source->covariates; i++) {
        int64_t known = passes->all - fit->missing[i];

        fit->fill[i] = known ? sum_value(&passes->sums[i]) / (double)known : 0;
        fit->column_unit[i] = passes->unit[i];
        fit->indicator[i] = -1;
        if (fit->missing[i] > 0 && known > 0) {
            fit->column_unit[fit->columns] = 1;
            fit->indicator[i] = fit->columns++;
        }
    }
}

static void set_ratio(struct passes *passes, int a)
{
    double n = (double)passes->users[a], total = sum_value(&passes->arm_denominators[a]);

    if (passes->users[a] == 0)
        return;
    passes->weight[a] = total / n;
    if (fabs(total) <= 4 * DBL_EPSILON * passes->denominator_sizes[a]) {
        passes->fit->ratio_undefined = true;
        return;
    }
    passes->ratio[a] = sum_value(&passes->arm_values[a]) / total;
    passes->fit->pivot[a] = passes->ratio[a];
}

static void set_outcome(struct passes *passes)
{
    struct regression *fit = passes->fit;

    fit->unit = passes->unit[VALUE];
    if (passes->source->ratio)
        fit->unit /= passes->unit[DENOMINATOR];
    for (int a = 0; a < fit->arms; a++) {
        if (passes->source->ratio)
            set_ratio(passes, a);
        else
            fit->pivot[a] = sum_value(&passes->sums[VALUE]) / (double)passes->all;
    }
}

static void set_moments(struct passes *passes, struct arena *arena)
{
    struct regression *fit = passes->fit;

    passes->streams = ARENA_ARRAY(arena, struct co_moments_stream, (size_t)fit->arms);
    for (int a = 0; a < fit->arms; a++)
        passes->streams[a].total.columns = 1 + fit->columns;
    pass(passes, find_moments);
    for (int a = 0; a < fit->arms; a++) {
        co_moments_flush(&passes->streams[a]);
        fit->moments[a] = passes->streams[a].total;
    }
}

/* Residuals themselves say more precisely than a difference of sums how large they are. */
static void set_residuals(struct passes *passes)
{
    struct regression *fit = passes->fit;

    pass(passes, add_residual);
    for (int a = 0; a < fit->arms; a++) {
        regression_set_residuals(fit, a, sum_value(&passes->squares[a]));
        fit->arm[a].variance[VARIANCE_HC2] = sum_value(&passes->robust[a][0]);
        fit->arm[a].variance[VARIANCE_HC3] = sum_value(&passes->robust[a][1]);
    }
}

void regression_from_source(const struct regression_source *source, struct arena *arena,
                            struct regression *fit)
{
    struct passes *passes = ARENA_NEW(arena, struct passes);

    *passes = (struct passes){.source = source, .fit = fit};
    pass(passes, find_sizes);
    set_units(passes);
    if (passes->all == 0)
        return;
    pass(passes, find_sums);
    set_columns(passes);
    set_outcome(passes);
    if (fit->ratio_undefined)
        return;
    set_moments(passes, arena);
    regression_solve(fit);
    set_residuals(passes);
}
