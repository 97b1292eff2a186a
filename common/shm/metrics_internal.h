/* Private to common/shm: the cells of metrics, for the file that writes them as text. */
#ifndef ASSAY_SHM_METRICS_INTERNAL_H
#define ASSAY_SHM_METRICS_INTERNAL_H

#include "shm/metrics.h"

#include <stdatomic.h>
#include <stdint.h>

enum { METRIC_CELLS = 8192, METRIC_VALUES_MAX = METRIC_BUCKETS_MAX + 2, METRIC_POOL = 98304 };
enum metric_cell_state {
    CELL_EMPTY,
    CELL_CLAIMED, /* a process writes its labels */
    CELL_READY,
    CELL_ABANDONED /* that process was gone for too long; never used */
};

/* A label set of one metric. */
struct metric_cell {
    _Atomic uint32_t state;
    uint32_t metric;
    uint32_t values_at;                                   /* index of its first value in the pool */
    _Atomic uint32_t hidden;                              /* a gauge that was cleared */
    char labels[METRIC_LABELS_BYTES + METRIC_LABELS_MAX]; /* label values, each with its NUL */
};

/* Values are doubles. A counter or gauge has one; a summary has count and sum; a histogram has also
 * the count of each bucket, not cumulated; METRIC_TIMES has count, sum, largest (microseconds) and
 * the count of each bucket of histogram.h. */
struct metrics_region {
    uint64_t signature; /* of the table */
    _Atomic uint32_t sets[512];
    _Atomic uint32_t pool_used;
    struct metric_cell cells[METRIC_CELLS];
    _Atomic uint64_t pool[METRIC_POOL];
};

struct metrics {
    const struct metric *table;
    size_t count;
    struct metrics_region *region;
};

size_t metric_label_count(const struct metric *metric);

/* Whether the cell holds a visible set of that metric. */
bool metric_is_shown(const struct metric_cell *cell, unsigned metric);

/* The values in the form of a counter, summary or histogram; METRIC_TIMES are converted to seconds
 * and to the buckets of their row. */
void metric_cell_values(const struct metrics *metrics, const struct metric_cell *cell,
                        double values[METRIC_VALUES_MAX]);

#endif
