/*
 * The analysis of two arms as a document: runs the method that was asked for and words what it
 * shows. Knows nothing of HTTP.
 */
#ifndef ASSAY_EXPERIMENTS_METHODS_RESULTS_ANALYSIS_H
#define ASSAY_EXPERIMENTS_METHODS_RESULTS_ANALYSIS_H

#include "experiments/documents/results_shape.h"
#include "i18n/i18n.h"

struct results_call {
    const struct locale *locale; /* of all texts, that of a problem included */
    struct arena *arena;
    struct problem *problem;
};

/* Analyses a valid request. ERROR_TOO_LARGE, with the reason of results_limits.h, when it passes a
 * limit. */
MUST_CHECK enum error results_analyze(const struct results_call *call,
                                      const struct results_request *observed,
                                      struct results_reply *answer);

#endif
