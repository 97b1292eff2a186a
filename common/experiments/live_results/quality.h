/*
 * Whether the data of a running experiment can be trusted: the sample ratio over time, falls of
 * what arrives, arms without events, people in several arms, balance before the experiment, and
 * effects that depend on the weekday. Alarms hold however often they are looked at, or say how they
 * are corrected.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_RESULTS_QUALITY_H
#define ASSAY_EXPERIMENTS_LIVE_RESULTS_QUALITY_H

#include "experiments/live/series.h"
#include "experiments/live_results/live_results.h"

struct quality_ratio {
    const char *status;
    struct integer_list observed;
    struct optional_number e_value;
    struct optional_number p_value; /* valid at every look */
    bool is_mismatch;
    const char *since; /* the day at whose end it was first seen; NULL = not */
};
/* A day on which far less arrived than on the days before. */
struct quality_fall {
    const char *date;
    const char *what; /* users, or events per new user */
    struct optional_integer variation_index;
    int64_t count;
    double usual;
};
/* An arm without events of a metric that the other arms have. */
struct quality_silence {
    const char *metric;
    int64_t variation_index;
    double expected;
};
struct quality_contamination {
    int64_t variation_index;
    int64_t users;
    int64_t in_several_arms;
    struct optional_number share;
};
struct quality_contamination_day {
    const char *date;
    int64_t users; /* exposed first on that day */
    int64_t in_several_arms;
};
/* The share of users in several arms, at the end of each day. */
struct quality_contamination_course {
    const char *status;
    struct optional_number e_value;
    struct optional_number p_value; /* valid at every look */
    bool is_contaminated;
    const char *since; /* the day at whose end it was first seen; NULL = not */
    OBJECT_LIST(struct quality_contamination_day, days); /* with users in several arms */
};
struct quality_balance {
    const char *covariate;
    int64_t treatment_index;
    double control_mean, treatment_mean;
    struct optional_number standardized_difference;
    struct optional_number p_value, p_value_adjusted;
    bool is_unbalanced;
};
struct quality_weekday {
    const char *weekday;
    int64_t days;
    struct optional_number mean_effect;
};
struct quality_weekdays {
    int64_t treatment_index;
    const char *status;
    int64_t complete_days;
    struct optional_number p_value;
    bool differs;
    OBJECT_LIST(struct quality_weekday, weekdays); /* struct quality_weekday */
};
/* The effect on one day since the exposure, among users whose day is over. */
struct quality_novelty_day {
    int64_t day; /* 0 = the 24 hours after the exposure */
    int64_t control_users, treatment_users;
    double effect; /* of that day alone; rates are shares */
    double ci_lower, ci_upper;
};
struct quality_novelty {
    int64_t treatment_index;
    const char *status;
    const char *unit;             /* rate or mean */
    struct optional_number slope; /* per day */
    struct optional_number ci_lower, ci_upper;
    struct optional_number p_value, p_value_adjusted;
    bool changes;
    OBJECT_LIST(struct quality_novelty_day, days);
};
struct quality_alarm {
    const char *code;
    const char *severity;
};
struct live_quality {
    const char *experiment_id;
    const char *status;
    bool is_current;
    int64_t step_days;
    OBJECT_LIST(struct quality_alarm, alarms); /* struct quality_alarm */
    const struct quality_ratio *sample_ratio;
    OBJECT_LIST(struct quality_fall, falls);                  /* struct quality_fall */
    OBJECT_LIST(struct quality_silence, silent_arms);         /* struct quality_silence */
    OBJECT_LIST(struct quality_contamination, contamination); /* struct quality_contamination */
    const struct quality_contamination_course *contamination_course;
    OBJECT_LIST(struct quality_balance, balance);          /* struct quality_balance */
    OBJECT_LIST(struct quality_weekdays, weekday_effects); /* struct quality_weekdays */
    OBJECT_LIST(struct quality_novelty, novelty);
};

SCHEMA_OF(live_quality_schema, struct live_quality);

void live_results_quality(const struct live_results_call *call, const struct live_view *view,
                          const struct live_series *series, struct live_quality *quality);

#endif
