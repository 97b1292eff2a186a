/* Sample ratio mismatch: tests whether the observed allocation fits the planned one. Pearson's
 * chi-square goodness of fit (Pearson 1900); flagged when p < 0.001. */
#ifndef ASSAY_EXPERIMENTS_DESIGN_SRM_H
#define ASSAY_EXPERIMENTS_DESIGN_SRM_H

#include "base/error.h"
#include "base/optional.h"

#include <stdbool.h>

struct srm_result {
    double chi_square;
    double p_value;
    bool is_srm;
    struct optional_integer deviating_arm; /* the variant that adds most to chi-square, when three
                                              or more variants have a mismatch */
};

/* `counts` are observed users per variant, `weights` the planned shares in any positive unit (they
 * are normalized by their sum); same length. `expected` receives as many expected counts, or is
 * NULL. ERROR_INVALID (reason fraction_not_positive, no_observations) otherwise. */
MUST_CHECK enum error srm_check(const struct integer_list *counts,
                                const struct number_list *weights, double *expected,
                                struct srm_result *result, struct problem *problem);

/* The condition for checking counts. */
bool srm_counts_are_not_negative(const struct integer_list *counts);
bool srm_counts_have_users(const struct integer_list *counts);

#endif
