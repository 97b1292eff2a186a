/*
 * Tests against a margin: equivalence of two means by two one-sided t-tests (TOST), and whether a
 * change does more harm than a margin allows.
 */
#ifndef ASSAY_STATS_EQUIVALENCE_H
#define ASSAY_STATS_EQUIVALENCE_H

#include "stats/two_sample.h"

/* Schuirmann 1987 on Welch's standard error: significant when the difference is shown to lie within
 * -margin..margin. The p-value is the larger of the two and the statistic belongs to it, the
 * interval has level 1 - 2 alpha, and the power is the power at no difference. The effect size is
 * Cohen's d. The observation must have a margin. */
void equivalence_test(const struct continuous_observation *observed, struct test_result *result);

struct harm_result {
    bool evaluable;          /* the variance is positive; otherwise all other members are 0 */
    double harm_lower_bound; /* one-sided at 1 - alpha */
    double harm_upper_bound;
    double p_value;        /* of harm above the margin */
    bool is_breached;      /* harm above the margin is significant */
    bool is_warning;       /* harm above the margin is observed, but not significant */
    bool is_non_inferior;  /* harm below the margin is significant */
    double p_non_inferior; /* of harm below the margin */
};

/* `harm` is the difference in the bad direction, `variance` that of the difference. Normal tests
 * (Blackwelder 1982). */
void harm_test(double harm, double variance, double margin, double alpha,
               struct harm_result *result);

#endif
