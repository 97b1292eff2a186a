/* Weighted sums over strata. */
#include "stats/stratified.h"

#include "math/normal.h"
#include "stats/two_sample_internal.h"

#include <math.h>

double stratum_arm_variance(const struct stratum_arm *arm)
{
    double n = (double)arm->n;

    if (arm->n < 2)
        return 0;
    return fmax(arm->squares, 0) / (arm->is_rate ? n : n - 1) / n;
}

struct stratum_arm stratum_arm_pool(const struct stratum_arm *one, const struct stratum_arm *other)
{
    struct stratum_arm pool = *one;
    double total = (double)(one->n + other->n), gap = other->mean - one->mean;

    if (other->n == 0 || one->n == 0)
        return one->n ? *one : *other;
    pool.n += other->n;
    pool.mean += gap * ((double)other->n / total);
    pool.squares += other->squares + gap * gap * ((double)one->n * ((double)other->n / total));
    return pool;
}

static void add_up(struct stratum_pair *strata, size_t count, struct stratified_result *result,
                   double *variance)
{
    double total = 0;

    for (size_t i = 0; i < count; i++) {
        strata[i].contributes = strata[i].control.n >= 2 && strata[i].treatment.n >= 2;
        if (!strata[i].contributes)
            continue;
        strata[i].effect = strata[i].treatment.mean - strata[i].control.mean;
        total += (double)(strata[i].control.n + strata[i].treatment.n);
        result->strata++;
    }
    *variance = 0;
    for (size_t i = 0; i < count; i++) {
        double weight = (double)(strata[i].control.n + strata[i].treatment.n) / total;

        if (!strata[i].contributes)
            continue;
        result->effect += weight * strata[i].effect;
        *variance +=
            weight * weight *
            (stratum_arm_variance(&strata[i].control) + stratum_arm_variance(&strata[i].treatment));
    }
}

static double pooled_variance(const struct stratum_pair *strata, size_t count, double *effect)
{
    struct stratum_arm control = {0}, treatment = {0};

    for (size_t i = 0; i < count; i++) {
        if (!strata[i].contributes)
            continue;
        control = stratum_arm_pool(&control, &strata[i].control);
        treatment = stratum_arm_pool(&treatment, &strata[i].treatment);
    }
    *effect = treatment.mean - control.mean;
    return stratum_arm_variance(&control) + stratum_arm_variance(&treatment);
}

void stratified_test(struct stratum_pair *strata, size_t count, double alpha,
                     struct stratified_result *result)
{
    double variance, pooled, half;

    *result = (struct stratified_result){.level = 1 - alpha};
    add_up(strata, count, result, &variance);
    if (result->strata == 0 || !(variance > 0 && isfinite(variance)))
        return;
    result->defined = true;
    result->standard_error = sqrt(variance);
    result->statistic = result->effect / result->standard_error;
    result->p_value = probability_value(2 * normal_survival(fabs(result->statistic)));
    half = normal_upper_quantile(alpha / 2) * result->standard_error;
    result->lower = result->effect - half;
    result->upper = result->effect + half;
    result->is_significant = result->p_value < alpha;
    pooled = pooled_variance(strata, count, &result->pooled_effect);
    if (pooled > 0)
        result->variance_reduction_pct = GIVEN_NUMBER(100 * (1 - variance / pooled));
}
