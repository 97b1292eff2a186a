/*
 * Analyses of two arms from sums and counts instead of every user's value. Each gives the answer
 * that the same analysis gives for the values: sums become means and deviations, counts per value
 * become the values. Does not depend on HTTP.
 */
#ifndef ASSAY_EXPERIMENTS_ANALYSES_STATISTICS_ANALYSIS_H
#define ASSAY_EXPERIMENTS_ANALYSES_STATISTICS_ANALYSIS_H

#include "base/schema.h"
#include "experiments/analyses/results_analysis.h"

/* What is known of an arm; which members a metric type reads is the rule of the request. */
struct statistics_arm {
    struct optional_integer n;
    struct optional_number mean, std, sum, sum_squares;
    struct optional_integer conversions, events;
    struct optional_number exposure;
    struct optional_number numerator_sum, denominator_sum;
    struct optional_number numerator_squares, denominator_squares, products;
    struct number_list values;
    struct integer_list counts;
};

struct statistics_request {
    int metric_type; /* enum analyzer_id, or ANALYZER__MAX for a ratio */
    const struct statistics_arm *control, *treatment;
    struct optional_number equivalence_margin;
    double alpha, quantile, trim;
    int direction; /* enum goal_direction */
};

SCHEMA_OF(statistics_request_schema, struct statistics_request);

/* Analyzes a valid request. ERROR_INVALID for a ratio without a test, ERROR_TOO_LARGE for more data
 * than the analyzer takes. */
MUST_CHECK enum error statistics_analyze(const struct results_call *call,
                                         const struct statistics_request *observed,
                                         struct results_reply *answer);

/* Cost units of a valid request. */
int64_t statistics_cost_units(const struct statistics_request *observed);

#endif
