/*
 * Background jobs, started by an HTTP request and run one at a time by the program
 * `support-improver`. If its runner dies, the job ends with the error "worker lost".
 */
#ifndef ASSAY_SUPPORT_PROGRAMS_BACKGROUND_H
#define ASSAY_SUPPORT_PROGRAMS_BACKGROUND_H

#include "jobs/inbox.h"
#include "jobs/job.h"

enum { BACKGROUND_KEPT_SECONDS = 86400 };

struct background_run {
    const char *id, *tenant, *payload; /* JSON */
    const char *status;                /* queued, running, completed, error */
    const char *error;                 /* error of the last attempt: "worker lost", or a message */
    const char *created_at, *finished_at;
    const char *progress; /* JSON written by the runner; NULL = nothing yet */
};

/* The job kind of a run; only the runner needs `perform`. */
struct job_kind background_kind(const char *name, int64_t lease_seconds,
                                void (*perform)(struct job *job, struct job_verdict *verdict),
                                enum error (*record)(struct job *job,
                                                     const struct job_verdict *verdict,
                                                     struct problem *problem));

/* Adds a run. Its concurrency group (lane) is its tenant, or `all`. */
MUST_CHECK enum error background_add(struct db *db, const struct job_kind *kind, const char *id,
                                     const char *tenant, const char *payload,
                                     struct problem *problem);

/* ERROR_NOT_FOUND job_not_found. */
MUST_CHECK enum error background_find(struct db *db, struct arena *arena,
                                      const struct job_kind *kind, const char *id,
                                      struct background_run *run, struct problem *problem);

/* Unfinished runs, or with `ended` failed ones: newest first, of a tenant or (NULL) of all. */
MUST_CHECK enum error background_list(struct db *db, struct arena *arena,
                                      const struct job_kind *kind, const char *tenant, bool ended,
                                      int most, struct object_list *runs, struct problem *problem);

/* The runner reports its progress; also extends the job's lease. */
MUST_CHECK enum error background_say(struct job *job, const char *progress,
                                     struct problem *problem);

#endif
