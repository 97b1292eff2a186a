/*
 * Log-linear histograms. Values below 16 have a bucket each; above, every power of two is cut into
 * sixteen equal buckets, so that the four bits after the leading one choose the bucket.
 */
#include "shm/histogram.h"

#include "shm/layout.h"

#include <math.h>

enum { SUB_BITS = 4, SUB_BUCKETS = 1 << SUB_BITS };

_Static_assert(HISTOGRAM_BUCKETS == (32 - SUB_BITS + 1) * SUB_BUCKETS,
               "buckets reach up to HISTOGRAM_VALUE_MAX");

static unsigned bucket_of(uint64_t value)
{
    unsigned shift;

    if (value < SUB_BUCKETS)
        return (unsigned)value;
    if (value > HISTOGRAM_VALUE_MAX)
        value = HISTOGRAM_VALUE_MAX;
    shift = 63 - (unsigned)__builtin_clzll(value) - SUB_BITS;
    return shift * SUB_BUCKETS + (unsigned)(value >> shift);
}

/* The middle of the values that the bucket holds. */
static double bucket_middle(unsigned bucket)
{
    unsigned shift = bucket < 2 * SUB_BUCKETS ? 0 : bucket / SUB_BUCKETS - 1;
    double lowest = (double)((uint64_t)(bucket - shift * SUB_BUCKETS) << shift);

    return lowest + (double)((UINT64_C(1) << shift) - 1) / 2;
}

void histogram_record(struct shm_family *family, unsigned histogram, uint64_t microseconds)
{
    shm_check_index("histogram", histogram, HISTOGRAMS_MAX);
    struct histogram_cell *cell = &family->histograms[histogram];
    uint64_t known = atomic_load_explicit(&cell->max, memory_order_relaxed);

    atomic_fetch_add_explicit(&cell->buckets[bucket_of(microseconds)], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&cell->sum, microseconds, memory_order_relaxed);
    while (known < microseconds &&
           !atomic_compare_exchange_weak_explicit(&cell->max, &known, microseconds,
                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
}

void histogram_add_family(struct histogram_view *view, const struct shm_family *family,
                          unsigned histogram)
{
    shm_check_index("histogram", histogram, HISTOGRAMS_MAX);
    const struct histogram_cell *cell = &family->histograms[histogram];
    uint64_t max = atomic_load_explicit(&cell->max, memory_order_relaxed);

    view->max = max > view->max ? max : view->max;
    view->sum += atomic_load_explicit(&cell->sum, memory_order_relaxed);
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        uint64_t count = atomic_load_explicit(&cell->buckets[i], memory_order_relaxed);

        view->buckets[i] += count;
        view->count += count;
    }
}

void histogram_add_all(struct histogram_view *view, const struct shm_region *region,
                       unsigned histogram)
{
    size_t count = shm_family_count(region);

    for (size_t i = 0; i < count; i++)
        histogram_add_family(view, shm_family_at(region, i), histogram);
}

double histogram_quantile(const struct histogram_view *view, double q)
{
    double rank = fmax(1, ceil(fmin(q, 1) * (double)view->count));
    uint64_t passed = 0;

    if (view->count == 0)
        return -1;
    if (rank >= (double)view->count)
        return (double)view->max;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        passed += view->buckets[i];
        if ((double)passed >= rank)
            return fmin(bucket_middle(i), (double)view->max);
    }
    return (double)view->max;
}

double histogram_mean(const struct histogram_view *view)
{
    return view->count ? (double)view->sum / (double)view->count : -1;
}

uint64_t histogram_count_at_most(const struct histogram_view *view, uint64_t microseconds)
{
    unsigned last = bucket_of(microseconds);
    uint64_t count = 0;

    for (unsigned i = 0; i <= last; i++)
        count += view->buckets[i];
    return count;
}
