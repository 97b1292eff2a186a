/* Keeps the figures that the list of experiments shows. */
#ifndef ASSAY_EXPERIMENTS_LIVE_RESULTS_OVERVIEW_H
#define ASSAY_EXPERIMENTS_LIVE_RESULTS_OVERVIEW_H

#include "experiments/live_results/live_results.h"

/* Recomputes at most `limit` outdated figures. What cannot be computed keeps its old figures. */
MUST_CHECK enum error overview_renew(const struct live_call *call,
                                     const struct live_results_call *results, int64_t limit);

#endif
