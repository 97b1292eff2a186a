/*
 * The values of one arm in ascending order, and statistics of them: quantiles, the mean and its
 * spread, and the k-th smallest difference between two arms. Results stay in the range of doubles
 * for any finite values.
 */
#ifndef ASSAY_STATS_SAMPLE_H
#define ASSAY_STATS_SAMPLE_H

#include "base/arena.h"
#include "base/optional.h"

/* `sorted` belongs to the arena that made it. */
struct sample {
    size_t count;
    const double *sorted;
};

/* Ascending order; scratch comes from the arena. */
void sample_sort_values(double *values, size_t count, struct arena *arena);

struct sample sample_sort(const struct number_list *values, struct arena *arena);

/* A power of two near the largest magnitude of the values: values divided by it can be squared and
 * summed; 1 when all are 0. */
double sample_unit(const struct sample *sample);

/* The same for a known largest magnitude. */
double sample_unit_near(double largest);

/* The quantile by linear interpolation at position q (n - 1), as in numpy and R's type 7; q in
 * 0..1. A sample must not be empty. */
double sample_quantile(const struct sample *sample, double q);

/* a for share 0, b for share 1, exactly a where they are equal. */
double sample_interpolate(double a, double b, double share);

/* The mean of values whose sum stays in range. */
double sample_mean(const double *values, size_t count);

struct sample_moments {
    double mean;
    double rest;      /* the rounding error of the mean */
    double deviation; /* divisor n - 1; exactly 0 when all values are equal, NaN for one
                         value, infinite where it passes the largest double */
};

struct sample_moments sample_moments(const struct sample *sample, struct arena *arena);

/* The rank-th smallest of all treatment - control differences, for up to four ranks, 1 <= rank <= n
 * m; infinite where it exceeds the largest double. The differences are not stored: each probe
 * counts those up to a double in n + m steps (order_search.h). */
void sample_differences(const struct sample *control, const struct sample *treatment,
                        const int64_t *ranks, size_t rank_count, double *differences);

/* The rank-th smallest sum of two values, a value and itself included, for up to four ranks, 1 <=
 * rank <= n (n + 1) / 2: twice Walsh averages. The values must be small enough that no sum exceeds
 * the largest double. */
void sample_pair_sums(const struct sample *sample, const int64_t *ranks, size_t rank_count,
                      double *sums);

#endif
