/*
 * Private to common/math: functions that the continuous distributions share: both tails at a point,
 * the quadrature for large parameters, and the inversion of a tail.
 *
 * All use a coordinate w on which the density is log-concave: w = ln x for the gamma distribution,
 * w = ln(x / (1 - x)) for the beta distribution. There the logarithm of a tail is concave, so that
 * Newton-like steps converge.
 */
#ifndef ASSAY_MATH_TAILS_H
#define ASSAY_MATH_TAILS_H

#include <stdbool.h>
#include <stdint.h>

struct tails {
    double lower, upper; /* P(X <= x), P(X > x) */
    double rate;         /* the density on the w scale */
    double slope;        /* d ln(rate) / dw */
};

/* A point of Beta(a, b). The smaller of x and y = 1 - x determines the accuracy; lambda is a y - b
 * x = a - (a + b) x, free of cancellation. */
struct beta_point {
    double a, b;
    double x, y;
    double lambda;
};

struct beta_point beta_point_at(double x, double a, double b);

/* For 0 < x < 1. */
struct tails beta_tails(const struct beta_point *point);

/* ln(x / (1 - x)) of the x with P(X <= x) = lower and P(X > x) = upper; the smaller of the two
 * determines the accuracy. Infinite where it is 0. */
double beta_logit_quantile(double lower, double upper, double a, double b);

/* The same, searched from `start`, for a caller that has a better initial value; neither tail is
 * 0. */
double beta_logit_quantile_near(double start, double lower, double upper, double a, double b);

/* For x > 0 finite. */
struct tails gamma_tails(double x, double shape);

/* An initial value for the inversion: roughly ln of the x with P(X > x) = upper for a shape <=
 * 1. */
double gamma_small_shape_start(double upper, double shape);

/* The integral of exp(log_ratio(v)) over v from 0 towards `reach` (of either sign) until the rest
 * is negligible; log_ratio(0) = 0, and it falls in that direction. `reach` is a first guess of
 * where log_ratio passes -40. */
double tails_integrate(double (*log_ratio)(double v, const void *context), const void *context,
                       double reach);

/* The w at which the smaller of `lower` and `upper` is reached, found from `start`. */
double tails_solve(struct tails (*at)(double w, const void *context), const void *context,
                   double start, double lower, double upper);

/* The smallest count in [low, high] for which reached(count) holds. reached() must hold at `high`,
 * and for all counts above one for which it holds. The search begins at `guess` and widens from
 * there; counts up to 2^53. */
int64_t tails_search(bool (*reached)(int64_t count, const void *context), const void *context,
                     double guess, int64_t low, int64_t high);

/* A first guess of a discrete quantile: Cornish and Fisher (1938) with one term. `bend` is the
 * skewness times the standard deviation. */
double tails_count_guess(double mean, double variance, double bend, double probability);

/* The bounds at which a sum counts as having reached a probability. They are slightly relaxed, so
 * that the rounding of the sum, or of a probability such as 0.9999 and its complement, does not
 * move a quantile by one. */
double tails_relaxed_lower(double lower);
double tails_relaxed_upper(double upper);

bool is_probability(double p);

#endif
