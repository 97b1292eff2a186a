/*
 * Users per variant for uneven traffic splits. A small arm increases the total, and takes as many
 * days as the others. The cost of the split is the difference from the plan with even arms.
 */
#ifndef ASSAY_EXPERIMENTS_DESIGN_ALLOCATION_H
#define ASSAY_EXPERIMENTS_DESIGN_ALLOCATION_H

#include "experiments/design/verified.h"

enum { ALLOCATION_VARIANTS_MAX = 10 };

/* Users per arm, control first. */
struct allocated_users {
    int64_t users[ALLOCATION_VARIANTS_MAX];
    int64_t total;
    int64_t duration_days;
};

struct allocation {
    size_t variants;
    bool unequal;
    struct allocated_users planned; /* by the plan's formula for the actual ratio of the arms */
    double total_ratio;             /* planned total divided by the total of even arms */
    struct optional_number
        power; /* power of the test itself at `planned`, for the weakest comparison */
    bool verified_given;
    struct allocated_users verified; /* the first size from which that power stays at the target */
};

/* Every comparison is that of control with one treatment at its share of alpha; the arm that needs
 * the most users decides for all. For even splits this is the plan with its verified numbers.
 * Formulas: docs/use/statistics.md. Power and verified users are absent when verified_power() is.
 * Errors as sizing_plan_design(). */
MUST_CHECK enum error allocation_find(const struct sizing_request *request,
                                      const struct sizing_plan *plan,
                                      const struct verified_plan *verified,
                                      struct allocation *allocation, struct problem *problem);

#endif
