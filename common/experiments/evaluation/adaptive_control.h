/*
 * Adaptive experiments as they run: switched on before the first exposure, and given a new round of
 * shares when enough has happened. A round is one transaction; two programs that make the same
 * round at once make one.
 */
#ifndef ASSAY_EXPERIMENTS_EVALUATION_ADAPTIVE_CONTROL_H
#define ASSAY_EXPERIMENTS_EVALUATION_ADAPTIVE_CONTROL_H

#include "experiments/adaptive/adaptive_store.h"
#include "experiments/audit/audit_store.h"
#include "experiments/live/view.h"

/* The settings with all rounds. ERROR_NOT_FOUND `not_found` where there is no such experiment,
 * `not_adaptive` where it is not adaptive. */
MUST_CHECK enum error adaptive_control_read(const struct live_call *call, const char *id,
                                            struct adaptive_document *document);

/* Makes an experiment adaptive, or changes its settings; a raised floor holds from the next round
 * on. ERROR_CONFLICT `experiment_started` where it has exposures and is not adaptive yet;
 * ERROR_INVALID `adaptive_floor` for a floor that the arms cannot all have, `adaptive_metric`,
 * `adaptive_dimensions` where the flag records as many dimensions as there is room for. */
MUST_CHECK enum error adaptive_control_write(const struct live_call *call,
                                             const struct actor *actor, const char *id,
                                             struct adaptive_document *document);

/* The same user split as the design's again. ERROR_CONFLICT `experiment_started`: exposures of
 * rounds cannot be read without them. */
MUST_CHECK enum error adaptive_control_delete(const struct live_call *call,
                                              const struct actor *actor, const char *id);

/* The shares that the next round of a view has: Thompson sampling, which is to say the probability
 * that each arm is the best by its posterior, above the floor. False where an arm says nothing yet.
 */
bool adaptive_next_shares(const struct live_view *view, struct arena *arena,
                          struct adaptive_shares *shares);

/* Makes the rounds that are due. An experiment that cannot be looked at is logged and passed over,
 * unless the database is unavailable. The memory of each comes from `work`, which is reset. */
MUST_CHECK enum error adaptive_update(const struct live_call *call, struct arena *work);

#endif
