/*
 * The interval of a difference of two rates that belongs to the pooled z-test.
 */
#ifndef ASSAY_STATS_SCORE_INTERVAL_H
#define ASSAY_STATS_SCORE_INTERVAL_H

#include "stats/two_sample.h"

/* The differences that the score test does not reject (Mee 1984; Miettinen and Nurminen 1985
 * without their N / (N - 1)): standard errors come from the rates that are the likeliest with that
 * difference, which for no difference is the pooled rate. Percentage points. Some conversions and
 * some users without one are needed. */
struct test_interval score_interval(const struct binary_observation *observed);

#endif
