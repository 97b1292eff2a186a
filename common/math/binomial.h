/*
 * The binomial distribution: k successes in n trials that each succeed with probability p. NaN
 * unless 0 <= n <= 2^53 and p lies in 0..1; k may be any integer.
 *
 * The mass is Loader's saddle-point form (2000, "Fast and accurate computation of binomial
 * probabilities"), the sums are incomplete beta functions; no function loops over k.
 */
#ifndef ASSAY_MATH_BINOMIAL_H
#define ASSAY_MATH_BINOMIAL_H

#include <stdint.h>

/* P(K = k) and its logarithm. */
double binomial_pmf(int64_t k, int64_t n, double p);
double binomial_log_pmf(int64_t k, int64_t n, double p);

/* P(K <= k) and P(K > k), each computed directly. */
double binomial_cdf(int64_t k, int64_t n, double p);
double binomial_survival(int64_t k, int64_t n, double p);

/* The smallest k with P(K <= k) >= probability, where a shortfall within rounding (1e-14 of the
 * smaller tail, or the last bit of the probability) counts as reached. Returns a double, so that it
 * can be NaN. */
double binomial_quantile(double probability, int64_t n, double p);

#endif
