/*
 * The beta distribution, that is the regularised incomplete beta function I_x(a, b). Below x = 0
 * the cdf is 0, above 1 it is 1. NaN unless a and b are positive and finite, for NaN arguments and
 * for probabilities outside 0..1.
 *
 * Four methods are used, each where it is accurate to about 1e-14 (beta_tails() chooses): the power
 * series about 0 for a <= 1, the continued fraction of Didonato and Morris (1992, ACM TOMS 18,
 * 360), Gauss-Legendre quadrature on the logit scale for large a and b, and for the factor x^a y^b
 * / B(a, b) the saddle-point form of Loader (2000).
 */
#ifndef ASSAY_MATH_BETA_H
#define ASSAY_MATH_BETA_H

double beta_density(double x, double a, double b);

/* I_x(a, b) = P(X <= x), and its complement P(X > x), each computed directly. */
double beta_cdf(double x, double a, double b);
double beta_survival(double x, double a, double b);

/* The x with P(X <= x) = p, and the x with P(X > x) = q. */
double beta_quantile(double p, double a, double b);
double beta_upper_quantile(double q, double a, double b);

#endif
