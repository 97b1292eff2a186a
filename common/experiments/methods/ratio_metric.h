/*
 * The comparison of two ratios of totals, revenue per order or clicks per view for one, whose
 * numerator and denominator both vary from user to user.
 */
#ifndef ASSAY_EXPERIMENTS_METHODS_RATIO_METRIC_H
#define ASSAY_EXPERIMENTS_METHODS_RATIO_METRIC_H

#include "base/arena.h"
#include "experiments/methods/two_sample.h"

/* The i-th value of both lists belongs to the same user; equally long, at least 2 finite values. */
struct ratio_arm {
    struct number_list numerators;
    struct number_list denominators;
};

struct ratio_observation {
    const struct ratio_arm *control_arm;
    const struct ratio_arm *treatment_arm;
    double alpha; /* two-sided */
};

/* R = sum of numerators over sum of denominators per arm; its variance by the delta method, that of
 * numerator - R denominator over n times the squared mean denominator (Deng, Knoblich and Lu 2018);
 * z-test and interval of the difference. Values: the ratios. Degenerate when the denominators of an
 * arm add up to nothing but rounding, or when no user of either arm differs from its ratio by more
 * than rounding. Scratch, where values are extreme, comes from the arena. */
void ratio_metric_test(const struct ratio_observation *observed, struct arena *arena,
                       struct test_result *result);

#endif
