/*
 * Periodic jobs: one job per name and interval, however many processes on however many hosts add
 * it. When the runner of such a job dies, the job is due again after its lease.
 */
#ifndef ASSAY_JOBS_PERIODIC_H
#define ASSAY_JOBS_PERIODIC_H

#include "jobs/job.h"

/* Adds the job of the interval that the clock of the database is in, unless it was added before.
 * The name is also its lane. Jobs that are done have to be kept for longer than an interval. */
MUST_CHECK enum error periodic_add(struct db *db, struct arena *arena, const struct job_kind *kind,
                                   const char *name, int64_t interval_seconds,
                                   struct problem *problem);

/* Adds one for now, beside those of the intervals. */
MUST_CHECK enum error periodic_add_now(struct db *db, struct arena *arena,
                                       const struct job_kind *kind, const char *name,
                                       struct problem *problem);

#endif
