/*
 * The chi-square distribution with real degrees of freedom: twice a Gamma(df / 2) variable, see
 * gamma.h. Below x = 0 the cdf is 0. NaN for df <= 0 or infinite, for NaN arguments and for
 * probabilities outside 0..1.
 */
#ifndef ASSAY_MATH_CHI_SQUARE_H
#define ASSAY_MATH_CHI_SQUARE_H

double chi_square_density(double x, double df);

/* P(X <= x) and P(X > x), each computed directly. */
double chi_square_cdf(double x, double df);
double chi_square_survival(double x, double df);

/* The x with P(X <= x) = p, and the x with P(X > x) = q. */
double chi_square_quantile(double p, double df);
double chi_square_upper_quantile(double q, double df);

#endif
