/*
 * The results of a running experiment, computed from a view of its aggregates. Does not depend on
 * HTTP and runs no SQL.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_RESULTS_LIVE_RESULTS_H
#define ASSAY_EXPERIMENTS_LIVE_RESULTS_LIVE_RESULTS_H

#include "experiments/live/view.h"
#include "experiments/live_results/live_schema.h"
#include "i18n/i18n.h"

struct live_results_call {
    const struct locale *locale; /* language of all texts */
    struct arena *arena;
    int64_t mixture_users; /* subjects per arm to tune always-valid inference for, when the design
                              has no effect to tune it for */
    bool rough;            /* without texts; probabilities by normal posteriors */
};

/* Computes every block. */
void live_results_statistics(const struct live_results_call *call, const struct live_view *view,
                             struct live_stats *stats);

#endif
