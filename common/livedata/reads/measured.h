/*
 * Answers that a metric's measure makes possible: its value by groups, under a filter, over a
 * period of the calendar, and as a series for plots.
 */
#ifndef ASSAY_LIVEDATA_READS_MEASURED_H
#define ASSAY_LIVEDATA_READS_MEASURED_H

#include "livedata/metrics/series.h"
#include "livedata/reads/answers.h"

/* What a request may add to the window of a metric. NULL = nothing. */
struct measured_query {
    const char *name, *window;
    const char *filter;
    const char *group_by; /* columns, and at most one of hour, day, week and month */
    int64_t as_of;        /* 0 = now */
    const char *zone;     /* of the calendar */
};

/* Whether the query needs a measure: else read_metric() answers it. */
bool measured_is_needed(const struct measured_query *query);

/* Names of the tables that the query reads; none where it is refused, also for what the key may not
 * read. */
struct string_list measured_tables(const struct reading *reading,
                                   const struct measured_query *query);

/* The reply of a metric with groups; errors of read_metric(), and ERROR_INVALID no_measure,
 * unknown_column, filter_invalid. */
MUST_CHECK enum error read_measured(const struct reading *reading,
                                    const struct measured_query *query, enum health_word health,
                                    struct metric_reply *reply);

struct series_query {
    const char *name, *filter, *step;
    int64_t from, to; /* 0 = the last 24 hours, or so before `to` */
    const char *zone;
};
struct series_point {
    int64_t at; /* the beginning of the bucket */
    struct optional_number value;
};
struct series_reply {
    const char *metric_name, *unit;
    int64_t from, to;
    const char *step, *time_zone;
    OBJECT_LIST(struct series_point, points);
    struct string_list currencies_not_added;
    const struct answer_meta *meta;
    const struct answer_freshness *freshness; /* NULL = not known */
};
SCHEMA_OF(series_schema, struct series_reply);

/* Buckets without rows are 0 for sums and counts, else null. `values` are for series_keep() when
 * the answer is sent. ERROR_INVALID too_many_points, step_invalid, range_invalid besides those
 * above. */
MUST_CHECK enum error read_series(const struct reading *reading, const struct series_query *query,
                                  enum health_word health, struct series_reply *reply,
                                  struct series_values *values);

#endif
