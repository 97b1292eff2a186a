/*
 * Reads metrics in the text exposition format 0.0.4, as the services of this suite write it
 * (shm/metrics.h): each metric begins with HELP and TYPE, and the lines of one histogram or summary
 * stand together and end with its count.
 */
#ifndef ASSAY_TELEMETRY_EXPOSITION_H
#define ASSAY_TELEMETRY_EXPOSITION_H

#include "shm/metrics.h"

enum { EXPOSITION_BUCKETS_MAX = 64 };

struct exposition_label {
    const char *name, *value;
};

/* One set of labels of a metric. */
struct exposition_point {
    size_t label_count;
    struct exposition_label labels[METRIC_LABELS_MAX];
    double value; /* of a counter or gauge; the sum of a histogram or summary */
    double count; /* of a histogram or summary */
    size_t bound_count;
    double bounds[EXPOSITION_BUCKETS_MAX];  /* of a histogram, without +Inf */
    double buckets[EXPOSITION_BUCKETS_MAX]; /* observations up to each bound: cumulated */
};

struct exposition_metric {
    const char *name, *help;
    enum metric_kind kind; /* never METRIC_TIMES: those are histograms here */
};

/* Is told each point, in the order of the text. Both are valid until it returns. */
struct exposition_reader {
    void (*take)(const struct exposition_metric *metric, const struct exposition_point *point,
                 void *context);
    void *context;
};

/* Reads the whole text; memory from the arena. Returns the number of lines that it could not
 * read. */
size_t exposition_read(struct arena *arena, const char *text,
                       const struct exposition_reader *reader);

#endif
