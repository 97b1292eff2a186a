/*
 * Deletes by age: traces with all that belongs to them, the audit log, and conversations without
 * new messages. Works in batches, each a transaction. Each of the three is done by one runner at a
 * time on all hosts; when the runner dies, another takes over after the lease.
 */
#ifndef ASSAY_SUPPORT_UPKEEP_PURGE_H
#define ASSAY_SUPPORT_UPKEEP_PURGE_H

#include "db/db.h"
#include "shm/metrics.h"
#include "support/settings.h"

#include <stdbool.h>

struct purge_tally {
    int64_t traces, steps, feedback, evaluations;
    int64_t audit;
    int64_t sessions, messages;
};

struct purge_call {
    struct db *db;
    struct arena *arena; /* reset after each job */
    const struct support_settings *settings;
    struct metrics *metrics; /* or NULL */
    struct problem *problem;
};

/* Purges the kinds that are due by the intervals of the settings, and adds to the counts. */
MUST_CHECK enum error purge_due(const struct purge_call *call, struct purge_tally *counts);

/* Does everything now. *busy: another process is doing a part of it. */
MUST_CHECK enum error purge_now(const struct purge_call *call, struct purge_tally *counts,
                                bool *busy);

/* Counts what would be deleted. */
MUST_CHECK enum error purge_count(const struct purge_call *call, struct purge_tally *counts);

#endif
