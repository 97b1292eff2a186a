/*
 * The decision on a running experiment: the verdict of the policy, its reasons as texts, and the
 * smallest changes that would give another verdict.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_RESULTS_DECISION_H
#define ASSAY_EXPERIMENTS_LIVE_RESULTS_DECISION_H

#include "experiments/live_results/decision_schema.h"
#include "experiments/live_results/live_results.h"

void live_results_decision(const struct live_results_call *call, const struct live_view *view,
                           struct live_decision *decision);

#endif
