/* Least squares from sums of products. Pivoted Cholesky on the correlations finds covariates that
 * others explain, and drops them. */
#include "stats/covariate_adjustment.h"

#include "stats/two_sample_internal.h"

#include <math.h>
#include <string.h>

enum { K = ADJUSTMENT_COVARIATES_MAX };

/* A remainder of a covariate's variance below this counts as 0. */
#define RESIDUE 1e-12

/* Rounding may make a sum of squares negative by this share of its scale. */
#define BELOW_ZERO 1e-12

struct system {
    int size;
    double matrix[K][K];
    double scale[K]; /* square roots of the diagonal; 0 = not usable */
    int rank;
    int chosen[K];
};

/* Orders the covariates by how much they explain; stops when the rest is negligible. */
static void choose(struct system *system)
{
    double residual[K] = {0}, factor[K][K] = {{0}}, first = 0;

    for (int i = 0; i < system->size; i++) {
        double diagonal = system->matrix[i][i];

        system->scale[i] = diagonal > 0 && isfinite(diagonal) ? sqrt(diagonal) : 0;
        residual[i] = system->scale[i] > 0;
        first = fmax(first, residual[i]);
    }
    for (system->rank = 0; system->rank < system->size; system->rank++) {
        int step = system->rank, best = -1;

        for (int i = 0; i < system->size; i++)
            if (residual[i] > RESIDUE * first && (best < 0 || residual[i] > residual[best]))
                best = i;
        if (best < 0)
            return;
        system->chosen[step] = best;
        for (int i = 0; i < system->size; i++) {
            double value = 0;

            if (system->scale[i] == 0)
                continue;
            value = system->matrix[i][best] / system->scale[i] / system->scale[best];
            for (int j = 0; j < step; j++)
                value -= factor[i][j] * factor[best][j];
            factor[i][step] = value / sqrt(residual[best]);
        }
        for (int i = 0; i < system->size; i++)
            residual[i] -= i == best ? residual[i] : factor[i][step] * factor[i][step];
    }
}

/* Gaussian elimination with partial pivoting on the chosen block of correlations. */
static bool eliminate(int size, double matrix[K][K + 1])
{
    double largest = 0;

    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
            largest = fmax(largest, fabs(matrix[i][j]));
    for (int column = 0; column < size; column++) {
        int pivot = column;

        for (int i = column + 1; i < size; i++)
            if (fabs(matrix[i][column]) > fabs(matrix[pivot][column]))
                pivot = i;
        if (!(fabs(matrix[pivot][column]) > RESIDUE * largest))
            return false;
        for (int j = 0; j <= size; j++) {
            double held = matrix[column][j];

            matrix[column][j] = matrix[pivot][j];
            matrix[pivot][j] = held;
        }
        for (int i = 0; i < size; i++) {
            double factor = matrix[i][column] / matrix[column][column];

            for (int j = column; i != column && j <= size; j++)
                matrix[i][j] -= factor * matrix[column][j];
        }
    }
    for (int i = 0; i < size; i++)
        matrix[i][size] /= matrix[i][i];
    return true;
}

/* `solution` of matrix x = right, 0 for covariates that were not chosen; false when there is
 * none. */
static bool solve(const struct system *system, const double *right, double *solution)
{
    double block[K][K + 1];

    memset(solution, 0, K * sizeof *solution);
    for (int i = 0; i < system->rank; i++) {
        int row = system->chosen[i];

        for (int j = 0; j < system->rank; j++) {
            int column = system->chosen[j];

            block[i][j] = system->matrix[row][column] / system->scale[row] / system->scale[column];
        }
        block[i][system->rank] = right[row] / system->scale[row];
    }
    if (system->rank == 0 || !eliminate(system->rank, block))
        return false;
    for (int i = 0; i < system->rank; i++)
        solution[system->chosen[i]] = block[i][system->rank] / system->scale[system->chosen[i]];
    return true;
}

static struct system system_of(const struct adjustment *fit)
{
    struct system system = {.size = fit->covariates};

    for (int i = 0; i < fit->covariates; i++)
        for (int j = 0; j < fit->covariates; j++)
            system.matrix[i][j] = fit->within.products[1 + i][1 + j];
    choose(&system);
    return system;
}

/* Pools the products within arms, and the means over all users. */
static void pool_arms(struct adjustment *fit)
{
    int variables = 1 + fit->covariates;

    for (size_t a = 0; a < fit->arm_count; a++) {
        const struct adjustment_arm *arm = &fit->arms[a];

        fit->total += arm->n;
        fit->arms_used += arm->n > 0;
        for (int i = 0; i < variables && arm->n > 0; i++) {
            fit->within.mean[i] += (double)arm->n * arm->mean[i];
            for (int j = 0; j < variables && arm->n >= 2; j++)
                fit->within.products[i][j] += arm->products[i][j];
        }
    }
    for (int i = 0; i < variables && fit->total > 0; i++)
        fit->within.mean[i] /= (double)fit->total;
    for (int i = 0; i < variables; i++)
        if (!(fit->within.products[i][i] >= 0 && isfinite(fit->within.products[i][i])))
            fit->within.products[i][i] = 0;
}

/* outcome - 2 slope' cross + slope' products slope, for any sums of products. */
static double remaining(const struct adjustment *fit, const double products[1 + K][1 + K])
{
    double rest = products[0][0];

    for (int i = 0; i < fit->covariates; i++) {
        rest -= 2 * fit->slope[i] * products[0][1 + i];
        for (int j = 0; j < fit->covariates; j++)
            rest += fit->slope[i] * fit->slope[j] * products[1 + i][1 + j];
    }
    return fmax(rest, 0);
}

