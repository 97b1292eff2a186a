/*
 * The uncertainty of an observed difference: draws from the posterior of both arms, and the
 * relative uplift of each pair of draws. Rates have a uniform prior, so their posteriors are
 * Beta(successes + 1, failures + 1); means are normal about the observed ones (Gelman et al. 2013,
 * "Bayesian data analysis", 2.4 and 3.2). Seed and input give the same draws in every process.
 */
#ifndef ASSAY_STATS_BAYES_UPLIFT_DRAWS_H
#define ASSAY_STATS_BAYES_UPLIFT_DRAWS_H

#include "base/arena.h"
#include "stats/two_sample.h"

enum {
    UPLIFT_DRAWS_MIN = 1000,
    UPLIFT_DRAWS_MAX = 50000,
    UPLIFT_DRAWS_DEFAULT = 10000,
    UPLIFT_SEED = 42,       /* of the first project; the others use the following numbers */
    UPLIFT_PERCENTILES = 5, /* 5, 25, 50, 75, 95 */
    UPLIFT_THRESHOLDS = 10, /* 0.01 to 0.10 */
    UPLIFT_BUCKETS = 50
};

extern const int uplift_percentiles[UPLIFT_PERCENTILES];

struct uplift_draws {
    struct number_list values;              /* in the order of the draws */
    double percentiles[UPLIFT_PERCENTILES]; /* linear between order statistics, h = (n - 1) q */
    double above_zero;                      /* share of the draws */
    double above[UPLIFT_THRESHOLDS];
};

/* Call one of the two; users and sizes are at least 1. */
void uplift_draw_rates(const struct binary_observation *observed, size_t count, uint64_t seed,
                       struct arena *arena, struct uplift_draws *draws);
void uplift_draw_means(const struct continuous_observation *observed, size_t count, uint64_t seed,
                       struct arena *arena, struct uplift_draws *draws);

/* One axis for several sets of draws, and the share of each set in each bucket. */
struct uplift_axis {
    double start;
    double end;
    double width; /* of a bucket */
};

struct uplift_axis uplift_axis_of(const struct uplift_draws *const *sets, size_t count);
void uplift_shares(const struct uplift_axis *axis, const struct uplift_draws *draws,
                   double shares[UPLIFT_BUCKETS]);

#endif
