/* Deletes everything that was collected for one experiment, so that it can start anew: for events
 * that were imported or sent wrongly. Its design, its decisions and its shared links stay. */
#ifndef ASSAY_EXPERIMENTS_LIVE_CLEAR_H
#define ASSAY_EXPERIMENTS_LIVE_CLEAR_H

#include "experiments/audit/audit_store.h"
#include "experiments/live/rollup_store.h"

/* What was deleted. */
struct live_clearing {
    const char *experiment_id;
    int64_t exposures, conversions;
};

/* In one transaction under the experiment's lock, with an entry `experiment.clear` in the audit
 * log. ERROR_NOT_FOUND where there is no such experiment. */
MUST_CHECK enum error live_clear(const struct live_call *call, const struct actor *actor,
                                 const char *id, struct live_clearing *clearing);

#endif
