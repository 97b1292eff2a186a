/*
 * Whether estimates that depend on each other rise or fall along a line: effects by days since the
 * exposure, for example, which the same users have.
 */
#ifndef ASSAY_STATS_CONTRASTS_TREND_H
#define ASSAY_STATS_CONTRASTS_TREND_H

#include <stdbool.h>
#include <stddef.h>

enum { TREND_POINTS_MAX = 32 };

struct trend_points {
    size_t count; /* 2 to TREND_POINTS_MAX */
    double x[TREND_POINTS_MAX], estimate[TREND_POINTS_MAX];
    double covariance[TREND_POINTS_MAX][TREND_POINTS_MAX];
};

struct trend {
    double slope, intercept;
    double standard_error; /* of the slope */
    double ci_lower, ci_upper;
    double p_value; /* two-sided */
};

/*
 * The line of weighted least squares, with the weight 1 / variance of each estimate, and the
 * variance of its slope by the whole covariance (a sandwich: the weights need not be the best
 * ones). Normal test and interval at the confidence 1 - `level`. False when a variance is not
 * positive, or all x are the same.
 */
bool trend_test(const struct trend_points *points, double level, struct trend *result);

#endif
