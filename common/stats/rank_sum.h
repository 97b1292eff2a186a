/*
 * The Mann-Whitney test (Wilcoxon's rank sum) and the Hodges-Lehmann shift with its interval.
 */
#ifndef ASSAY_STATS_RANK_SUM_H
#define ASSAY_STATS_RANK_SUM_H

#include "base/arena.h"
#include "stats/two_sample.h"

/* Up to this many values, and without ties, the p-value is exact. */
enum { RANK_SUM_EXACT_MAX = 30 };

struct rank_sum_result {
    struct test_result test; /* values: medians; effect: shift; effect size: rank-biserial */
    double u;                /* pairs in which treatment is larger; ties count half */
    double superiority;      /* U over all pairs: P(treatment > control) + P(equal) / 2 */
    bool exact;
};

/* Mann and Whitney 1947: z with tie and continuity correction, or the exact distribution of U by
 * counting. The shift is the median of all differences (Hodges and Lehmann 1963), its interval the
 * order statistics of Moses' method with the normal quantile, also where p is exact. The test
 * interval holds the shifts that this test does not reject, with the exact distribution or with
 * continuity correction and the ties of the data; for small arms it may be unbounded on both sides.
 * Degenerate when all values are tied. Scratch comes from the arena. Up to 2^20 values per arm. */
void rank_sum_test(const struct ranked_observation *observed, struct arena *arena,
                   struct rank_sum_result *result);

#endif
