/* SQL: which experiments are running. */
#ifndef ASSAY_EXPERIMENTS_INTERACTIONS_RUNNING_STORE_H
#define ASSAY_EXPERIMENTS_INTERACTIONS_RUNNING_STORE_H

#include "experiments/live/records.h"

/* At most `limit` others that have users, are not archived, and that nobody has decided: those with
 * the newest exposures first. */
MUST_CHECK enum error running_experiments(const struct live_call *call, const char *but,
                                          int64_t limit, struct string_list *ids);

#endif
