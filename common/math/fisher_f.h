/*
 * Fisher's F distribution with real degrees of freedom: df1 f / (df1 f + df2) follows
 * Beta(df1/2, df2/2), see beta.h. Below f = 0 the cdf is 0. NaN for degrees of freedom that are not
 * positive and finite, for NaN arguments and for probabilities outside 0..1.
 */
#ifndef ASSAY_MATH_FISHER_F_H
#define ASSAY_MATH_FISHER_F_H

double fisher_f_density(double f, double df1, double df2);

/* P(F <= f) and P(F > f), each computed directly. */
double fisher_f_cdf(double f, double df1, double df2);
double fisher_f_survival(double f, double df1, double df2);

/* The f with P(F <= f) = p, and the f with P(F > f) = q. */
double fisher_f_quantile(double p, double df1, double df2);
double fisher_f_upper_quantile(double q, double df1, double df2);

#endif
