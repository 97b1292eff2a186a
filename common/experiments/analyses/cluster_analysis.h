/*
 * Analysis of two arms of clusters: schema, rules and texts (stats/cluster_robust.h has the
 * numbers). A switchback is a test of clusters, too; switchback_analysis.h prepares its rows.
 */
#ifndef ASSAY_EXPERIMENTS_ANALYSES_CLUSTER_ANALYSIS_H
#define ASSAY_EXPERIMENTS_ANALYSES_CLUSTER_ANALYSIS_H

#include "experiments/analyses/analyzer.h"
#include "stats/cluster_robust.h"

enum { CLUSTER_ROWS_MAX = 20000 /* per arm */ };

enum cluster_metric {
    CLUSTER_MEAN,
    CLUSTER_BINARY,
    CLUSTER_RATIO,
    CLUSTER_METRIC__MAX,
};

extern const char *const cluster_metric_names[CLUSTER_METRIC__MAX];

/* A row per user, or per group of users. */
struct cluster_request_arm {
    struct string_list clusters;
    struct number_list sums;
    struct integer_list users;       /* none = one each */
    struct number_list denominators; /* of a ratio */
    struct number_list sums_of_squares;
    struct object_list covariates; /* of struct number_list */
};

struct cluster_request {
    int metric_type; /* enum cluster_metric */
    const struct cluster_request_arm *control_arm, *treatment_arm;
    double alpha;
    int direction; /* enum goal_direction */
};

struct cluster_arm_reply {
    int64_t clusters;
    double users; /* or the denominator of a ratio */
    double average_cluster_size;
    double cluster_size_cv;
};

struct cluster_evidence {
    const char *method;
    double standard_error;
    double degrees_of_freedom;
    const struct cluster_arm_reply *control, *treatment;
    int64_t covariates_used;
    struct optional_number icc;
    struct optional_number design_effect;
};

struct cluster_reply {
    const struct results_reply *result;
    const struct cluster_evidence *clusters;
};

SCHEMA_OF(cluster_request_schema, struct cluster_request);
SCHEMA_OF(cluster_reply_schema, struct cluster_reply);
SCHEMA_OF(cluster_evidence_schema, struct cluster_evidence);

/* Which test the rows are for. */
struct cluster_plan {
    enum cluster_metric metric;
    double alpha;
    bool lower_is_better;
};

/* Whether sums of zeros and ones fit the users of their rows, one each where there are none. True
 * for other metrics. */
bool cluster_binary_holds(int metric, const struct number_list *sums,
                          const struct integer_list *users);

/* Gives names numbers, the same for equal ones: `numbers` has a place for each. Returns how many
 * different ones there are. */
size_t cluster_number_names(const char *const *names, size_t count, struct arena *arena,
                            uint32_t *numbers);

/* Tests the rows and fills in the answer, and `found` for what else a caller wants of it.
 * ERROR_INVALID, with a reason and a text, when they have no test. */
MUST_CHECK enum error cluster_compose(const struct results_call *call,
                                      const struct cluster_plan *plan,
                                      const struct cluster_rows *rows, struct cluster_result *found,
                                      struct cluster_reply *answer);

/* The answer of rows that have a test. */
void cluster_show(const struct results_call *call, const struct cluster_plan *plan,
                  const struct cluster_result *found, struct cluster_reply *answer);

/* What the clusters of a test did. */
const struct cluster_evidence *cluster_evidence_of(enum cluster_metric metric,
                                                   const struct cluster_result *found,
                                                   struct arena *arena);

/* Shares become percent, as binary metrics are shown. */
void cluster_show_as_rates(struct test_result *test);

/* Analyzes a valid request. */
MUST_CHECK enum error cluster_analyze(const struct results_call *call,
                                      const struct cluster_request *observed,
                                      struct cluster_reply *answer);

int64_t cluster_cost_units(const struct cluster_request *observed);

#endif
