/*
 * Priors from past experiments: what their control arms had, by the method of moments. The spread
 * between experiments beyond what chance explains is that of the prior (DerSimonian and Laird 1986
 * for means). No spread beyond chance gives a prior as strong as all past users together.
 */
#ifndef ASSAY_STATS_BAYES_PAST_PRIOR_H
#define ASSAY_STATS_BAYES_PAST_PRIOR_H

#include "stats/bayes/posterior.h"

#include <stddef.h>

/* Of one experiment: `n` users (or exposure), their rate or mean, and the standard deviation where
 * it is a mean. */
struct past_result {
    double n, value, deviation;
};

/* At least two results. ERROR-free: false where nothing can be fitted (all values 0, or all 1, or
 * no deviation). */
bool past_rate_prior(const struct past_result *past, size_t count, struct rate_prior *prior);
bool past_count_prior(const struct past_result *past, size_t count, struct rate_prior *prior);
bool past_mean_prior(const struct past_result *past, size_t count, struct mean_prior *prior);

#endif
