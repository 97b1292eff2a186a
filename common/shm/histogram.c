/*
 * Log-linear histograms. Each value below 16 has its own bucket; above, every power of two is
 * divided into sixteen equal buckets, so that the four bits after the leading one choose the
 * bucket.
 */
#include "shm/histogram.h"

enum { SUB_BITS = 4, SUB_BUCKETS = 1 << SUB_BITS };

_Static_assert(HISTOGRAM_BUCKETS == (32 - SUB_BITS + 1) * SUB_BUCKETS,
               "buckets reach up to HISTOGRAM_VALUE_MAX");

unsigned histogram_bucket(uint64_t value)
{
    unsigned shift;

    if (value < SUB_BUCKETS)
        return (unsigned)value;
    if (value > HISTOGRAM_VALUE_MAX)
        value = HISTOGRAM_VALUE_MAX;
    shift = 63 - (unsigned)__builtin_clzll(value) - SUB_BITS;
    return shift * SUB_BUCKETS + (unsigned)(value >> shift);
}

double histogram_middle(unsigned bucket)
{
    unsigned shift = bucket < 2 * SUB_BUCKETS ? 0 : bucket / SUB_BUCKETS - 1;
    double lowest = (double)((uint64_t)(bucket - shift * SUB_BUCKETS) << shift);

    return lowest + (double)((UINT64_C(1) << shift) - 1) / 2;
}
