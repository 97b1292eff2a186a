/*
 * Two arms whose users come in clusters (shops, classes, cities, slots of a switchback): the
 * difference by least squares with the bias-reduced cluster-robust variance CR2 (Bell and McCaffrey
 * 2002) and Student's t with Satterthwaite degrees of freedom (Pustejovsky and Tipton 2018), under
 * the working model of independent users with one variance. Clusters may lie in one arm or in both.
 */
#ifndef ASSAY_STATS_CLUSTER_ROBUST_H
#define ASSAY_STATS_CLUSTER_ROBUST_H

#include "base/arena.h"
#include "stats/two_sample.h"

enum { CLUSTER_COVARIATES_MAX = 10 };

/* One row per user, or per group of users of one cluster, arm and covariates: its weight is the
 * number of users, its total the sum of their values. A ratio of totals has the denominator as
 * weight and the numerator as total. All lists have `count` items. */
struct cluster_rows {
    size_t count;
    const uint32_t *cluster; /* 0 .. cluster_count - 1 */
    const uint8_t *arm;      /* 0 control, 1 treatment */
    const double *weight;    /* not negative */
    const double *total;
    const double *squares;           /* sums of squared values; NULL when they are not known */
    const double *const *covariates; /* columns */
    size_t covariate_count;          /* at most CLUSTER_COVARIATES_MAX */
    size_t cluster_count;
};

struct cluster_arm {
    int64_t clusters; /* with any weight */
    double weight;    /* users, or the denominator */
    double size_cv;   /* of the clusters' weights, divisor n - 1 */
};

enum cluster_refusal {
    CLUSTER_TESTED,
    CLUSTER_TOO_FEW,    /* an arm has fewer than two clusters */
    CLUSTER_NO_WEIGHT,  /* an arm has no users, or a denominator of 0 */
    CLUSTER_NO_VARIANCE /* nothing varies between clusters beyond rounding */
};

struct cluster_result {
    enum cluster_refusal refusal;
    struct test_result test; /* values are means, adjusted when there are covariates */
    double standard_error;
    struct cluster_arm arms[2];
    int64_t covariates_used; /* those that are no combination of others */
    /* Slope, standard error, degrees of freedom and p of the first covariate, when it is used. */
    struct optional_number slope, slope_error, slope_df, slope_p, slope_lower, slope_upper;
    /* With squares and no covariates: the share of the variance that lies between clusters of an
     * arm (analysis of variance, not below 0), and how many times the variance is that of
     * independent users. */
    struct optional_number icc, design_effect;
};

/* Time: rows * columns^2 + clusters * columns^3. */
void cluster_robust_test(const struct cluster_rows *rows, double alpha, struct arena *arena,
                         struct cluster_result *result);

#endif
