/*
 * Durable jobs. A caller adds a job in its transaction; runners execute it later. Any number of
 * runners may run on any number of hosts. A runner claims a job under a lease, by the clock of the
 * database. When the runner dies, the job is due again after the lease, or as soon as another
 * runner ends the lease (runner.h).
 *
 * Guarantees: a job that was committed ends as done or as a dead letter that an operator sees.
 * `perform` happens at least once. What `record` writes is kept exactly once, because it is in the
 * transaction that ends the job, and only the holder of the lease can end it. Jobs are claimed
 * roughly in the order in which they are due; the order is not guaranteed.
 *
 * The table is sql/kits/jobs_1.sql to jobs_3.sql, included by the migrations of each service that
 * uses the kit.
 */
#ifndef ASSAY_JOBS_JOB_H
#define ASSAY_JOBS_JOB_H

#include "base/arena.h"
#include "base/error.h"
#include "db/db.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    JOB_NAME_MAX = 200,            /* bytes of a key or a lane */
    JOB_PAYLOAD_MAX = 1024 * 1024, /* bytes */
    JOB_CLAIMANT_MAX = 40,         /* bytes */
    JOB_PAUSE_MAX = 3600,          /* seconds that a verdict or a delay may ask for */
    JOB_ERROR_MAX = 512            /* bytes kept of an error's text, with its NUL */
};

struct job_kind;

/* One run of a job. Everything is valid until the run is over. */
struct job {
    const struct job_kind *kind;
    struct db *db;
    struct arena *arena;
    void *context; /* the runner's */
    int64_t id;
    const char *key;
    const char *lane; /* its concurrency group: see `lane_most` of struct job_kind */
    const char *payload;
    int64_t failures;       /* runs that failed before this one */
    int64_t interruptions;  /* runs whose lease ran out */
    int64_t created_at;     /* microseconds since 1970; of one sent again, when that was */
    void *result;           /* what `perform` leaves for `record`; NULL at first */
    const char *request_id; /* of the request that has caused the job; NULL = none has */
    const char *trace;      /* the span in which it was added, a traceparent; NULL = none */
    const char *holder;     /* private to the kit */
};

enum job_outcome {
    JOB_DONE,
    JOB_FAILED,    /* again later, as the plan says, or dead when its attempts are used up */
    JOB_REFUSED,   /* dead at once: trying again would not help */
    JOB_POSTPONED, /* again after `pause_seconds`; counts as no failure */
    JOB_OUTCOME__MAX
};

struct job_verdict {
    enum job_outcome outcome;
    double pause_seconds; /* of a failed one: at least so long, whatever the plan says; at most
                             JOB_PAUSE_MAX */
    char error[JOB_ERROR_MAX];
};

struct job_kind {
    const char *name;     /* "livedata.webhook"; never to be changed */
    int lease_seconds;    /* longer than any run takes, or the run calls job_extend() */
    int attempts;         /* failures after which the job is dead */
    const double *pauses; /* seconds after the 1st, 2nd… failure; the last one repeats */
    size_t pause_count;
    int interruptions_max; /* more leases that ran out make the job dead: it kills its runners */
    int lane_most;         /* jobs of one lane that all runners may run at a time; 0 = any number */
    int batch;             /* jobs claimed at once; 0 = 1; with lanes always 1 */
    bool lanes_take_turns; /* the lane after the one of the last claim comes next, whatever is due
                              for longer; every job has a lane */

    /* Outside any transaction; may talk to others. `verdict` is JOB_DONE when it is called. NULL =
     * there is nothing to do outside. */
    void (*perform)(struct job *job, struct job_verdict *verdict);

    /* In the transaction that ends this run, whatever the verdict. An error rolls back and makes
     * the run a failure, except for ERROR_BUSY and ERROR_UNAVAILABLE, which leave the job to the
     * end of its lease. NULL = nothing to write. */
    enum error (*record)(struct job *job, const struct job_verdict *verdict,
                         struct problem *problem);
};

/* A job to be added. `key` is unique in its kind for as long as the job is kept: adding it again
 * changes nothing. `lane` NULL = "". */
struct job_spec {
    const char *key;
    const char *lane;
    const char *payload;
    double delay_seconds; /* at most JOB_PAUSE_MAX */
};

/* Adds a job in the caller's transaction (or in one of its own). `added` (may be NULL) says whether
 * it is new. ERROR_INVALID job_key, ERROR_TOO_LARGE job_payload; errors of the database. */
MUST_CHECK enum error job_add(struct db *db, const struct job_kind *kind,
                              const struct job_spec *order, bool *added, struct problem *problem);

/* Outcomes of the jobs that were run. */
struct job_counts {
    int64_t claimed;
    int64_t done;
    int64_t failed; /* and will be tried again */
    int64_t postponed;
    int64_t dead;
    int64_t lost; /* another runner held the lease by then; nothing of this run was kept */
};

/* Runs what is due of a kind, at most `most` jobs and none after one that was postponed, and adds
 * to the counts. Each run has the arena to itself; memory that runs out is a failure of that job.
 * Errors are those of claiming and of the database; then what was claimed is due again after its
 * lease. */
MUST_CHECK enum error job_run_due(struct db *db, struct arena *arena, const struct job_kind *kind,
                                  void *context, int64_t most, struct job_counts *counts,
                                  struct problem *problem);

/* Extends the lease to `seconds` from now, for runs that are longer than the lease. ERROR_CONFLICT
 * job_lost when another runner holds the job. Not inside a transaction that may be rolled back. */
MUST_CHECK enum error job_extend(struct job *job, int seconds, struct problem *problem);

/* Sets the id under which this process claims jobs: at most JOB_CLAIMANT_MAX graphic bytes without
 * a dot; "" = none, as at first. No two live processes have the same id. */
void job_set_worker_id(const char *name);

/* Ends the leases that were claimed under a worker id, for a caller who knows that this worker is
 * dead. Each counts as an interruption when the job is claimed again. Errors of the database. */
MUST_CHECK enum error job_release(struct db *db, const char *name, int64_t *released,
                                  struct problem *problem);

#endif
