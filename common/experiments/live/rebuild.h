/* Recomputes units and aggregates from the raw rows, or verifies them against the raw rows. */
#ifndef ASSAY_EXPERIMENTS_LIVE_REBUILD_H
#define ASSAY_EXPERIMENTS_LIVE_REBUILD_H

#include "experiments/live/rollup_store.h"

/* Called periodically with the number of subjects done. */
typedef void live_progress(int64_t people, void *context);

struct live_rebuild {
    live_progress *progress; /* NULL = none */
    void *context;
    bool only_if_stale;  /* does nothing when others did it while this waited for the lock */
    int64_t people;      /* out: number of differences */
    int64_t differences; /* out: when verifying */
    char first[160];     /* out: description of the first difference */
};

/* Recomputes the aggregates of an experiment for the current design and settings, in one
 * transaction under the experiment's lock. Memory does not grow with the number of subjects. */
MUST_CHECK enum error live_rebuild_experiment(const struct live_call *call, const char *id,
                                              struct live_rebuild *rebuild);

/* Compares the stored aggregates with the raw rows, in one snapshot, and changes nothing. Counts
 * must be equal, sums must agree to 12 digits. */
MUST_CHECK enum error live_verify_experiment(const struct live_call *call, const char *id,
                                             struct live_rebuild *rebuild);

/* True when the aggregates belong to another design, other settings or other covariates, or have
 * lost digits. `metrics` holds the numbers of the design's metrics. */
bool live_is_stale(const struct live_call *call, const struct live_reading *reading,
                   const struct live_name_list *metrics, const struct live_covered_list *covered);

#endif
