/*
 * What an answer says beside the numbers of a two-arm analysis so that readers of other tools are
 * not misled: the relative effect with its interval, which convention each number follows, the
 * interval that belongs to the p-value, and warnings of arms too small for an approximation. Knows
 * findings, no formula.
 */
#ifndef ASSAY_EXPERIMENTS_ANALYSES_RESULTS_EVIDENCE_H
#define ASSAY_EXPERIMENTS_ANALYSES_RESULTS_EVIDENCE_H

#include "experiments/analyses/analyzer.h"

/* What was analyzed, and by which analyzer. */
struct evidence {
    const struct locale *locale;
    struct arena *arena;
    const struct analyzer *analyzer;
    const struct results_request *observed; /* NULL for a ratio of totals */
    const struct results_finding *finding;
};

/* The relative effect with its interval, or why it has none. */
const struct results_lift *results_lift_of(const struct test_result *test, struct arena *arena);

/* Fills in relative_lift, conventions, test_interval, interval_agrees and warnings, and adds to the
 * interpretation a sentence where interval and p-value disagree. */
void evidence_add(const struct evidence *evidence, struct results_reply *answer);

#endif