/* Products about the common mean: within arms plus between the arms' means. */
static void set_reduction(struct adjustment *fit)
{
    double all[1 + K][1 + K];

    memset(all, 0, sizeof all);
    for (int i = 0; i <= fit->covariates; i++) {
        for (int j = 0; j <= fit->covariates; j++) {
            for (size_t a = 0; a < fit->arm_count; a++) {
                const struct adjustment_arm *arm = &fit->arms[a];

                if (arm->n > 0)
                    all[i][j] += arm->products[i][j] + (double)arm->n *
                                                           (arm->mean[i] - fit->within.mean[i]) *
                                                           (arm->mean[j] - fit->within.mean[j]);
            }
        }
    }
    if (all[0][0] > 0)
        fit->variance_reduction_pct = GIVEN_NUMBER(100 * (1 - remaining(fit, all) / all[0][0]));
}

void adjustment_fit(const struct adjustment_arm *arms, size_t arm_count, int covariates,
                    struct adjustment *fit)
{
    struct system system;

    *fit = (struct adjustment){.arms = arms, .arm_count = arm_count, .covariates = covariates};
    pool_arms(fit);
    system = system_of(fit);
    if (solve(&system, &fit->within.products[0][1], fit->slope))
        fit->rank = system.rank;
    set_reduction(fit);
}

double adjustment_mean(const struct adjustment *fit, size_t arm)
{
    double mean = fit->arms[arm].mean[0];

    for (int i = 0; i < fit->covariates; i++)
        mean -= fit->slope[i] * (fit->arms[arm].mean[1 + i] - fit->within.mean[1 + i]);
    return mean;
}

double adjustment_deviation(const struct adjustment *fit, size_t arm)
{
    const struct adjustment_arm *about = &fit->arms[arm];

    return about->n < 2 ? 0 : sqrt(remaining(fit, about->products) / (double)(about->n - 1));
}

/* Without slopes: Welch's test of the plain means. */
static bool compare_plain(const struct adjustment *fit, size_t control, size_t treatment,
                          double alpha, struct test_result *result)
{
    const struct continuous_observation observed = {
        .control_mean = fit->arms[control].mean[0],
        .control_std = adjustment_deviation(fit, control),
        .control_n = fit->arms[control].n,
        .treatment_mean = fit->arms[treatment].mean[0],
        .treatment_std = adjustment_deviation(fit, treatment),
        .treatment_n = fit->arms[treatment].n,
        .alpha = alpha};

    two_sample_continuous(&observed, result);
    return !result->degenerate;
}

/* Sets a slightly negative value to 0. False for a clearly negative one or NaN. */
static bool not_negative(double *value, double scale)
{
    if (!isfinite(*value) || *value < -BELOW_ZERO * fmax(scale, 1))
        return false;
    *value = fmax(*value, 0);
    return true;
}

/* The variance of the adjusted difference, 0 when there is none. */
static double error_variance(const struct adjustment *fit, size_t control, size_t treatment,
                             double df)
{
    const struct adjustment_arm *c = &fit->arms[control], *t = &fit->arms[treatment];
    struct system system = system_of(fit);
    double gap[K] = {0}, share[K], errors = fit->within.products[0][0], variance;
    double leverage = 1 / (double)c->n + 1 / (double)t->n;

    for (int i = 0; i < fit->covariates; i++) {
        gap[i] = t->mean[1 + i] - c->mean[1 + i];
        errors -= fit->slope[i] * fit->within.products[0][1 + i];
    }
    if (!not_negative(&errors, fit->within.products[0][0]) || !solve(&system, gap, share))
        return 0;
    for (int i = 0; i < fit->covariates; i++)
        leverage += gap[i] * share[i];
    variance = errors / df * leverage;
    return not_negative(&variance, 1) ? variance : 0;
}

bool adjustment_compare(const struct adjustment *fit, size_t control, size_t treatment,
                        double alpha, struct test_result *result, struct optional_number *reduction)
{
    const struct adjustment_arm *c = &fit->arms[control], *t = &fit->arms[treatment];
    double df = (double)(fit->total - fit->arms_used - fit->rank), plain, variance;
    struct mean_comparison means = {.standard_error = 1, .df = df};

    *reduction = (struct optional_number){0};
    if (c->n < 2 || t->n < 2 || df <= 0)
        return false;
    plain = c->products[0][0] / (double)(c->n - 1) / (double)c->n +
            t->products[0][0] / (double)(t->n - 1) / (double)t->n;
    if (fit->rank == 0) {
        if (!compare_plain(fit, control, treatment, alpha, result))
            return false;
        variance = plain;
    } else {
        double before = adjustment_mean(fit, control), after = adjustment_mean(fit, treatment);

        variance = error_variance(fit, control, treatment, df);
        if (variance == 0)
            return false;
        means.difference = after - before;
        means.scale = sqrt(variance);
        mean_comparison_test(&means, before, after, alpha, result);
    }
    if (plain > 0)
        *reduction = GIVEN_NUMBER(100 * (1 - variance / plain));
    if (reduction->value > 100 && reduction->value <= 100 + 1e-6)
        reduction->value = 100;
    return true;
}

void adjustment_difference(const struct adjustment *fit, size_t control, size_t treatment,
                           double *difference, double *variance)
{
    const size_t pair[] = {control, treatment};

    *difference = adjustment_mean(fit, treatment) - adjustment_mean(fit, control);
    *variance = 0;
    for (int i = 0; i < 2; i++) {
        double deviation = adjustment_deviation(fit, pair[i]);

        *variance += deviation * deviation / (double)fit->arms[pair[i]].n;
    }
}
