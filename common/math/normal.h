/*
 * The standard normal distribution. Every function is thread-safe and allocates nothing; a NaN
 * argument, or a probability outside 0..1, gives NaN.
 *
 * cdf and survival use erfc with a correction for the rounding of z / sqrt(2), so both tails keep
 * their relative accuracy down to the smallest positive double. Quantiles are algorithm AS 241
 * (Wichura 1988, PPND16).
 */
#ifndef ASSAY_MATH_NORMAL_H
#define ASSAY_MATH_NORMAL_H

double normal_density(double z);

/* P(Z <= z) and P(Z > z). */
double normal_cdf(double z);
double normal_survival(double z);

/* ln P(Z <= z) and ln P(Z > z), also where the probability itself would be 0. */
double normal_log_cdf(double z);
double normal_log_survival(double z);

/* The z with P(Z <= z) = p, and the z with P(Z > z) = q. Infinite at 0 and 1. The upper form keeps
 * its accuracy for small q, where 1 - q would lose it. */
double normal_quantile(double p);
double normal_upper_quantile(double q);

#endif
