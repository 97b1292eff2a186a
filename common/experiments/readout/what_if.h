/*
 * What would have to change for another verdict: one thing at a time is moved away from what it is,
 * everything is computed again, and the first place with another verdict is told.
 */
#ifndef ASSAY_EXPERIMENTS_READOUT_WHAT_IF_H
#define ASSAY_EXPERIMENTS_READOUT_WHAT_IF_H

#include "experiments/readout/policy.h"
#include "experiments/readout/readout.h"

/* A list of struct decision_change: the effect of all treatments up or down, more people at the
 * same rates and means, a smaller error of the values. Empty where nothing of that would do within
 * a hundred times the people, ten standard errors, or a tenth of the error. */
struct object_list what_if_changes(const struct readout_call *call, const struct live_view *view,
                                   const struct live_stats *stats, enum verdict verdict);

#endif
