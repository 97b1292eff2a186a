/*
 * The course of an experiment: people per day, and the effect with both of its intervals as they
 * stood at the end of each day. The last day is what the live statistics show.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_RESULTS_COURSE_H
#define ASSAY_EXPERIMENTS_LIVE_RESULTS_COURSE_H

#include "experiments/live/series.h"
#include "experiments/live_results/live_results.h"

/* The difference to the control at the end of a day, in units of the analysis: percentage points
 * for rates. Nothing is given while it cannot be computed. */
struct course_comparison {
    int64_t treatment_index;
    struct optional_number effect;
    struct optional_number ci_lower;
    struct optional_number ci_upper;
    struct optional_number always_valid_lower;
    struct optional_number always_valid_upper;
};

struct course_day {
    const char *date;              /* of the first day, UTC */
    struct integer_list people;    /* new in each arm */
    struct integer_list converted; /* with their first event */
    OBJECT_LIST(struct course_comparison, comparisons);
};

struct course {
    const char *experiment_id;
    const char *status;
    const char *metric_type;
    const char *primary_metric_name;
    const char *computed_at; /* NULL = there is nothing to compute */
    bool is_current;
    int64_t step_days;
    OBJECT_LIST(struct course_day, days);
};

SCHEMA_OF(course_schema, struct course);

void live_results_course(const struct live_results_call *call, const struct live_view *view,
                         const struct live_series *series, struct course *course);

#endif
