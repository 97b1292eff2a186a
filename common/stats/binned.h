/*
 * Values counted in bins, from which single values can be removed again: 128 bins of equal width
 * between each power of two and the next, so that a bin is at most 1/128 of its values wide. A bin
 * stores the number of its values, their sum and the sum of their squares: results cut at the edge
 * of a bin are exact; a quantile is as accurate as its bin is narrow.
 */
#ifndef ASSAY_STATS_BINNED_H
#define ASSAY_STATS_BINNED_H

#include "math/sum.h"

#include <stdbool.h>
#include <stdint.h>

/* Indexes go from -BINNED_LAST to BINNED_LAST in the order of values; 0 holds zeros only. The first
 * bin also holds magnitudes below 2^-20, the last those above 2^40. */
enum { BINNED_LAST = 60 * 128 + 1 };

int64_t binned_index(double value);

/* The ends of a bin; infinite beyond the outermost ones. */
struct binned_edges {
    double lower, upper;
};
struct binned_edges binned_edges(int64_t index);

struct binned_cell {
    int64_t index;
    int64_t count;
    struct sum sum, squares;
};

/* Between which ends the values of a cell lie: the edges of its bin, or twice the one value that
 * all of them have. */
struct binned_edges binned_cell_ends(const struct binned_cell *cell);

/* Cells in ascending order; `total` is the sum of their counts. */
struct binned_sample {
    size_t count;
    struct binned_cell *cells;
    int64_t total;
};

/* The upper edge of the bin that holds the value of rank ceil(share x total) of all samples
 * together, 0 for zeros. False when there is none, or it lies beyond the last edge. */
bool binned_cap(const struct binned_sample *samples, size_t count, double share, double *cap);

/* Mean and sum of squares about it of min(value, cap), exact; `cap` is a result of binned_cap(). */
struct binned_moments {
    double mean, squares;
};
struct binned_moments binned_capped_moments(const struct binned_sample *sample, double cap);

/*
 * The value of rank ceil(share x total), by linear interpolation within its bin unless all values
 * of the bin are equal, and its standard error from the width of the binomial interval of its rank
 * (Woodruff 1952) for the two-sided normal quantile `z`. False when that interval exceeds the
 * sample, or fewer than ten values lie on one side.
 */
struct binned_quantile {
    double value, error;
};
bool binned_quantile(const struct binned_sample *sample, double share, double z,
                     struct binned_quantile *quantile);

#endif
