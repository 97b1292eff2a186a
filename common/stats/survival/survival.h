/*
 * Survival analysis: times until an event in two or more arms, some of them censored. Kaplan-Meier
 * curves, tests of the log-rank family, and the proportional-hazards model of one covariate. All
 * use one table of risk sets, made by one sort.
 */
#ifndef ASSAY_STATS_SURVIVAL_SURVIVAL_H
#define ASSAY_STATS_SURVIVAL_SURVIVAL_H

#include "base/arena.h"
#include "base/error.h"
#include "base/optional.h"

enum { SURVIVAL_ARMS_MAX = 10 };

/* One entry per subject in each list: the observation time (finite, not negative), and whether it
 * ended with the event (else it is censored). */
struct survival_arm {
    struct number_list durations;
    struct boolean_list events_observed;
};

/* The subjects at risk at each distinct event time, ascending. `at_risk` and `events` hold a row of
 * `arm_count` per time; a subject censored at that very time is still at risk. */
struct survival_table {
    size_t arm_count;
    size_t time_count;
    const double *times;
    const int64_t *at_risk;
    const int64_t *events;
    int64_t subjects[SURVIVAL_ARMS_MAX];
    int64_t observed[SURVIVAL_ARMS_MAX]; /* events in all */
};

/* The table of 2..SURVIVAL_ARMS_MAX arms, in O(n log n) for n subjects; the arena owns it. */
void survival_table_build(const struct survival_arm *arms, size_t count, struct arena *arena,
                          struct survival_table *table);

struct survival_point {
    double time;
    double survival; /* after this time */
    int64_t at_risk;
    int64_t n_events;
    double std_error;
    double ci_lower;
    double ci_upper;
};

/* The product-limit estimate of one arm (Kaplan and Meier 1958), a struct survival_point per event
 * time of the arm; Greenwood's (1926) error and the plain interval of level 1 - alpha, cut at 0 and
 * 1. Without subjects at risk both are 0. */
struct object_list kaplan_meier(const struct survival_table *table, size_t arm, double alpha,
                                struct arena *arena);

/* The expected events of each arm if all arms had the same hazard. */
void survival_expected(const struct survival_table *table, double expected[SURVIVAL_ARMS_MAX]);

struct log_rank_result {
    double statistic; /* chi-square */
    int64_t degrees_of_freedom;
    double p_value;
};

/* The weighted log-rank test (Mantel 1966; Fleming and Harrington 1991, ch. 7) that all arms share
 * one hazard; weights S^rho (1 - S)^gamma, S the pooled estimate just before the time. rho = gamma
 * = 0 is the log-rank test. False when no test is possible: no events, or an arm without subjects
 * at risk at any event, whose part of the covariance is (relatively) 0. */
MUST_CHECK bool log_rank_test(const struct survival_table *table, double rho, double gamma,
                              struct log_rank_result *result);

struct cox_result {
    double log_hazard_ratio; /* of arm 1 against arm 0 */
    double standard_error;
    double z;
    double p_value; /* Wald, two-sided */
};

/* The proportional-hazards model (Cox 1972) of the first two arms, ties by Efron (1977). False when
 * the likelihood has no maximum: no event of one arm while a subject of the other was at risk. */
MUST_CHECK bool cox_fit(const struct survival_table *table, struct cox_result *result);

#endif
