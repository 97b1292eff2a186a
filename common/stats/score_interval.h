/*
 * The interval of a difference of two rates that matches the pooled z-test.
 */
#ifndef ASSAY_STATS_SCORE_INTERVAL_H
#define ASSAY_STATS_SCORE_INTERVAL_H

#include "stats/two_sample.h"

/* The differences that the score test does not reject (Mee 1984; Miettinen and Nurminen 1985
 * without their N / (N - 1)): standard errors use the maximum-likelihood rates with that
 * difference, for a difference of 0 the pooled rate. In percentage points. Needs conversions and
 * users without one. */
struct test_interval score_interval(const struct binary_observation *observed);

#endif
