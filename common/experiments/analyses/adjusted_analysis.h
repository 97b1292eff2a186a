/*
 * Analysis of arms adjusted by covariates (stats/regression_adjustment.h): the request with every
 * user's values, and the answer, which analyses of files and of sums share. Does not depend on
 * HTTP.
 */
#ifndef ASSAY_EXPERIMENTS_ANALYSES_ADJUSTED_ANALYSIS_H
#define ASSAY_EXPERIMENTS_ANALYSES_ADJUSTED_ANALYSIS_H

#include "base/schema.h"
#include "experiments/analyses/results_analysis.h"
#include "experiments/design/sizing.h"
#include "stats/regression_adjustment.h"

enum { ADJUSTED_USERS_MAX = 50000 /* of an arm, in a request */ };

extern const char *const adjusted_variance_names[VARIANCE__MAX];
extern const char *const adjusted_use_names[COLUMN__MAX];
extern const char *const adjusted_distribution_names[2]; /* t, normal */

struct adjusted_arm_request {
    struct number_list values;
    struct number_list denominators; /* of a ratio */
    struct object_list covariates;   /* struct number_list, NaN where a user has none */
};

struct adjusted_request {
    int metric_type;                                /* enum metric_type */
    OBJECT_LIST(struct adjusted_arm_request, arms); /* the control first */
    struct string_list covariate_names;             /* may be empty */
    int variance;                                   /* enum regression_variance */
    int distribution;
    double alpha;
    int direction; /* enum goal_direction */
};

/* What an analysis is asked for, besides the data. */
struct adjusted_options {
    enum metric_type metric_type;
    enum regression_variance variance;
    bool normal;
    double alpha; /* of all comparisons together */
    enum goal_direction direction;
    size_t covariate_count;
    const char *const *covariate_names; /* NULL = numbered */
};

struct adjusted_effect {
    double effect;
    const struct results_lift *relative_lift;
    double standard_error;
    struct optional_number degrees_of_freedom; /* absent for the normal distribution */
    double test_statistic, p_value, ci_lower, ci_upper;
    bool is_significant;
};

struct adjusted_comparison {
    int64_t treatment_index;
    const char *status; /* ok, insufficient_data */
    const struct adjusted_effect *adjusted, *unadjusted;
    struct optional_number variance_reduction_pct;
    const char *outcome, *verdict, *interpretation;
};

struct adjusted_arm {
    int64_t users;
    double unadjusted_value, adjusted_value;
    struct optional_number explained_pct;
};

struct adjusted_covariate {
    const char *name;
    int64_t users, missing;
    const char *use, *indicator_use;
    struct number_list slopes; /* by arm */
};

struct adjusted_reply {
    const char *metric_type, *variance, *distribution, *effect_unit, *direction;
    double alpha, comparison_alpha, ci_level;
    int64_t users;
    OBJECT_LIST(struct adjusted_covariate, covariates);
    OBJECT_LIST(struct adjusted_arm, arms);
    OBJECT_LIST(struct adjusted_comparison, comparisons);
};

SCHEMA_OF(adjusted_request_schema, struct adjusted_request);
SCHEMA_OF(adjusted_reply_schema, struct adjusted_reply);

/* Analyzes a valid request. ERROR_INVALID when an arm's denominators sum to 0. */
MUST_CHECK enum error adjusted_analyze(const struct results_call *call,
                                       const struct adjusted_request *observed,
                                       struct adjusted_reply *answer);

/* The same from any source. */
MUST_CHECK enum error adjusted_analyze_source(const struct results_call *call,
                                              const struct regression_source *source,
                                              const struct adjusted_options *options,
                                              struct adjusted_reply *answer);

/* The answer from a solved regression whose outcome is in the unit of the answer. */
void adjusted_compose(const struct results_call *call, const struct regression *fit,
                      const struct adjusted_options *options, struct adjusted_reply *answer);

/* Cost units of a valid request. */
int64_t adjusted_cost_units(const struct adjusted_request *observed);

#endif
