/*
 * Equivalence of two means: two one-sided t-tests (TOST) against a margin.
 */
#ifndef ASSAY_STATS_EQUIVALENCE_H
#define ASSAY_STATS_EQUIVALENCE_H

#include "stats/two_sample.h"

/* Schuirmann 1987 on Welch's standard error: significant when the difference is shown to lie within
 * -margin..margin. The p-value is the larger of the two, the statistic that of its side, the
 * interval has level 1 - 2 alpha, and the power is that at no difference. The effect size is
 * Cohen's d. The observation must carry a margin. */
void equivalence_test(const struct continuous_observation *observed, struct test_result *result);

#endif
