/*
 * Compensated sums: a double-double accumulator (Knuth's two-sum with the error carried on; Dekker
 * 1971, Ogita, Rump and Oishi 2005) and the mean and variance of an array by two passes.
 */
#ifndef ASSAY_MATH_SUM_H
#define ASSAY_MATH_SUM_H

#include <stddef.h>

/* The running total is high + low, accurate to about 106 bits; start from {0}. */
struct sum {
    double high, low;
};

void sum_add(struct sum *sum, double value);

/* Adds x * y with the rounding of the product kept. */
void sum_add_product(struct sum *sum, double x, double y);

/* Adds another total, for sums built in parts. */
void sum_merge(struct sum *sum, const struct sum *other);

double sum_value(const struct sum *sum);

/* The sum of (x - mean of x)(y - mean of y) from running totals of x y, x and y over `count`
 * values: with y = x, the sum of squares about the mean. Accurate to about 106 bits, less those
 * lost to cancellation. */
double sum_about_means(const struct sum *products, const struct sum *x, const struct sum *y,
                       double count);

/* The compensated total of an array; 0 when it is empty. */
double sum_array(const double *values, size_t count);

/* The plain total of the magnitudes of an array. */
double sum_magnitudes(const double *values, size_t count);

/* A line through a point. */
struct line {
    double x, y, slope;
};

/* The sum of squares of the distances (y_i - y) - slope (x_i - x) about their mean; never negative.
 * The point should be near the middle of the data: values far from 0 then keep their digits. */
double sum_squares_about_line(const double *x, const double *y, size_t count,
                              const struct line *line);

struct moments {
    size_t count;
    double mean;
    double variance; /* the unbiased one, divisor count - 1 */
};

/* Two passes over the array: the mean, then squares about it with the correction for the rounding
 * of the mean (Chan, Golub and LeVeque 1983, eq. 1.7). The mean of an empty array, and the variance
 * of fewer than two values, is NaN. */
struct moments moments_of(const double *values, size_t count);

#endif
