/*
 * The analysis of two arms as a document: runs the method that was asked for and words what it
 * shows. Knows nothing of HTTP.
 */
#ifndef ASSAY_EXPERIMENTS_ANALYSES_RESULTS_ANALYSIS_H
#define ASSAY_EXPERIMENTS_ANALYSES_RESULTS_ANALYSIS_H

#include "experiments/analyses/results_schema.h"
#include "i18n/i18n.h"

struct results_call {
    const struct locale *locale; /* of all texts, that of a problem included */
    struct arena *arena;
    struct problem *problem;
};

/* What a method gives: the numbers, and the words that depend on it. */
struct results_finding {
    struct test_result test;
    int decimals;               /* of the effect and its interval */
    bool exact_ranks;           /* Mann-Whitney: p is exact */
    int64_t smallest_effective; /* trimmed means: values left in the smaller arm */
    const char *name;           /* of the metric's type; NULL = that of the analyzer */
    const char *verdict;        /* NULL = the common one */
    const char *interpretation;
};

/* The finding as a document. Texts and what they are made of must live as long as the arena. */
void results_compose(const struct results_call *call, enum analyzer analyzer,
                     const struct results_finding *finding, struct results_reply *answer);

/* Analyses a valid request. ERROR_TOO_LARGE, with the reason of results_limits.h, when it passes a
 * limit. */
MUST_CHECK enum error results_analyze(const struct results_call *call,
                                      const struct results_request *observed,
                                      struct results_reply *answer);

#endif
