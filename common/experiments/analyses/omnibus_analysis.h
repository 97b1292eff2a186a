/*
 * Analysis of several groups of values: tests whether any group differs. Does not depend on HTTP.
 */
#ifndef ASSAY_EXPERIMENTS_ANALYSES_OMNIBUS_ANALYSIS_H
#define ASSAY_EXPERIMENTS_ANALYSES_OMNIBUS_ANALYSIS_H

#include "base/schema.h"
#include "experiments/analyses/results_analysis.h"
#include "stats/omnibus.h"

enum omnibus_test { OMNIBUS_WELCH_ANOVA, OMNIBUS_KRUSKAL_WALLIS, OMNIBUS_TEST__MAX };

struct omnibus_request {
    int test_type;             /* enum omnibus_test */
    struct object_list groups; /* struct number_list */
    double alpha;
};

struct omnibus_reply {
    const char *test_type;
    double test_statistic;
    double df_numerator;
    struct optional_number df_denominator;
    double p_value;
    bool is_significant;
    double effect_size;
    const char *effect_size_label;
    int64_t num_groups;
    int64_t n_total;
    OBJECT_LIST(struct omnibus_group, group_summaries); /* struct omnibus_group */
    const char *verdict;
    const char *interpretation;
};

SCHEMA_OF(omnibus_request_schema, struct omnibus_request);
SCHEMA_OF(omnibus_reply_schema, struct omnibus_reply);

/* Analyzes a valid request. ERROR_INVALID when the test is undefined: a group without variance for
 * welch_anova, only equal values for kruskal_wallis. */
MUST_CHECK enum error omnibus_analyze(const struct results_call *call,
                                      const struct omnibus_request *observed,
                                      struct omnibus_reply *answer);

/* Cost units of a valid request. */
int64_t omnibus_cost_units(const struct omnibus_request *observed);

#endif
