/*
 * The decision on a running experiment as a document: the verdict of the policy, its reasons in
 * words, and the smallest changes that would give another verdict.
 */
#ifndef ASSAY_EXPERIMENTS_READOUT_DECISION_H
#define ASSAY_EXPERIMENTS_READOUT_DECISION_H

#include "experiments/readout/decision_shape.h"
#include "experiments/readout/readout.h"

void readout_decision(const struct readout_call *call, const struct live_view *view,
                      struct live_decision *decision);

#endif
