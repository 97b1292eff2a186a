/* Private to common/experiments/live_results: whether the effect changes with the days since a user
 * first saw the treatment, because it is new, or because users learn. */
#ifndef ASSAY_EXPERIMENTS_LIVE_RESULTS_NOVELTY_H
#define ASSAY_EXPERIMENTS_LIVE_RESULTS_NOVELTY_H

#include "experiments/live_results/live_results_internal.h"
#include "experiments/live_results/quality.h"

/* Users of each arm that a day needs. */
enum { NOVELTY_USERS_MIN = 100, NOVELTY_DAYS_MIN = 3 };

/* Fills in `novelty`, by treatment: the effect of each day since the exposure, and the trend of
 * them (stats/contrasts/trend.h). Whether one is an alarm. */
bool live_results_novelty(const struct live_results *results, const struct live_series *series,
                          struct live_quality *quality);

#endif
