/*
 * Tests by resampling, for means and for quantiles: a permutation test for the p-value, a
 * percentile bootstrap for the interval.
 */
#ifndef ASSAY_STATS_RESAMPLING_H
#define ASSAY_STATS_RESAMPLING_H

#include "base/arena.h"
#include "stats/two_sample.h"

/* The number of resamples of each kind, and the seeds. Each resample has its own stream under its
 * seed (see math/random.h), so a result depends on the data alone. */
enum {
    RESAMPLES = 2000,
    PERMUTATION_SEED = 20240629,
    BOOTSTRAP_SEED = PERMUTATION_SEED + 1,
};

struct resampling_result {
    struct test_result test;
    int64_t permutations; /* relabelings used for the p-value: all of them or `resamples` */
};

/* The difference of means. Uses all relabelings if there are at most `resamples`, else that many
 * random ones, with p = (1 + as extreme) / (1 + all) (Phipson and Smyth 2010); interval by the
 * percentile bootstrap (Efron 1979). Statistic and power are Welch's, by the normal distribution;
 * the effect size is Cohen's d. Never degenerate. Arms of two values or more, up to 2^31 in all;
 * the time is proportional to resamples times values. Scratch comes from the arena. */
void resampling_means(const struct ranked_observation *observed, int64_t resamples,
                      struct arena *arena, struct resampling_result *result);

/* The difference of the quantiles `observed->quantile`. The statistic is the difference over the
 * standard deviation of its bootstrap replicates. The time of the bootstrap is proportional to
 * resamples alone. */
void resampling_quantiles(const struct ranked_observation *observed, int64_t resamples,
                          struct arena *arena, struct resampling_result *result);

#endif
