/*
 * Analysis of two arms: runs the analyzer of a request and fills in the answer. Does not depend on
 * HTTP.
 */
#ifndef ASSAY_EXPERIMENTS_ANALYSES_RESULTS_ANALYSIS_H
#define ASSAY_EXPERIMENTS_ANALYSES_RESULTS_ANALYSIS_H

#include "experiments/analyses/analyzer.h"

/* Converts the finding into an answer, without the members of results_evidence.h. Texts of the
 * finding must live as long as the arena. */
void results_compose(const struct results_call *call, const struct analyzer *analyzer,
                     const struct results_finding *finding, struct results_reply *answer);

/* The limit that a valid request exceeds, or NULL. */
const struct results_limit *results_limit_passed(const struct results_request *observed);

/* Cost units of a valid request. A request that exceeds a limit costs 1, because it is refused at
 * once. */
int64_t results_cost_units(const struct results_request *observed);

/* Analyzes a valid request. ERROR_TOO_LARGE, with the reason of the limit, when it exceeds one. */
MUST_CHECK enum error results_analyze(const struct results_call *call,
                                      const struct results_request *observed,
                                      struct results_reply *answer);

#endif
