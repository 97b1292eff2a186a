/*
 * Ingestions that the program `ingest` runs later, and their results. A task is a row for clients
 * and a durable job with the same key. Only the host that has the file claims the job, and tenants
 * take turns.
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
    TASK_SLOW_SECONDS = 2, /* older ones are not over in a moment */
    HEARTBEAT_SECONDS = 10,
    SILENCE_SECONDS = TASK_LEASE_SECONDS * 2 /* a reading that goes on tells of itself */
};

struct task {
    const char *id;
    const char *status; /* PENDING, STARTED, PROCESSING, RETRY, SUCCESS, FAILURE, REVOKED */
    const char *meta;   /* JSON or NULL */
    const char *result; /* JSON or NULL */
    const char *host;   /* that has the file */
};

/* Promises the ingestion of a stored file; the task's id in `id`. */
MUST_CHECK enum error task_submit(const struct document_call *call,
                                  const struct support_settings *settings, const char *doc_id,
                                  const char *path, const char **id);

/* ERROR_NOT_FOUND `task_not_found`, also for another tenant's. */
MUST_CHECK enum error task_find(const struct document_call *call, const char *id,
                                struct task *task);

/* Ends a task that is not over as REVOKED, and says what it is then. ERROR_NOT_FOUND,
 * ERROR_CONFLICT `task_over`. */
MUST_CHECK enum error task_revoke(const struct document_call *call, const char *id,
                                  struct task *task);

/* Whether a program that drains the tasks of this host was heard of in the last seconds. */
MUST_CHECK enum error task_is_drained(struct db *db, struct arena *arena,
                                      const struct support_settings *settings, bool *drained,
                                      struct problem *problem);

/* Whether the program that drains the queue of this host was there once, and has not been heard of
 * for SILENCE_SECONDS. */
MUST_CHECK enum error task_is_silent(struct db *db, struct arena *arena,
                                     const struct support_settings *settings, bool *silent,
                                     struct problem *problem);

/* Whether the tenant has as many slow tasks as may be done at a time: others wait behind them. */
MUST_CHECK enum error task_is_held_up(const struct document_call *call,
                                      const struct support_settings *settings, bool *held_up);

/* For the program: says that it is alive. */
MUST_CHECK enum error task_beat(struct db *db, struct arena *arena,
                                const struct support_settings *settings, struct problem *problem);

/* By what means tasks are done. */
struct task_runner {
    const struct support_settings *settings;
    struct models *models;    /* those of struct ingest_request */
    void (*began)(int lease); /* a task was taken, for so many seconds at first; may be NULL */
};

/* Does what is due of this host, at most `most` tasks; the count goes into `tally`. */
MUST_CHECK enum error task_run_due(struct db *db, struct arena *arena,
                                   const struct task_runner *runner, int64_t most,
                                   struct job_counts *tally, struct problem *problem);

/* The task that was looked at last for being taken over; zeros = begin with the first. */
struct task_place {
    char created_at[CLOCK_TEXT_MAX];
    char id[TOKEN_UUID_TEXT];
};

/* Takes over tasks of hosts whose program is silent where this host has the very file, as after a
 * restored backup. Looks at some of them behind `place`, which goes on, and behind the last one
 * begins anew. */
MUST_CHECK enum error task_adopt(struct db *db, struct arena *arena,
                                 const struct support_settings *settings, struct task_place *place,
                                 struct problem *problem);

/* Forgets what ended an hour ago. */
MUST_CHECK enum error task_forget(struct db *db, struct arena *arena,
                                  const struct support_settings *settings, struct problem *problem);

#endif
