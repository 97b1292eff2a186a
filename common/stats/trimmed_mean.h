/*
 * Trimmed means of two arms: the test of Yuen and Welch.
 */
#ifndef ASSAY_STATS_TRIMMED_MEAN_H
#define ASSAY_STATS_TRIMMED_MEAN_H

#include "base/arena.h"
#include "stats/two_sample.h"

struct trimmed_mean_result {
    struct test_result test;   /* values: trimmed means */
    int64_t control_effective; /* values left after trimming */
    int64_t treatment_effective;
};

/* Yuen 1974: the share `trim` is cut off each end of each arm; standard errors use the Winsorized
 * variances. With trim 0 it is Welch's test. Degenerate when fewer than two values are left in an
 * arm or neither arm varies. Scratch comes from the arena. */
void trimmed_mean_test(const struct ranked_observation *observed, struct arena *arena,
                       struct trimmed_mean_result *result);

#endif
