/*
 * What grows old goes: traces with all that belongs to them, the audit log, conversations that
 * nobody has come back to. In batches, each a transaction; one runner at a time does one thing of
 * them, on however many hosts, and who dies is replaced after his lease.
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

/* Does what is due by the intervals of the settings, and adds to the counts. */
MUST_CHECK enum error purge_due(const struct purge_call *call, struct purge_tally *counts);

/* Does everything now; `busy` says that somebody else is at some of it. */
MUST_CHECK enum error purge_now(const struct purge_call *call, struct purge_tally *counts,
                                bool *busy);

/* What would go. */
MUST_CHECK enum error purge_count(const struct purge_call *call, struct purge_tally *counts);

#endif
