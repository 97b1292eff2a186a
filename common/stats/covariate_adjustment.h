/*
 * Means adjusted by pre-experiment covariates: one slope for all arms, estimated from the variation
 * within them (analysis of covariance; CUPED of Deng, Xu, Kohavi and Walker 2013 for a test).
 */
#ifndef ASSAY_STATS_COVARIATE_ADJUSTMENT_H
#define ASSAY_STATS_COVARIATE_ADJUSTMENT_H

#include "stats/two_sample.h"

enum { ADJUSTMENT_COVARIATES_MAX = 10, ADJUSTMENT_ARMS_MAX = 10 };

/* Users of an arm with all covariates: means and the sums of products about them. Variable 0 is the
 * outcome, then the covariates. */
struct adjustment_arm {
    int64_t n;
    double mean[1 + ADJUSTMENT_COVARIATES_MAX];
    double products[1 + ADJUSTMENT_COVARIATES_MAX][1 + ADJUSTMENT_COVARIATES_MAX];
};

struct adjustment {
    const struct adjustment_arm *arms;
    size_t arm_count;
    int covariates;
    int64_t total;                /* users */
    int64_t arms_used;            /* arms with any users */
    int rank;                     /* independent covariates; 0 = no adjustment */
    struct adjustment_arm within; /* pooled sums of products, means over all users */
    double slope[ADJUSTMENT_COVARIATES_MAX];
    struct optional_number variance_reduction_pct; /* over all users together */
};

/* Estimates the slopes. `arms` is borrowed. */
void adjustment_fit(const struct adjustment_arm *arms, size_t arm_count, int covariates,
                    struct adjustment *fit);

double adjustment_mean(const struct adjustment *fit, size_t arm);
double adjustment_deviation(const struct adjustment *fit, size_t arm);

/* The difference of two adjusted means with the t-test of the linear model. False when it cannot be
 * tested: too few users, or no residual variance. `reduction` is the change of the variance
 * relative to the difference of plain means. */
bool adjustment_compare(const struct adjustment *fit, size_t control, size_t treatment,
                        double alpha, struct test_result *result,
                        struct optional_number *reduction);

/* The difference of two adjusted means with the sum of the variances of both arms, whose residuals
 * may differ in size: the variance at many users, which sequences need. Arms of two users or more.
 */
void adjustment_difference(const struct adjustment *fit, size_t control, size_t treatment,
                           double *difference, double *variance);

#endif
