/*
 * Metrics of a service, for a scraper and for the reports of the service: counters, gauges,
 * histograms and summaries with labels, counted by all workers of the host together in one mapped
 * file. Cells are lock-free; a worker that is killed at any instruction loses at most the value
 * that it was adding.
 *
 * A constant table defines the metrics. Label values come from requests, so each metric has a
 * maximum number of label sets; later sets are counted under "other".
 */
#ifndef ASSAY_SHM_METRICS_H
#define ASSAY_SHM_METRICS_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>

enum {
    METRIC_LABELS_MAX = 4,
    METRIC_BUCKETS_MAX = 16,
    METRIC_SETS = 256,        /* label sets of one metric, unless its row says otherwise */
    METRIC_LABELS_BYTES = 168 /* of all label values of a set; longer ones are cut */
};

enum metric_kind {
    METRIC_COUNTER,
    METRIC_GAUGE,
    METRIC_HISTOGRAM,
    METRIC_SUMMARY,
    METRIC_TIMES /* a histogram of seconds with quantiles within 3.2 % */
};

struct metric {
    const char *name;
    enum metric_kind kind;
    const char *help;
    const char *labels[METRIC_LABELS_MAX]; /* names, in alphabetical order; NULL = no more */
    double buckets[METRIC_BUCKETS_MAX];    /* upper bounds of a histogram, rising; 0 ends them */
    unsigned sets;                         /* 0 = METRIC_SETS */
    bool internal;                         /* for the service itself: not exported as text */
};

struct metrics;

/* Opens the file, and creates it when it is absent or of another table; `path` NULL keeps the cells
 * in this process (tests). The table must outlive the handle. */
MUST_CHECK enum error metrics_open(const char *path, const struct metric *table, size_t count,
                                   struct metrics **metrics, struct problem *problem);
void metrics_close(struct metrics *metrics);

/* `metric` is the index in the table; `values` has as many texts as the row has labels (NULL when
 * it has none). With a NULL handle nothing is counted. */
void metric_add(struct metrics *metrics, unsigned metric, const char *const *values, double amount);
void metric_set(struct metrics *metrics, unsigned metric, const char *const *values, double value);
/* Sets a gauge unless it is larger already. */
void metric_raise(struct metrics *metrics, unsigned metric, const char *const *values,
                  double value);
/* Adds an observation to a histogram, a summary or times. */
void metric_observe(struct metrics *metrics, unsigned metric, const char *const *values,
                    double value);

/* The value of a counter or gauge, the count of a histogram or summary; 0 when never used. */
double metric_read(const struct metrics *metrics, unsigned metric, const char *const *values);

/* The sum over all sets whose labels are `values`; NULL in it matches any. */
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

/* The quantile `q` (0 to 1) of the times, in seconds; -1 without any. */
double metric_quantile(const struct metric_times *times, double q);

/* Hides all sets of a gauge, before the current ones are set again. */
void metric_clear(struct metrics *metrics, unsigned metric);

/* Text exposition format 0.0.4: metrics in the order of the table, sets of labels in alphabetical
 * order. Metrics without labels are written from the start, the others after their first use. */
void metrics_write(const struct metrics *metrics, struct text *out);

/* The lines HELP and TYPE that stand before the values of a metric, for values that are not counted
 * here but computed at the scrape. */
void metric_write_head(const struct metric *metric, struct text *out);

/* A line with a JSON object for each metric that is exported: name, kind (as in TYPE), help and
 * labels. Dashboards and alert rules are made from it (tools/monitoring). */
void metrics_describe(const struct metric *table, size_t count, struct text *out);

#endif
