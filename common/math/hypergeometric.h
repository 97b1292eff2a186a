/*
 * The hypergeometric distribution: k marked items among `draws` drawn without replacement from
 * `population` items of which `marked` are marked. NaN unless 0 <= marked, draws <= population; k
 * may be any integer. Populations up to 2^50.
 *
 * The mass is a product of three of Loader's binomial masses (2000), which avoids cancellation; the
 * sums run outward from k by the ratio of neighboring masses and, where that would take many
 * terms, by the Euler-Maclaurin formula.
 */
#ifndef ASSAY_MATH_HYPERGEOMETRIC_H
#define ASSAY_MATH_HYPERGEOMETRIC_H

#include <stdint.h>

/* P(K = k) and its logarithm. */
double hypergeometric_pmf(int64_t k, int64_t population, int64_t marked, int64_t draws);
double hypergeometric_log_pmf(int64_t k, int64_t population, int64_t marked, int64_t draws);

/* P(K <= k) and P(K > k), each computed directly. */
double hypergeometric_cdf(int64_t k, int64_t population, int64_t marked, int64_t draws);
double hypergeometric_survival(int64_t k, int64_t population, int64_t marked, int64_t draws);

/* The smallest k with P(K <= k) >= probability, where a shortfall within rounding (1e-14 of the
 * smaller tail, or the last bit of the probability) counts as reached. */
double hypergeometric_quantile(double probability, int64_t population, int64_t marked,
                               int64_t draws);

#endif
