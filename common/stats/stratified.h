/* Post-stratification: a difference estimated per stratum and combined by the strata's sizes
 * (Miratrix, Sekhon and Yu 2013). */
#ifndef ASSAY_STATS_STRATIFIED_H
#define ASSAY_STATS_STRATIFIED_H

#include "base/optional.h"

/* An arm within a stratum: its number of users, their mean and the sum of squares about it. For
 * rates the mean is the rate, and the sum of squares is n p (1 - p). */
struct stratum_arm {
    int64_t n;
    double mean;
    double squares;
    bool is_rate; /* the variance divides by n, else by n - 1 */
};

struct stratum_pair {
    struct stratum_arm control, treatment;
    bool contributes; /* output: both arms have two users */
    double effect;    /* output */
};

struct stratified_result {
    bool defined; /* a stratum contributes and the variance is positive */
    int64_t strata;
    double pooled_effect; /* of the same users without strata */
    double effect, standard_error, statistic, p_value, lower, upper, level;
    bool is_significant;
    struct optional_number variance_reduction_pct; /* relative to the same users without strata */
};

/* Variance of the mean of an arm; 0 for fewer than two users. */
double stratum_arm_variance(const struct stratum_arm *arm);

/* Combines two arms. */
struct stratum_arm stratum_arm_pool(const struct stratum_arm *one, const struct stratum_arm *other);

void stratified_test(struct stratum_pair *strata, size_t count, double alpha,
                     struct stratified_result *result);

#endif
