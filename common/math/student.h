/*
 * Student's t distribution with real degrees of freedom. From df = 1e6 on, and for df = infinity,
 * it is the standard normal distribution. NaN for df <= 0, for NaN arguments and for probabilities
 * outside 0..1.
 *
 * Source: t^2 / (df + t^2) follows Beta(1/2, df/2) (Abramowitz and Stegun 26.7.1); see beta.h.
 */
#ifndef ASSAY_MATH_STUDENT_H
#define ASSAY_MATH_STUDENT_H

double student_density(double t, double df);

/* P(T <= t) and P(T > t), each computed directly. */
double student_cdf(double t, double df);
double student_survival(double t, double df);

/* The t with P(T <= t) = p, and the t with P(T > t) = q. Infinite at 0 and 1, and where the answer
 * passes the largest double (df far below 1 and a tiny probability). */
double student_quantile(double p, double df);
double student_upper_quantile(double q, double df);

#endif
