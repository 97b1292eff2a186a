/*
 * Two measurements of each user: the paired t-test, Wilcoxon's signed-rank test and McNemar's test.
 * Differences are treatment minus control.
 */
#ifndef ASSAY_STATS_PAIRED_H
#define ASSAY_STATS_PAIRED_H

#include "base/arena.h"
#include "stats/two_sample.h"

/* The i-th value of both lists belongs to the same user; the lists have the same length, 2 to 2^20
 * finite values. */
struct paired_observation {
    struct number_list control_values;
    struct number_list treatment_values;
    double alpha; /* two-sided */
};

/* From this number of discordant pairs on, McNemar's p-value uses the chi-square distribution. */
enum { MCNEMAR_CHI_SQUARE_MIN = 25 };

struct paired_result {
    /* The two values are the means of the arms, except in Wilcoxon's test, which compares no means.
     * No power. */
    struct test_result test;
    int64_t pairs;
    int64_t zero_differences; /* Wilcoxon: pairs with difference 0, which have no rank */
    int64_t positive;         /* McNemar: pairs that went from 0 to 1, and from 1 to 0 */
    int64_t negative;
    bool exact; /* McNemar: the p-value is binomial */
};

/* Student's t on the differences. Effect: their mean; effect size: the mean over their standard
 * deviation. Degenerate when all differences agree within the rounding of the values. Scratch comes
 * from the arena. */
void paired_t_test(const struct paired_observation *observed, struct arena *arena,
                   struct paired_result *result);

/* Wilcoxon 1945 on midranks of the differences that are not 0, by the normal distribution with tie
 * and continuity correction. Effect: the median of all pairwise averages of differences, zeros
 * included (Hodges and Lehmann 1963); its interval: two order statistics of the averages, by the
 * normal quantile. Statistic: the smaller rank sum; effect size: rank-biserial (Kerby 2014).
 * Degenerate when fewer than two differences have a rank. Scratch comes from the arena. */
void wilcoxon_test(const struct paired_observation *observed, struct arena *arena,
                   struct paired_result *result);

/* McNemar 1947 on values of 0 and 1: the binomial distribution for few discordant pairs, else
 * chi-square with continuity correction. Effect: the difference of the shares of ones with Wald's
 * interval; effect size: the odds ratio, pairs that rose over pairs that fell, absent when none
 * fell. Never degenerate: without a discordant pair p is 1. */
void mcnemar_test(const struct paired_observation *observed, struct paired_result *result);

/* The same pairs as a table: each cell at most 10^9, at least two pairs in all. */
struct paired_counts {
    int64_t both;
    int64_t control_only;   /* from 1 to 0 */
    int64_t treatment_only; /* from 0 to 1 */
    int64_t neither;
};

int64_t paired_counts_total(const struct paired_counts *counts);
void mcnemar_counts_test(const struct paired_counts *counts, double alpha,
                         struct paired_result *result);

#endif
