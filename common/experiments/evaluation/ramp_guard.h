/*
 * The guard of ramps: takes back the current step of a flag whose experiment breaches a guardrail.
 * Users who have seen a variation keep it; no more are let in than before the step.
 */
#ifndef ASSAY_EXPERIMENTS_EVALUATION_RAMP_GUARD_H
#define ASSAY_EXPERIMENTS_EVALUATION_RAMP_GUARD_H

#include "experiments/live/records.h"
#include "i18n/i18n.h"

/* Looks at every flag that is on and ramps up; a flag that is held is left alone. A flag that
 * cannot be looked at is logged and passed over, unless the database is unavailable. The memory of
 * a flag comes from `work`, which is reset after it. */
MUST_CHECK enum error ramp_guard(const struct live_call *call, const struct locale *locale,
                                 int64_t mixture_users, struct arena *work);

#endif
