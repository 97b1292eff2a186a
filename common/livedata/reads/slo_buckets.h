/*
 * What a service level was measured by, in buckets of equal length: once they are read, the good
 * share of every window that is made of buckets is known without another look at the database.
 * Private to slo.c and slo_series.c.
 */
#ifndef ASSAY_LIVEDATA_READS_SLO_BUCKETS_H
#define ASSAY_LIVEDATA_READS_SLO_BUCKETS_H

#include "livedata/reads/slo.h"

/* Of what was counted: of latency and of checks only the first two. */
enum slo_count { COUNT_VALID, COUNT_GOOD, COUNT_CODED, COUNT_CODED_GOOD, COUNT__MAX };

struct slo_bucket {
    bool any; /* it has rows */
    int64_t counts[COUNT__MAX];
    /* Of freshness: times of the first and the last event, and the fresh time between them. */
    int64_t first, last, fresh;
    /* Sums over all buckets up to this one. */
    int64_t sums[COUNT__MAX];
    /* Fresh time from the first event of all until the first and the last one here. */
    int64_t fresh_to_first, fresh_to_last;
    /* The nearest buckets with rows, itself included; -1 and the count = none. */
    int64_t before, after;
};

struct slo_buckets {
    const struct slo *slo;
    int64_t from, step; /* microseconds */
    int64_t count;
    struct slo_bucket *items;
    int64_t last_before; /* of an entity or a metric: when the event before all came; 0 = none */
    bool row_before;     /* of a sum or count: the metric had a row before all */
    const char *reason;  /* why its metric cannot be computed; NULL = it can */
};

/* Reads buckets from `from` on. `open`: the last one has no end, for rows whose clock was ahead. */
MUST_CHECK enum error slo_buckets_read(const struct storage_call *call, const struct slo *slo,
                                       int64_t from, int64_t step, int64_t count, bool open,
                                       struct slo_buckets *buckets);

/* The good share of the buckets from `first` on and before `end`. */
struct slo_window slo_buckets_window(const struct slo_buckets *buckets, int64_t first, int64_t end);

#endif
