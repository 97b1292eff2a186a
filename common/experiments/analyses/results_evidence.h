/*
 * What stands beside the figures of a two-arm analysis so that readers of other tools are not
 * misled: the relative effect with its interval, which convention each figure follows, the interval
 * that belongs to the p-value, and warnings of arms too small for an approximation. Knows the
 * methods' results, no formula.
 */
#ifndef ASSAY_EXPERIMENTS_ANALYSES_RESULTS_EVIDENCE_H
#define ASSAY_EXPERIMENTS_ANALYSES_RESULTS_EVIDENCE_H

#include "experiments/analyses/results_schema.h"
#include "i18n/i18n.h"

/* Below these an approximation is worth a warning. */
enum {
    EVIDENCE_EXPECTED_MIN = 5,   /* conversions, and users without one, expected of an arm (Cochran
                                    1954); values beyond a quantile */
    EVIDENCE_EVENTS_MIN = 10,    /* of an arm, for Wald's interval of rates */
    EVIDENCE_VALUES_MIN = 30,    /* of an arm, for a t-test of values that are not normal */
    EVIDENCE_RESAMPLED_MIN = 20, /* of an arm, for percentiles of a bootstrap */
    EVIDENCE_RANKS_MIN = 10      /* of an arm, for the normal distribution of U */
};

/* What was analysed, by which method. */
struct evidence {
    const struct locale *locale;
    struct arena *arena;
    const struct results_request *observed; /* NULL for a ratio of totals */
    const struct test_result *test;
    bool exact_ranks;           /* Mann-Whitney: the p-value is exact */
    int64_t smallest_effective; /* trimmed means: values left in the smaller arm */
    int decimals;               /* of the effect */
};

/* The relative effect with its interval, or why it has none. */
const struct results_lift *results_lift_of(const struct test_result *test, struct arena *arena);

/* Fills in relative_lift, conventions, test_interval, interval_agrees and warnings, and ends the
 * interpretation, which is there already, with a sentence where interval and p-value disagree. */
void evidence_add(const struct evidence *evidence, struct results_reply *answer);

#endif
