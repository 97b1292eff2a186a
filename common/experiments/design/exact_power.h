/*
 * The power of the tests that /results runs, at given arms: the probability that p < alpha, to
 * either side, by enumeration or by numerical integration rather than by the formulas that sizes
 * are first taken from. fisher_exact_power() in sizing.h belongs to them. Private to
 * common/experiments/design.
 */
#ifndef ASSAY_EXPERIMENTS_DESIGN_EXACT_POWER_H
#define ASSAY_EXPERIMENTS_DESIGN_EXACT_POWER_H

#include <stdint.h>

struct arm_sizes {
    int64_t control, treatment;
};

/* The z-test on the pooled standard error: all tables. Of the order of the standard deviation of
 * the conversions in steps. */
double pooled_z_power(double control_rate, double treatment_rate, struct arm_sizes arms,
                      double alpha);

/* The same for large arms of one size, in no time that depends on it, and a bound of how far the
 * two are apart: teeth of the saw that the power is, which it leaves out. */
double pooled_z_smooth_power(double control_rate, double treatment_rate, int64_t users,
                             double alpha);
double pooled_z_lattice_bound(double control_rate, double treatment_rate, int64_t users,
                              double alpha);

/* The conditional binomial test of two counts with equal exposure: all totals. The means are those
 * of the arms' counts. Of the order of the root of the total in steps. */
double conditional_count_power(double control_mean, double treatment_mean, double alpha);

/* Fisher's test of arms of any sizes, and the conditional test of two counts with any share of the
 * exposure: outcomes no likelier than the observed one add up to p. Of the order of the standard
 * deviation of the total in steps, each some evaluations of a distribution. */
double fisher_unequal_power(double control_rate, double treatment_rate, struct arm_sizes arms,
                            double alpha);
double count_unequal_power(double control_mean, double treatment_mean, double control_share,
                           double alpha);

/* Welch's t-test of normal data with a common standard deviation, the means `shift` of them apart.
 * Integrates over the two sample variances, which decide the degrees of freedom. Arms of 2 at
 * least. */
double welch_power(double shift, struct arm_sizes arms, double alpha);

/* The same data in a test that takes its standard error for known: the delta method's z-test of a
 * ratio, where `shift` is in standard deviations of numerator - R * denominator. */
double estimated_z_power(double shift, struct arm_sizes arms, double alpha);

/* Two one-sided Welch tests at no difference; the margin in standard deviations. */
double equivalence_power(double margin, struct arm_sizes arms, double alpha);

/* What the power of the Mann-Whitney test depends on when both arms are normal, `shift` standard
 * deviations apart; the same for all sizes of the arms. */
struct rank_alternative {
    double shift;
    double superiority;  /* P(X < Y) */
    double square, cube; /* second and third moment of P(X < y) about it; those of P(x < Y) too */
    double path;         /* E 1(X < Y) (P(x' < Y) - superiority) (P(X < y') - superiority) */
};

struct rank_alternative rank_alternative(double shift);

/* Up to 20 users in all by summing over the orders on a grid of 0.2 standard deviations; beyond,
 * a beta distribution with the mean and variance of U, corrected for its skewness: within half a
 * percentage point where the power is above one half. p-values are those of rank_sum.h. */
double rank_sum_power(const struct rank_alternative *alternative, struct arm_sizes arms,
                      double alpha);

#endif
