/* When users were exposed: reads their units, in whichever bucket they lie. */
#ifndef ASSAY_EXPERIMENTS_SOURCES_EXPOSURE_TIMES_H
#define ASSAY_EXPERIMENTS_SOURCES_EXPOSURE_TIMES_H

#include "experiments/live/rollup_store.h"

/* A user id with the time of the first exposure of its subject, or that it has none. */
struct live_exposure_time {
    const char *user_id;
    struct optional_integer at;
};
struct live_exposure_times {
    size_t count;
    const struct live_exposure_time *items; /* sorted by user_id; each once */
};

/* Of the users of an experiment that has events. In the caller's transaction. */
MUST_CHECK enum error live_find_exposure_times(const struct live_call *call,
                                               const struct live_experiment *experiment,
                                               const struct live_names *users,
                                               struct live_exposure_times *times);

/* NULL when the user was not asked about. */
const struct live_exposure_time *live_exposure_time_of(const struct live_exposure_times *times,
                                                       const char *user_id);

#endif
