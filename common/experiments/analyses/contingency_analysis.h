/*
 * Analysis of a contingency table: tests rows and columns for independence. Does not depend on
 * HTTP.
 */
#ifndef ASSAY_EXPERIMENTS_ANALYSES_CONTINGENCY_ANALYSIS_H
#define ASSAY_EXPERIMENTS_ANALYSES_CONTINGENCY_ANALYSIS_H

#include "base/schema.h"
#include "experiments/analyses/results_analysis.h"
#include "stats/contingency.h"

struct categorical_request {
    struct object_list table; /* struct integer_list, a row each */
    double alpha;
    int test_type; /* enum contingency_method */
};

struct categorical_reply {
    const char *test_type;
    double chi_square; /* or G */
    int64_t degrees_of_freedom;
    double p_value;
    bool is_significant;
    double cramers_v;
    int64_t n_total;
    int64_t num_rows;
    int64_t num_cols;
    double min_expected_count;
    bool low_expected_warning;
    const char *verdict;
    const char *interpretation;
};

SCHEMA_OF(categorical_request_schema, struct categorical_request);
SCHEMA_OF(categorical_reply_schema, struct categorical_reply);

/* Analyzes a valid request. ERROR_INVALID for a table without users or with an empty row or column,
 * ERROR_TOO_LARGE for too many users. */
MUST_CHECK enum error categorical_analyze(const struct results_call *call,
                                          const struct categorical_request *observed,
                                          struct categorical_reply *answer);

/* Cost units of a valid request. */
int64_t categorical_cost_units(const struct categorical_request *observed);

#endif
