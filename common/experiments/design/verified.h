/*
 * Verifies a plan: the power of the very test that /results runs, and the size from which on that
 * test reaches the target. Sizes come from formulas first (sizing.h); this says how far they are
 * off, and what unequal arms need.
 */
#ifndef ASSAY_EXPERIMENTS_DESIGN_VERIFIED_H
#define ASSAY_EXPERIMENTS_DESIGN_VERIFIED_H

#include "experiments/design/sizing.h"

struct verified_plan {
    double power;                    /* at the planned sample_size_per_variant, 0 to 1 */
    int64_t sample_size_per_variant; /* the first from which the power stays at the target */
    int64_t clusters;                /* of that size; 0 = not randomized by clusters */
    bool differs;                    /* by more than 1 % and one user from the planned one */
};

/* Power is that of one comparison at its share of alpha, rejections to either side counted, for
 * arms of the same size; with clusters, that of the t-test on their means, in whole clusters of the
 * average size. Tables and
 * totals are enumerated and integrals taken up to sizes where the formula is the same (variance of
 * the conversions or number of events above a million, 10^8 users for means): beyond, both are the
 * formula's. A size on the teeth of a saw is passed over, so that more users never fall short by
 * more than 0.02 percentage points (0.15 for Fisher's test above 300 users).
 *
 * ERROR_INVALID, sample_size_not_finite, when the size with the design effect is past 2^53. */
MUST_CHECK enum error verified_plan_find(const struct sizing_request *request,
                                         const struct sizing_plan *plan,
                                         struct verified_plan *verified, struct problem *problem);

/* That of the planned test at so many users per variant, all variants alike; the formula's where
 * nothing is enumerated. At the planned size it is verified_plan's. */
double verified_power_of_size(const struct sizing_request *request, const struct sizing_plan *plan,
                              int64_t size);

/* sizing_power_curve() with the power of the test beside the formula's: where that is smooth, from
 * a few sizes, within 1e-4 of verified_power_of_size(), and 2e-4 for rates. `verified` is that of
 * the plan. */
size_t verified_power_curve(const struct sizing_request *request, const struct sizing_plan *plan,
                            const struct verified_plan *verified, struct power_point *points,
                            size_t capacity);

/* The power of the planned test for two arms of independent users; absent where it is not
 * enumerated: past the sizes above, and past a variance of 4000 of all conversions or events for
 * unequal arms of Fisher's and of the count test. */
struct optional_number verified_power(const struct sizing_request *request,
                                      const struct sizing_plan *plan, int64_t control,
                                      int64_t treatment);

#endif
