/* States over how many buckets the users of an experiment are divided (bucket_store.h): for giant
 * experiments, which one lock or one node of a cluster would hold up. */
#ifndef ASSAY_EXPERIMENTS_LIVE_BUCKETS_H
#define ASSAY_EXPERIMENTS_LIVE_BUCKETS_H

#include "experiments/audit/audit_store.h"
#include "experiments/live/rollup_store.h"

struct live_division_choice {
    const char *experiment_id;
    int64_t buckets; /* 1..LIVE_BUCKETS_MAX */
};

/*
 * In one transaction under the experiment's lock, with an entry `project.update` in the audit log.
 * ERROR_NOT_FOUND where there is no such experiment, ERROR_INVALID with `project_archived`,
 * ERROR_CONFLICT with `experiment_started` for another number than it has once a record was
 * received: rows are where the number has put them.
 */
MUST_CHECK enum error live_choose_buckets(const struct live_call *call, const struct actor *actor,
                                          const struct live_division_choice *choice);

/* The number that holds, into `choice`; 1 = the users are not divided. ERROR_NOT_FOUND where there
 * is no such experiment. */
MUST_CHECK enum error live_stated_buckets(const struct live_call *call, const char *id,
                                          struct live_division_choice *choice);

#endif
