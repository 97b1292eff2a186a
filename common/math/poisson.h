/*
 * The Poisson distribution: a count k with the given mean. NaN unless the mean lies in
 * 0..2^52; k may be any integer. Mass by Loader (2000), sums by the incomplete gamma function.
 */
#ifndef ASSAY_MATH_POISSON_H
#define ASSAY_MATH_POISSON_H

#include <stdint.h>

/* P(K = k) and its logarithm. */
double poisson_pmf(int64_t k, double mean);
double poisson_log_pmf(int64_t k, double mean);

/* P(K <= k) and P(K > k), each computed directly. */
double poisson_cdf(int64_t k, double mean);
double poisson_survival(int64_t k, double mean);

/* The smallest k with P(K <= k) >= probability, where a shortfall within rounding (1e-14 of the
 * smaller tail, or the last bit of the probability) counts as reached. Infinite for
 * probability 1. */
double poisson_quantile(double probability, double mean);

#endif
