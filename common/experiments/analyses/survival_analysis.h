/*
 * Analysis of survival times: runs the requested test, computes the curves and the texts of the
 * result. Does not depend on HTTP.
 */
#ifndef ASSAY_EXPERIMENTS_ANALYSES_SURVIVAL_ANALYSIS_H
#define ASSAY_EXPERIMENTS_ANALYSES_SURVIVAL_ANALYSIS_H

#include "experiments/analyses/results_analysis.h"
#include "experiments/analyses/survival_schema.h"

/* Analyzes a valid request. ERROR_INVALID, with the reason survival_no_events or
 * survival_cox_undefined, when the data cannot be tested. */
MUST_CHECK enum error survival_analyze(const struct results_call *call,
                                       const struct survival_request *observed,
                                       struct survival_reply *answer);

/* Cost units of a valid request. */
int64_t survival_cost_units(const struct survival_request *observed);

#endif
