/* The primary metric by posteriors, as a block of live statistics. */
#ifndef ASSAY_EXPERIMENTS_LIVE_RESULTS_BAYES_H
#define ASSAY_EXPERIMENTS_LIVE_RESULTS_BAYES_H

#include "experiments/live_results/live_results.h"

/* Sets stats->bayes where the design has settings for it. */
void live_results_bayes(const struct live_results_call *call, const struct live_view *view,
                        struct live_stats *stats);

#endif
