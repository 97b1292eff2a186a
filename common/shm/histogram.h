/*
 * Private to common/shm: log-linear buckets of durations, sixteen to each power of two, so that a
 * bucket is at most 6.25 % wide and a quantile at most 3.2 % off. Values are microseconds; those
 * above HISTOGRAM_VALUE_MAX (71 minutes) count in the last bucket.
 */
#ifndef ASSAY_SHM_HISTOGRAM_H
#define ASSAY_SHM_HISTOGRAM_H

#include "shm/metrics.h"

#include <stdint.h>

#define HISTOGRAM_VALUE_MAX UINT32_MAX

enum { HISTOGRAM_BUCKETS = METRIC_TIME_BUCKETS };

/* The index of the bucket that counts a value. */
unsigned histogram_bucket(uint64_t value);

/* The middle of the range of the bucket. */
double histogram_middle(unsigned bucket);

#endif
