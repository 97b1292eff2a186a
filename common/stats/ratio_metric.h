/*
 * The comparison of two ratios of totals (revenue per order or clicks per view, for example), whose
 * numerator and denominator both vary between users.
 */
#ifndef ASSAY_STATS_RATIO_METRIC_H
#define ASSAY_STATS_RATIO_METRIC_H

#include "base/arena.h"
#include "stats/two_sample.h"

#include <stdbool.h>

/* The i-th value of both lists belongs to the same user; the lists have the same length, at least 2
 * finite values. */
struct ratio_arm {
    struct number_list numerators;
    struct number_list denominators;
};

struct ratio_observation {
    const struct ratio_arm *control_arm;
    const struct ratio_arm *treatment_arm;
    double alpha;  /* two-sided */
    int direction; /* enum goal_direction, for the verdict */
};

/* R = sum of numerators over sum of denominators per arm; its variance by the delta method: the
 * variance of numerator - R denominator, divided by n times the squared mean denominator (Deng,
 * Knoblich and Lu 2018); z-test and interval of the difference. Values: the ratios. Degenerate when
 * the denominators of an arm sum to 0 within rounding, or when no user of either arm differs from
 * its ratio by more than rounding. Scratch, where values are extreme, comes from the arena. */
void ratio_metric_test(const struct ratio_observation *observed, struct arena *arena,
                       struct test_result *result);

/* An arm of at least 2 users: its means, and sums of squares and products about them. */
struct ratio_moments {
    int64_t n;
    double numerator_mean, denominator_mean;
    double numerator_squares, denominator_squares, products;
};

/* The ratio and its variance by the delta method; false when it is undefined: fewer than 2 users,
 * or a denominator of 0. */
bool ratio_moments_estimate(const struct ratio_moments *arm, double *ratio, double *variance);

/* The same test from moments. */
void ratio_moments_test(const struct ratio_moments *control, const struct ratio_moments *treatment,
                        double alpha, struct test_result *result);

#endif
