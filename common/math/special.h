/*
 * Special functions that the distributions use, each written to avoid cancellation. All are
 * thread-safe; an argument outside the stated domain gives NaN.
 */
#ifndef ASSAY_MATH_SPECIAL_H
#define ASSAY_MATH_SPECIAL_H

#include "math/pair.h"

#include <stdint.h>

/* ln |Gamma(x)| for real x, without the global sign that lgamma writes; +infinity at the poles. */
double log_gamma(double x);

/* ln Gamma(x + delta) - ln Gamma(x) for x > 0 and x + delta > 0. The error stays small against
 * delta, also where both logarithms are large and close together. */
double log_gamma_ratio(double x, double delta);

/* ln B(a, b) for a, b > 0. */
double log_beta(double a, double b);

/* ln n! for n >= 0: from a table up to 127. */
double log_factorial(int64_t n);

/* ln C(n, k) for 0 <= k <= n; exactly 0 for k = 0 and k = n. */
double log_choose(int64_t n, int64_t k);

/* 1/3 + z/5 + z^2/7 + ... for 0 <= z <= 1/9: atanh(r) = r + r^3 atanh_series(r^2). */
double atanh_series(double z);

/* The first ten terms for two z at once, computed independently: accurate up to ATANH_SMALL. */
#define ATANH_SMALL 0.03
static inline pair atanh_series_small(pair z)
{
    pair z2 = z * z, z4 = z2 * z2;

    return (1.0 / 3 + z * (1.0 / 5)) + z2 * (1.0 / 7 + z * (1.0 / 9)) +
           z4 * ((1.0 / 11 + z * (1.0 / 13)) + z2 * (1.0 / 15 + z * (1.0 / 17))) +
           z4 * z4 * (1.0 / 19 + z * (1.0 / 21));
}

/* ln(1 + x) - x for x > -1. */
double log1p_minus(double x);

/* e^x - 1 - x. */
double expm1_minus(double x);

/* The remainder of Stirling's formula: ln Gamma(x + 1) - (x + 1/2) ln x + x - ln(2 pi) / 2, x > 0
 * (Loader 2000 calls it delta). */
double stirling_error(double x);

/* The logarithm of the Poisson mass mean^count e^-mean / count! for a real count >= 0 and a mean
 * > 0. `excess` is mean - count, which the caller knows without cancellation. Products of such
 * masses make up the binomial and the hypergeometric distribution (Loader 2000). */
double log_poisson_mass(double count, double mean, double excess);

#endif
