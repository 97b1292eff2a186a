/*
 * The formulas that the sizing files share: sample sizes before rounding, rounding itself, and the
 * Fisher plan. Private to common/experiments/design.
 */
#ifndef ASSAY_EXPERIMENTS_DESIGN_SIZING_KERNELS_H
#define ASSAY_EXPERIMENTS_DESIGN_SIZING_KERNELS_H

#include "experiments/design/sizing.h"

enum {
    FISHER_SCAN_LIMIT = 500 /* largest z-plan size per arm that is refined by exact power */
};

/* Asymptotic relative efficiency of Mann-Whitney against the t-test: under normality, and its
 * minimum over all continuous distributions (Hodges and Lehmann 1956). */
#define MANN_WHITNEY_EFFICIENCY 0.95492965855137201461 /* 3 / pi */
#define MANN_WHITNEY_WORST_EFFICIENCY 0.864

/* Users per arm, not rounded, that detect `rate` against `rate + difference` in a two-sided
 * z-test. */
double size_two_proportions(double rate, double difference, double alpha, double power);

/* Users per arm, not rounded, that detect two means `difference` apart. */
double size_two_means(double std_dev, double difference, double alpha, double power);

/* Rounds a size or a duration up to a whole number, at least 1. False when it is NaN, infinite or
 * above 2^53, where doubles are no longer consecutive integers. */
bool round_size_up(double value, int64_t *size);

/* sizing_power() of independent users: before the design effect. */
double independent_power(const struct sizing_request *request, const struct sizing_plan *plan,
                         double n);

/* As round_size_up, but fills in the problem; `what` names the number. */
MUST_CHECK enum error settle_size(double value, const char *what, int64_t *size,
                                  struct problem *problem);

/* ERROR_INVALID unless `value` is a usable standard deviation; `field` names it. */
MUST_CHECK enum error check_std_dev(double value, const char *field, struct problem *problem);

/* Days until the arm with the least traffic has `n` users; at least 1. */
MUST_CHECK enum error duration_in_days(const struct sizing_request *request,
                                       const struct sizing_plan *plan, int64_t n, int64_t *days,
                                       struct problem *problem);

/* Fisher plan: smallest n >= max(2, normal_size), scanned upwards, whose exact power reaches the
 * target. ERROR_INVALID (exact_power_not_reached) past 4 * normal_size + 100. */
MUST_CHECK enum error fisher_smallest_size(double control_rate, double treatment_rate, double alpha,
                                           double power, int64_t normal_size, int64_t *n,
                                           struct problem *problem);

/* Casagrande, Pike and Smith 1978: the z-plan size corrected for continuity, and its inverse. */
double fisher_corrected_size(double normal_size, double difference);
double fisher_uncorrected_size(double corrected_size, double difference);

#endif
