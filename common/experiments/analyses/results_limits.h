/*
 * How large the data of an analysis may be, and what it costs in units of admission. The methods
 * themselves go further; these bounds keep a request short.
 */
#ifndef ASSAY_EXPERIMENTS_ANALYSES_RESULTS_LIMITS_H
#define ASSAY_EXPERIMENTS_ANALYSES_RESULTS_LIMITS_H

#include "experiments/analyses/results_schema.h"

/* Of both arms together. The values of ranked arms are bounded by their schema. */
enum {
    FISHER_EXACT_USERS_MAX = 500000,
    UNCONDITIONAL_EXACT_USERS_MAX = 200,
    COUNT_EVENTS_MAX = 1000000,
};

struct results_limit {
    const char *reason; /* of the problem */
    const char *key;    /* of the text, with the placeholder {{limit}} */
    int64_t maximum;
};

/* The limit that a valid request passes, or NULL. */
const struct results_limit *results_limit_passed(const struct results_request *observed);

/* Cost units of a valid request. One that passes a limit costs 1, for it is refused at once. */
int64_t results_cost_units(const struct results_request *observed);

#endif
