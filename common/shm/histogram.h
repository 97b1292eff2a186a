/*
 * Latency histograms of a family of workers: log-linear buckets, sixteen to each power of two, so
 * that a bucket is at most 6.25 % wide and a quantile at most 3.2 % off. Values are microseconds;
 * those above HISTOGRAM_VALUE_MAX (71 minutes) count in the last bucket. Recording is lock-free.
 *
 * The caller names histograms by an enum of its own, as with counters; an index out of range
 * aborts.
 */
#ifndef ASSAY_SHM_HISTOGRAM_H
#define ASSAY_SHM_HISTOGRAM_H

#include "shm/region.h"

#define HISTOGRAM_VALUE_MAX UINT32_MAX

enum {
    HISTOGRAMS_MAX = 8, /* histograms in each family */
    HISTOGRAM_BUCKETS = 464
};

void histogram_record(struct shm_family *family, unsigned histogram, uint64_t microseconds);

/* A copy to compute with. Zero it, then add what it shall hold; adding twice merges. 3.7 kB. */
struct histogram_view {
    uint64_t count;
    uint64_t sum; /* microseconds */
    uint64_t max; /* microseconds; 0 when count is 0 */
    uint64_t buckets[HISTOGRAM_BUCKETS];
};

void histogram_add_family(struct histogram_view *view, const struct shm_family *family,
                          unsigned histogram);
void histogram_add_all(struct histogram_view *view, const struct shm_region *region,
                       unsigned histogram);

/* The value that a share `q` (0 to 1) of the recorded values does not pass, in microseconds; the
 * largest value recorded for q = 1. -1 when nothing has been recorded. */
double histogram_quantile(const struct histogram_view *view, double q);

/* Mean in microseconds, exact; -1 when nothing has been recorded. */
double histogram_mean(const struct histogram_view *view);

/* How many values are at most `microseconds`, as cumulative metric buckets want it. The bucket in
 * which the bound lies counts in full, so the bound is up to 6.25 % larger than said. */
uint64_t histogram_count_at_most(const struct histogram_view *view, uint64_t microseconds);

#endif
