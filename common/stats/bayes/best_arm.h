/*
 * What independent posteriors of several arms say together: the probability of being best, the
 * expected loss of choosing an arm (Chapelle and Li 2011; Stucchio 2015), and differences. Exact
 * integrals, not draws: Gauss-Legendre between the quantiles of all arms, to about 1e-8.
 */
#ifndef ASSAY_STATS_BAYES_BEST_ARM_H
#define ASSAY_STATS_BAYES_BEST_ARM_H

#include "base/arena.h"
#include "stats/bayes/posterior.h"

#include <stddef.h>

enum { BEST_ARMS_MAX = 10 };

struct arm_chance {
    double best; /* probability */
    double loss; /* how much better the best of the others is expected to be, where it is better */
};

/* Fills `chances` of `count` arms (2..BEST_ARMS_MAX), all of one kind and proper; `smaller` = the
 * smallest is best. The loss is infinite where a posterior has at most one degree of freedom. */
void best_arm(const struct posterior *arms, size_t count, bool smaller, struct arena *arena,
              struct arm_chance *chances);

/* P(one - other <= difference), both independent. */
double difference_below(const struct posterior *one, const struct posterior *other,
                        double difference);

/* The interval with half of 1 - `credibility` beyond each end. */
void difference_interval(const struct posterior *one, const struct posterior *other,
                         double credibility, double *lower, double *upper);

#endif
