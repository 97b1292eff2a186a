/*
 * Means of several columns and the sums of products about them, collected row by row in batches
 * that are merged (Chan, Golub and LeVeque 1983). Values should be near 0: subtract something close
 * to their mean first.
 */
#ifndef ASSAY_STATS_CO_MOMENTS_H
#define ASSAY_STATS_CO_MOMENTS_H

#include <stdint.h>

enum { CO_MOMENTS_MAX = 22, CO_MOMENTS_BATCH = 128 };

struct co_moments {
    int64_t n;
    int columns;
    double mean[CO_MOMENTS_MAX];
    double products[CO_MOMENTS_MAX][CO_MOMENTS_MAX]; /* symmetric */
};

/* Adds the rows of `part`, which has the same columns, to `all`. */
void co_moments_merge(struct co_moments *all, const struct co_moments *part);

/* Starts zeroed, but for total.columns. */
struct co_moments_stream {
    struct co_moments total;
    int waiting; /* rows that are not in the total yet */
    double rows[CO_MOMENTS_BATCH][CO_MOMENTS_MAX];
};

/* Adds a row of total.columns values. */
void co_moments_push(struct co_moments_stream *stream, const double *row);

/* Adds the waiting rows to the total; call it after the last row. */
void co_moments_flush(struct co_moments_stream *stream);

#endif
