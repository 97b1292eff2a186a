/*
 * The gamma distribution with unit scale, that is the regularised incomplete gamma functions
 * P(shape, x) and Q(shape, x). Below x = 0 the cdf is 0. NaN unless the shape is positive and
 * finite, for NaN arguments and for probabilities outside 0..1.
 *
 * Methods: power series (DLMF 8.11.4) below the mean, Legendre's continued fraction (DLMF 8.9.2)
 * above it, Gauss-Legendre quadrature on the log scale for large shapes, and for the factor x^a
 * e^-x / Gamma(a) the saddle-point form of Loader (2000).
 */
#ifndef ASSAY_MATH_GAMMA_H
#define ASSAY_MATH_GAMMA_H

double gamma_density(double x, double shape);

/* P(shape, x) = P(X <= x), and Q(shape, x) = P(X > x), each computed directly. */
double gamma_cdf(double x, double shape);
double gamma_survival(double x, double shape);

/* The x with P(X <= x) = p, and the x with P(X > x) = q. */
double gamma_quantile(double p, double shape);
double gamma_upper_quantile(double q, double shape);

#endif
