/*
 * Users whose values have had the time to come in. A test at the planned size is for good, so it
 * waits for them. Contains all SQL about that.
 */
#ifndef ASSAY_EXPERIMENTS_LOOKS_SETTLED_H
#define ASSAY_EXPERIMENTS_LOOKS_SETTLED_H

#include "experiments/live/view.h"

/* Whether `users` of the arms were received at least `settling_seconds` ago, with the conversion
 * window of what decides over. Where the window has no end, the first alone counts. The cost grows
 * with `users`. */
MUST_CHECK enum error look_users_settled(const struct live_call *call, const struct live_view *view,
                                         int64_t settling_seconds, int64_t users, bool *settled);

#endif
