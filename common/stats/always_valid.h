/*
 * Inference that holds at every look: the mixture sequential probability ratio test of a difference
 * with a normal estimator (Robbins 1970; Johari, Koomen, Pekelis and Walsh 2017).
 */
#ifndef ASSAY_STATS_ALWAYS_VALID_H
#define ASSAY_STATS_ALWAYS_VALID_H

#include <stdbool.h>

struct always_valid {
    bool evaluable; /* both variances positive and finite; otherwise all else is 0 */
    double p_value;
    double confidence_level;
    double lower, upper; /* of the confidence sequence */
    bool is_significant; /* p < alpha: 0 lies outside */
    double mixture_variance;
};

/* `variance` is that of the difference, unpooled. `mixture` is the variance of the effects that the
 * test is tuned for; it must have been fixed before the data, or nothing holds. Two-sided. */
void always_valid_test(double difference, double variance, double mixture, double alpha,
                       struct always_valid *result);

#endif
