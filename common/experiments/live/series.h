/*
 * How an experiment grew by day (UTC): new subjects and the growth of the sums that its analysis is
 * made of. Adding up all days gives the sums of the live statistics. Computed from the raw rows,
 * through the same rules of who counts and which events count as the aggregates, and stored until
 * the data or the design change.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_SERIES_H
#define ASSAY_EXPERIMENTS_LIVE_SERIES_H

#include "experiments/live/ages.h"
#include "experiments/live/view.h"

/* The growth of one arm on one day. `value` is the primary metric per subject, or the numerator of
 * a ratio, `other` its denominator. An event before the exposure counts on the day of the
 * exposure. */
struct live_day {
    int64_t day; /* first day of the step, since 1970 */
    int64_t arm;
    int64_t people;
    int64_t converted; /* subjects with their first counted event */
    int64_t huge;      /* subjects with a value beyond LIVE_VALUE_MAX, which the sums omit */
    double value_sum, value_squares;
    double other_sum, other_squares;
    double products;
    int64_t crossed; /* of `people`, those who were seen in another arm, too */
};

struct live_series {
    bool known;   /* false: too many subjects to compute it in a request, and not computed yet */
    bool current; /* made of the same data as the view */
    int64_t step; /* days that a row covers */
    int64_t computed_at;
    OBJECT_LIST(struct live_day, days); /* by day and arm; days without growth are missing */
    struct object_list ages;            /* struct live_age, by arm and days; none of a ratio */
};

/* With more subjects than this, a request only reads the series. */
enum { LIVE_SERIES_PEOPLE_MAX = 200000 };

/* The series for a view. Experiments with more than `people_max` subjects are only read. */
MUST_CHECK enum error live_series_load(const struct live_call *call, const struct live_view *view,
                                       int64_t people_max, struct live_series *series);

/* Renews the outdated series of the experiments that requests only read; for a program. */
MUST_CHECK enum error live_series_renew(const struct live_call *call);

#endif
