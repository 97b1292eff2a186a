/* Private to common/experiments/live_results: how many users see several arms, over time. */
#ifndef ASSAY_EXPERIMENTS_LIVE_RESULTS_CONTAMINATION_H
#define ASSAY_EXPERIMENTS_LIVE_RESULTS_CONTAMINATION_H

#include "experiments/live_results/live_results_internal.h"
#include "experiments/live_results/quality.h"

/*
 * Fills in `contamination_course`; whether it is an alarm. The e-value against a share of 0.1 % and
 * less is the mean of likelihood ratios of some larger shares, which is valid at every look: users
 * who are found in another arm later only add to it (Ville 1939; Ramdas et al. 2023).
 */
bool live_results_contamination(const struct live_results *results,
                                const struct live_series *series, struct live_quality *quality);

#endif
