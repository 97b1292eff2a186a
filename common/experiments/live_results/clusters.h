/*
 * Live results of an experiment whose users were assigned by clusters: CR2 with Satterthwaite
 * degrees of freedom (stats/cluster_robust.h) of the totals per cluster, as /results/cluster has
 * them of rows. Tests of single users do not hold there, and are not shown.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_RESULTS_CLUSTERS_H
#define ASSAY_EXPERIMENTS_LIVE_RESULTS_CLUSTERS_H

#include "experiments/analyses/switchback_analysis.h"
#include "experiments/live_results/live_results_internal.h"
#include "stats/equivalence.h"

enum {
    /* Below so many degrees of freedom the error is too uncertain for always-valid inference, which
     * takes it as known. */
    CLUSTER_ALWAYS_VALID_DF = 30
};

/* One test of one metric. */
struct live_cluster_test {
    const char *metric;
    const char *role;
    int64_t treatment_index;
    const char *status;
    const struct cluster_evidence *evidence; /* NULL = no test */
    struct optional_number control_value, treatment_value, effect;
    struct optional_number ci_lower, ci_upper, p_value;
};

/* The clusters of an arm that have users. */
struct live_cluster_arm {
    int64_t variation_index;
    int64_t clusters;
    int64_t users;
    struct optional_number smallest, average, largest, size_cv;
};

/* What a treatment in the period before adds. */
struct live_carry_over {
    int64_t treatment_index;
    const struct carry_over *effect; /* NULL where it cannot be estimated */
};

/* Clusters that take turns; a slot is a period of a cluster that has users. */
struct live_switchback {
    int64_t starts_at;
    double period_minutes;
    int64_t periods;
    double washout_minutes;
    const char *cluster_by;
    int64_t slots, switches;
    int64_t users_washed_out;
    int64_t users_outside; /* of the periods */
    int64_t users_off_schedule;
    OBJECT_LIST(struct live_carry_over, carry_over); /* struct live_carry_over */
};

struct live_clusters {
    const char *unit;
    int64_t clusters; /* with users in any arm */
    int64_t clusters_of_two_arms;
    int64_t users;
    int64_t users_without_cluster;
    int64_t users_of_two_clusters;
    OBJECT_LIST(struct live_cluster_arm, arms);   /* struct live_cluster_arm */
    OBJECT_LIST(struct live_cluster_test, tests); /* struct live_cluster_test */
    const struct live_switchback *switchback;     /* NULL = clusters keep their variation */
};

SCHEMA_OF(live_switchback_schema, struct live_switchback);
SCHEMA_OF(live_clusters_schema, struct live_clusters);

/* What a test is about; of a ratio two metrics. Numbers as in the view, 0 = without events. */
struct cluster_measure {
    enum cluster_metric kind;
    int64_t metric;
    int64_t denominator;
};

/* The primary metric of the design. */
struct cluster_measure live_clusters_goal(const struct live_results *results);

/* False when there is no test; `found->refusal` says why, unless values are too large. Values of a
 * binary metric are shares. */
bool live_clusters_test(const struct live_results *results, const struct cluster_measure *measure,
                        int control, int treatment, struct cluster_result *found);

/* The one arm that a place has users in, those that are washed out included; -1 = none, or several.
 */
int live_clusters_arm(const struct live_results *results, struct live_cluster_place place);

/* What the arm of the period before does to the goal; NULL where it cannot be estimated. */
const struct carry_over *live_clusters_carry_over(const struct live_results *results,
                                                  int treatment);

/* The part of clusters that take turns. */
const struct live_switchback *live_clusters_switchback(const struct live_results *results);

/* Compares the goal: as live_results_compare(), which calls it. */
void live_clusters_compare(const struct live_results *results, int control, int treatment,
                           struct live_comparison *comparison);

/* The test of a metric as the list of metrics has it. False when there is none. */
bool live_clusters_test_metric(const struct live_results *results, const char *name, bool rate,
                               int arm, struct test_result *test);

/* The variance of the difference of such a test, whose effect is `scale` times the natural one; and
 * whether its error is too uncertain for always-valid inference. */
double live_clusters_variance(const struct test_result *test, double scale);
bool live_clusters_are_few(const struct test_result *test);

/* Harm of a guardrail by Student's t. */
void live_clusters_harm(const struct live_results *results, const char *name, bool rate, int arm,
                        bool increase_is_bad, double margin, struct harm_result *test);

/* Numbers of clusters per arm, for the sample ratio. */
void live_clusters_counts(const struct live_results *results, struct integer_list *counts);

/* The block of live-stats; NULL where users are on their own. */
void live_results_clusters(const struct live_results *results, struct live_stats *stats);

#endif
