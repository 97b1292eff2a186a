/*
 * Power of the tests that /results runs, for given arms: the probability that p < alpha on either
 * side. Computed by enumeration or numerical integration; the first sizes come from formulas.
 * fisher_exact_power() in sizing.h belongs to this file's functions. Private to
 * common/experiments/design.
 */
#ifndef ASSAY_EXPERIMENTS_DESIGN_EXACT_POWER_H
#define ASSAY_EXPERIMENTS_DESIGN_EXACT_POWER_H

#include <stdint.h>

struct arm_sizes {
    int64_t control, treatment;
};

/* The z-test with the pooled standard error: enumerates all tables. The number of steps is of the
 * order of the standard deviation of the conversions. */
double pooled_z_power(double control_rate, double treatment_rate, struct arm_sizes arms,
                      double alpha);

/* The same for large arms of equal size, in constant time, and a bound of the difference. It omits
 * the sawtooth of the exact power. */
double pooled_z_smooth_power(double control_rate, double treatment_rate, int64_t users,
                             double alpha);
double pooled_z_lattice_bound(double control_rate, double treatment_rate, int64_t users,
                              double alpha);

/* The conditional binomial test of two counts with equal exposure: enumerates all totals. The means
 * are those of the arms' counts. The number of steps is of the order of the root of the total. */
double conditional_count_power(double control_mean, double treatment_mean, double alpha);

/* Fisher's test for arms of any sizes, and the conditional test of two counts for any share of the
 * exposure: p is the sum over outcomes that are not more likely than the observed one. The number
 * of steps is of the order of the standard deviation of the total; each step evaluates a
 * distribution several times. */
double fisher_unequal_power(double control_rate, double treatment_rate, struct arm_sizes arms,
                            double alpha);
double count_unequal_power(double control_mean, double treatment_mean, double control_share,
                           double alpha);

/* Welch's t-test of normal data with a common standard deviation, the means `shift` standard
 * deviations apart. Integrates over the two sample variances, which decide the degrees of freedom.
 * Arms have at least 2 users. */
double welch_power(double shift, struct arm_sizes arms, double alpha);

/* The same data in a test with a standard error taken as known: the delta method's z-test of a
 * ratio, where `shift` is in standard deviations of numerator - R * denominator. */
double estimated_z_power(double shift, struct arm_sizes arms, double alpha);

/* Two one-sided Welch tests at no difference; the margin is in standard deviations. */
double equivalence_power(double margin, struct arm_sizes arms, double alpha);

/* Parameters of the power of the Mann-Whitney test when both arms are normal, `shift` standard
 * deviations apart; they do not depend on the sizes of the arms. */
struct rank_alternative {
    double shift;
    double superiority;  /* P(X < Y) */
    double square, cube; /* second and third central moments of P(X < y); P(x < Y) has the same */
    double path;         /* E 1(X < Y) (P(x' < Y) - superiority) (P(X < y') - superiority) */
};

struct rank_alternative rank_alternative(double shift);

/* Up to 20 users in total, sums over the orders on a grid of 0.2 standard deviations. Beyond, uses
 * a beta distribution with the mean and variance of U, corrected for its skewness: within half a
 * percentage point where the power is above one half. p-values are those of rank_sum.h. */
double rank_sum_power(const struct rank_alternative *alternative, struct arm_sizes arms,
                      double alpha);

#endif
