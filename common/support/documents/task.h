/*
 * Queued ingestions, which the program `ingest` runs, and their results. A task is a row for
 * clients and a durable job with the same key. Where files are shared (support/blobs) any host
 * claims the job; otherwise only the one that stores the file. Tenants take turns.
 */
#ifndef ASSAY_SUPPORT_DOCUMENTS_TASK_H
#define ASSAY_SUPPORT_DOCUMENTS_TASK_H

#include "base/clock.h"
#include "crypto/token.h"
#include "jobs/job.h"
#include "support/documents/ingest.h"

enum {
    TASK_LEASE_SECONDS = 120,
    TASK_KEPT_SECONDS = 3600,
    TASK_SLOW_SECONDS = 2, /* older tasks are slow ones */
    HEARTBEAT_SECONDS = 10,
    SILENCE_SECONDS = TASK_LEASE_SECONDS * 2 /* interval of progress reports during an extraction */
};

struct task {
    const char *id;
    const char *status; /* PENDING, STARTED, PROCESSING, RETRY, SUCCESS, FAILURE, REVOKED */
    const char *meta;   /* JSON or NULL */
    const char *result; /* JSON or NULL */
    const char *host;   /* name of the host that stores the file; TASK_ANY_HOST = every host does */
};

#define TASK_ANY_HOST "shared"

/* Enqueues the ingestion of a stored file: its path, doc_id and title (or NULL); returns the
 * task's id in `id`. Where files are shared the one at `path` is no longer needed then. */
MUST_CHECK enum error task_submit(const struct document_call *call,
                                  const struct support_settings *settings,
                                  const struct ingest_request *file, const char **id);

/* ERROR_NOT_FOUND `task_not_found`, also for another tenant's. */
MUST_CHECK enum error task_find(const struct document_call *call, const char *id,
                                struct task *task);

/* Revokes a task that is not finished, and returns its state. ERROR_NOT_FOUND, ERROR_CONFLICT
 * `task_over`. */
MUST_CHECK enum error task_revoke(const struct document_call *call, const char *id,
                                  struct task *task);

/* Whether an ingest program that runs tasks of this host has reported in the last seconds. */
MUST_CHECK enum error task_is_drained(struct db *db, struct arena *arena,
                                      const struct support_settings *settings, bool *drained,
                                      struct problem *problem);

/* Whether such a program ran before, but none has reported for SILENCE_SECONDS. */
MUST_CHECK enum error task_is_silent(struct db *db, struct arena *arena,
                                     const struct support_settings *settings, bool *silent,
                                     struct problem *problem);

/* Whether the tenant has as many slow tasks as may run at a time; its other tasks wait. */
MUST_CHECK enum error task_is_held_up(const struct document_call *call,
                                      const struct support_settings *settings, bool *held_up);

/* For the ingest program: records that it is alive. */
MUST_CHECK enum error task_beat(struct db *db, struct arena *arena,
                                const struct support_settings *settings, struct problem *problem);

/* The arguments for running tasks. */
struct task_runner {
    const struct support_settings *settings;
    struct models *models;    /* those of struct ingest_request */
    void (*began)(int lease); /* called when a task is claimed, with its initial number of seconds;
                                 may be NULL */
};

/* Runs due tasks of this host and of every host, at most `most` of each; adds to the counts in
 * `tally`. */
MUST_CHECK enum error task_run_due(struct db *db, struct arena *arena,
                                   const struct task_runner *runner, int64_t most,
                                   struct job_counts *tally, struct problem *problem);

/* The last task checked for takeover; zeros = begin with the first. */
struct task_place {
    char created_at[CLOCK_TEXT_MAX];
    char id[TOKEN_UUID_TEXT];
};

/* Takes over tasks of hosts whose program is silent if this host has the identical file, as after
 * restoring a backup. Checks some tasks after `place` and advances it; after the last task it
 * starts again. */
MUST_CHECK enum error task_adopt(struct db *db, struct arena *arena,
                                 const struct support_settings *settings, struct task_place *place,
                                 struct problem *problem);

/* Deletes tasks that ended an hour ago. */
MUST_CHECK enum error task_forget(struct db *db, struct arena *arena,
                                  const struct support_settings *settings, struct problem *problem);

#endif
