/*
 * Several arms against one control: differences with simultaneous intervals and adjusted p-values
 * by Dunnett, Holm or Bonferroni, from the sums of each arm.
 */
#ifndef ASSAY_EXPERIMENTS_ANALYSES_ARMS_ANALYSIS_H
#define ASSAY_EXPERIMENTS_ANALYSES_ARMS_ANALYSIS_H

#include "experiments/analyses/analyzer.h"
#include "stats/arms/many_to_one.h"

enum arms_metric { ARMS_MEAN, ARMS_BINARY, ARMS_METRIC__MAX };
enum arms_correction { ARMS_DUNNETT, ARMS_HOLM, ARMS_BONFERRONI, ARMS_NONE, ARMS_CORRECTION__MAX };
enum arms_alternative { ARMS_TWO_SIDED, ARMS_GREATER, ARMS_LESS, ARMS_ALTERNATIVE__MAX };
enum arms_variances { ARMS_POOLED, ARMS_UNEQUAL, ARMS_VARIANCES__MAX };

struct arms_observed {
    const char *label;
    int64_t users;
    struct optional_number mean, std;
    struct optional_integer conversions;
};

struct arms_request {
    int metric_type;                         /* enum arms_metric */
    int correction;                          /* enum arms_correction */
    int alternative;                         /* enum arms_alternative */
    int variances;                           /* enum arms_variances, of means */
    OBJECT_LIST(struct arms_observed, arms); /* the control first */
    double alpha;
};

struct arms_comparison {
    const char *label;
    double effect, standard_error, statistic;
    struct optional_number degrees_of_freedom;
    double p_value, adjusted_p_value, critical_value;
    struct optional_number ci_lower, ci_upper;
    bool is_significant;
};

struct arms_reply {
    const char *correction;
    const char *alternative;
    double alpha;
    int64_t num_significant;
    OBJECT_LIST(struct arms_comparison, comparisons);
};

SCHEMA_OF(arms_request_schema, struct arms_request);
SCHEMA_OF(arms_reply_schema, struct arms_reply);

/* Analyzes a valid request. ERROR_INVALID, arms_degenerate, when a difference has no variance. */
MUST_CHECK enum error arms_analyze(const struct results_call *call,
                                   const struct arms_request *observed, struct arms_reply *answer);

int64_t arms_cost_units(const struct arms_request *observed);

#endif
