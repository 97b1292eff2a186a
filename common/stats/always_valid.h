/*
 * Inference that is valid at every interim look: the mixture sequential probability ratio test of a
 * difference with a normal estimator (Robbins 1970; Johari, Koomen, Pekelis and Walsh 2017).
 */
#ifndef ASSAY_STATS_ALWAYS_VALID_H
#define ASSAY_STATS_ALWAYS_VALID_H

#include <stdbool.h>

struct always_valid {
    bool evaluable; /* both variances positive and finite; otherwise all other members are 0 */
    double p_value;
    double confidence_level;
    double lower, upper; /* of the confidence sequence */
    bool is_significant; /* p < alpha: 0 is outside the interval */
    double mixture_variance;
};

/* `variance` is that of the difference, unpooled. `mixture` is the variance of the effects that the
 * test is tuned for; it must be fixed before the data are seen, or the test is not valid.
 * Two-sided. */
void always_valid_test(double difference, double variance, double mixture, double alpha,
                       struct always_valid *result);

#endif
