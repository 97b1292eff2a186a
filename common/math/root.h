/*
 * The root of a function of one variable inside a bracket, by Chandrupatla's method (1997): inverse
 * quadratic interpolation where that is safe, bisection where it is not.
 */
#ifndef ASSAY_MATH_ROOT_H
#define ASSAY_MATH_ROOT_H

/* At most this many evaluations beyond the two ends; bisection alone would need about 60 for a
 * bracket of ordinary size. */
enum { ROOT_ITERATIONS_MAX = 200 };

/* An x in [low, high] (given in either order) with function(x) = 0, to within `tolerance` absolute
 * plus four units in the last place of x. `context` is passed to the function. NaN when the values
 * at the two ends have the same sign, when an end or a value is NaN, or when the iteration limit is
 * reached. A bracket end that is a root is returned as it is. */
double root_find(double (*function)(double x, const void *context), const void *context, double low,
                 double high, double tolerance);

#endif
