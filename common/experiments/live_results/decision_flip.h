/*
 * Decision sensitivity: changes one quantity at a time, recomputes everything, and reports the
 * smallest change that gives another verdict.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_RESULTS_DECISION_FLIP_H
#define ASSAY_EXPERIMENTS_LIVE_RESULTS_DECISION_FLIP_H

#include "experiments/live_results/decision_schema.h"
#include "experiments/live_results/live_results.h"
#include "experiments/live_results/policy.h"

/* A list of struct decision_change: the effect of all treatments up or down, more subjects at the
 * same rates and means, a smaller error of the values. Empty if no such change is within a hundred
 * times the subjects, ten standard errors, or a tenth of the error. `margin` becomes the distance
 * of the nearest change of the effect, or NULL. */
struct object_list decision_flip_changes(const struct live_results_call *call,
                                         const struct live_view *view,
                                         const struct live_stats *stats, enum verdict verdict,
                                         const struct decision_margin **margin);

#endif
