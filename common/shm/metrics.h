/*
 * Metrics of a service, for a scraper and for the service's own reports: counters, gauges,
 * histograms and summaries with labels, counted by all workers of the host together in one mapped
 * file. Cells are lock-free; a worker that is killed at any instruction costs at most what it was
 * about to add.
 *
 * What may be counted is a constant table. The values of labels come from requests, so each metric
 * has room for so many sets of them; those that come later are counted under "other".
 */
#ifndef ASSAY_SHM_METRICS_H
#define ASSAY_SHM_METRICS_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>

enum {
    METRIC_LABELS_MAX = 4,
    METRIC_BUCKETS_MAX = 16,
    METRIC_SETS = 256, /* sets of labels of one metric, where its row does not say otherwise */
    METRIC_LABELS_BYTES = 168 /* of all values of a set; longer ones are cut */
};

enum metric_kind {
    METRIC_COUNTER,
    METRIC_GAUGE,
    METRIC_HISTOGRAM,
    METRIC_SUMMARY,
    METRIC_TIMES /* a histogram of seconds, kept finely enough for quantiles within 3.2 % */
};

struct metric {
    const char *name;
    enum metric_kind kind;
    const char *help;
    const char *labels[METRIC_LABELS_MAX]; /* names, in alphabetical order; NULL = no more */
    double buckets[METRIC_BUCKETS_MAX];    /* upper bounds of a histogram, rising; 0 ends them */
    unsigned sets;                         /* 0 = METRIC_SETS */
    bool internal;                         /* for the service itself: not written as text */
};

struct metrics;

/* Opens the file, making it when it is absent or of another table; `path` NULL keeps the cells in
 * this process (tests). The table outlives the handle. */
MUST_CHECK enum error metrics_open(const char *path, const struct metric *table, size_t count,
                                   struct metrics **metrics, struct problem *problem);
void metrics_close(struct metrics *metrics);

/* `metric` is the position in the table; `values` has as many texts as the row has labels (NULL
 * when it has none). A NULL handle counts nothing. */
void metric_add(struct metrics *metrics, unsigned metric, const char *const *values, double amount);
void metric_set(struct metrics *metrics, unsigned metric, const char *const *values, double value);
/* Sets a gauge unless it is larger already. */
void metric_raise(struct metrics *metrics, unsigned metric, const char *const *values,
                  double value);
/* Of a histogram, a summary or times. */
void metric_observe(struct metrics *metrics, unsigned metric, const char *const *values,
                    double value);

/* The value of a counter or gauge, the count of a histogram or summary; 0 when never touched. */
double metric_read(const struct metrics *metrics, unsigned metric, const char *const *values);

/* The same over all sets whose labels are `values`; NULL in it stands for any. */
double metric_sum(const struct metrics *metrics, unsigned metric, const char *const *values);

/* The first label of the set with the largest value; NULL when there is none. */
const char *metric_largest(const struct metrics *metrics, unsigned metric, double *value);

enum { METRIC_TIME_BUCKETS = 464 };

/* All sets of a METRIC_TIMES together, in seconds. 3.7 kB. */
struct metric_times {
    double count, sum, largest;
    double buckets[METRIC_TIME_BUCKETS];
};
void metric_read_times(const struct metrics *metrics, unsigned metric, struct metric_times *times);

/* The time in seconds that a share `q` (0 to 1) of all does not pass; -1 without any. */
double metric_quantile(const struct metric_times *times, double q);

/* Forgets all sets of a gauge, before those that hold now are set again. */
void metric_clear(struct metrics *metrics, unsigned metric);

/* Text exposition format 0.0.4: metrics in the order of the table, sets of labels in alphabetical
 * order. Metrics without labels are written from the start, the others once they were touched. */
void metrics_write(const struct metrics *metrics, struct text *out);

#endif
