/*
 * Adds evidence to the numbers of a two-arm analysis, so that users of other tools can compare
 * results: the relative effect with its interval, the convention of each number, the interval that
 * belongs to the p-value, and warnings for arms too small for an approximation. Reads findings;
 * contains no formula.
 */
#ifndef ASSAY_EXPERIMENTS_ANALYSES_RESULTS_EVIDENCE_H
#define ASSAY_EXPERIMENTS_ANALYSES_RESULTS_EVIDENCE_H

#include "experiments/analyses/analyzer.h"

/* The analyzed data, and the analyzer. */
struct evidence {
    const struct locale *locale;
    struct arena *arena;
    const struct analyzer *analyzer;
    const struct results_request *observed; /* NULL for a ratio of totals */
    const struct results_finding *finding;
};

/* The relative effect with its interval, or the reason why it has none. */
const struct results_lift *results_lift_of(const struct test_result *test, struct arena *arena);

/* Fills in relative_lift, conventions, test_interval, interval_agrees and warnings. If interval and
 * p-value disagree, adds a sentence to the interpretation. */
void evidence_add(const struct evidence *evidence, struct results_reply *answer);

#endif
