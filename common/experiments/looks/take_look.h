/*
 * Takes looks at running experiments with planned looks or hybrid readings. A look is taken when
 * the users of the next planned one are there, by the upkeep or by whoever asks first, or at any
 * other moment by somebody who asks for an unplanned one. The one at the planned size is for good:
 * it waits until the values of its users had their time. Reading never takes a look. Boundaries
 * follow the fractions at which looks were taken, planned or not. A hybrid test has one look, its
 * end: an unplanned one ends it earlier.
 */
#ifndef ASSAY_EXPERIMENTS_LOOKS_TAKE_LOOK_H
#define ASSAY_EXPERIMENTS_LOOKS_TAKE_LOOK_H

#include "experiments/live_results/live_results.h"

struct look_request {
    bool unplanned;
};
SCHEMA_OF(look_request_schema, struct look_request);

struct look_reply {
    const char *experiment_id;
    bool taken;
    bool settling; /* not taken, because values may still come in */
    const struct live_planned_looks *planned_looks; /* with the look */
    const struct live_hybrid *hybrid;               /* the same of a hybrid test */
};
SCHEMA_OF(look_reply_schema, struct look_reply);

struct look_order {
    const char *actor; /* NULL = the upkeep */
    bool unplanned;
    int64_t settling_seconds; /* AB_LIVE_SETTLING_SECONDS */
};

/* Takes a look if one is due, or if it is `unplanned` and there are new users since the last one.
 * Nothing is taken once the test has ended, or after the plan was changed. ERROR_NOT_FOUND;
 * ERROR_CONFLICT `no_planned_looks`, `too_many_looks`, `source_not_fresh` while rows of live data
 * lag behind. */
MUST_CHECK enum error look_take(const struct live_call *call,
                                const struct live_results_call *results, const char *id,
                                const struct look_order *order, struct look_reply *reply);

/* Takes every look that is due; `work` is reset for each experiment. One that fails is logged and
 * left for the next time. */
MUST_CHECK enum error look_take_due(const struct live_call *call, const struct locale *locale,
                                    int64_t mixture_users, int64_t settling_seconds,
                                    struct arena *work);

#endif
