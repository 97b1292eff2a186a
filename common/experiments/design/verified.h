/*
 * Verifies a plan: computes the power of the test that /results runs, and the size from which that
 * test reaches the target. Sizes first come from formulas (sizing.h); this file gives their error,
 * and the sizes for unequal arms.
 */
#ifndef ASSAY_EXPERIMENTS_DESIGN_VERIFIED_H
#define ASSAY_EXPERIMENTS_DESIGN_VERIFIED_H

#include "experiments/design/sizing.h"

struct verified_plan {
    double power;                    /* at the planned sample_size_per_variant, 0 to 1 */
    int64_t sample_size_per_variant; /* the first from which the power stays at the target */
    int64_t clusters;                /* of that size; 0 = not randomized by clusters */
    bool differs; /* differs by more than 1 % and one user from the planned size */
};

/* Power is that of one comparison at its share of alpha, for arms of equal size; rejections on
 * either side count. With clusters, it is that of the t-test on cluster means, in whole clusters of
 * the average size. Tables are enumerated and integrals computed up to a limit: a variance of the
 * conversions or a number of events of a million, 10^8 users for means. Beyond the limit, power and
 * size are those of the formula. Sizes where the sawtooth of the power briefly reaches the target
 * are skipped, so that more users never fall short by more than 0.02 percentage points (0.15 for
 * Fisher's test above 300 users).
 *
 * ERROR_INVALID, sample_size_not_finite, when the size with the design effect exceeds 2^53. */
MUST_CHECK enum error verified_plan_find(const struct sizing_request *request,
                                         const struct sizing_plan *plan,
                                         struct verified_plan *verified, struct problem *problem);

/* Power of the planned test at `n` users per variant, all variants equal; the formula's power if
 * nothing is enumerated. At the planned size it equals the power in verified_plan. */
double verified_power_of_size(const struct sizing_request *request, const struct sizing_plan *plan,
                              int64_t size);

/* sizing_power_curve() with the power of the test beside that of the formula. Where that power is
 * smooth, it is interpolated from a few sizes, within 1e-4 of verified_power_of_size(), and 2e-4
 * for rates. `verified` is that of the plan. */
size_t verified_power_curve(const struct sizing_request *request, const struct sizing_plan *plan,
                            const struct verified_plan *verified, struct power_point *points,
                            size_t capacity);

/* Power of the planned test for two arms of independent users. Absent when it is not enumerated:
 * beyond the limits above, and beyond a variance of 4000 of all conversions or events for unequal
 * arms of Fisher's and of the count test. */
struct optional_number verified_power(const struct sizing_request *request,
                                      const struct sizing_plan *plan, int64_t control,
                                      int64_t treatment);

#endif
