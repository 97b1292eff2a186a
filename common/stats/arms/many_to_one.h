/*
 * Several treatments against one control (Dunnett 1955): the joint law of their t statistics, which
 * share the control and the estimate of the variance. Normal Z_j with correlations lambda_i
 * lambda_j over one S, where df S^2 follows chi-square.
 */
#ifndef ASSAY_STATS_ARMS_MANY_TO_ONE_H
#define ASSAY_STATS_ARMS_MANY_TO_ONE_H

#include <stdbool.h>
#include <stddef.h>

enum { MANY_TO_ONE_MAX = 9 };

struct many_to_one {
    size_t count; /* treatments, 1 .. MANY_TO_ONE_MAX */
    double lambda[MANY_TO_ONE_MAX];
    double df; /* infinite = normal */
};

/* The lambda of a treatment from the variances of the two estimates: the share of the control's
 * variance in that of the difference, as a root. */
double many_to_one_lambda(double control_variance, double treatment_variance);

/* A bound of Z_j: slope * S + offset. A statistic (Z_j + d) / S passes c where Z_j >= c S - d. An
 * infinite slope is no bound. */
struct many_to_one_bound {
    double slope, offset;
};

/* P(low_j <= Z_j <= high_j for every j). Gauss-Legendre over the control's deviate, and over S;
 * within 1e-9 for df of 2 and more. */
double many_to_one_probability(const struct many_to_one *law, const struct many_to_one_bound *low,
                               const struct many_to_one_bound *high);

/* The c that the largest statistic (by magnitude if two-sided) passes with probability alpha, when
 * no treatment has an effect. */
double many_to_one_critical(const struct many_to_one *law, double alpha, bool two_sided);

/* The probability that the largest statistic passes t: the single-step adjusted p-value. */
double many_to_one_p_value(const struct many_to_one *law, double t, bool two_sided);

#endif
