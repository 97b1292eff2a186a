/*
 * Administration of jobs: counts per kind, dead letters, sending again, stopping, and deleting
 * finished jobs. A service decides who may see which rows; this kit knows no tenants.
 */
#ifndef ASSAY_JOBS_INBOX_H
#define ASSAY_JOBS_INBOX_H

#include "base/optional.h"
#include "jobs/job.h"

enum job_state { JOB_WAITING, JOB_IS_DONE, JOB_IS_DEAD, JOB_STATE__MAX };
extern const char *const job_state_names[JOB_STATE__MAX]; /* "waiting", "done", "dead" */

/* Times are microseconds since 1970 by the clock of the database. */
struct job_row {
    int64_t id;
    const char *key;
    const char *lane;
    const char *payload;
    enum job_state state;
    bool held; /* under the lease of a runner, which may have died */
    int64_t failures;
    int64_t interruptions;
    int64_t due_at;         /* of a held one: the end of its lease */
    const char *last_error; /* or NULL */
    int64_t created_at;
    struct optional_integer finished_at;
};

struct job_rows {
    size_t count;
    struct job_row *items;
};

/* Jobs of a kind in one state, newest first, at most `most`, with ids below `before` (0 = all).
 * `lane` NULL = every lane. */
MUST_CHECK enum error job_list(struct db *db, struct arena *arena, const struct job_kind *kind,
                               enum job_state state, const char *lane, int64_t before, int most,
                               struct job_rows *rows, struct problem *problem);

/* The job of a key; ERROR_NOT_FOUND job_not_found. */
MUST_CHECK enum error job_find(struct db *db, struct arena *arena, const struct job_kind *kind,
                               const char *key, struct job_row *row, struct problem *problem);

/* Makes a dead letter due again, with all its attempts. ERROR_NOT_FOUND job_not_found when there is
 * no such job, ERROR_CONFLICT job_not_dead when it is not dead. */
MUST_CHECK enum error job_send_again(struct db *db, const struct job_kind *kind, const char *key,
                                     struct problem *problem);

/* Ends waiting jobs of a lane as dead letters with that text, as when their receiver was removed. A
 * run that is going on ends as lost. `count` says how many. */
MUST_CHECK enum error job_stop_lane(struct db *db, const struct job_kind *kind, const char *lane,
                                    const char *why, int64_t *count, struct problem *problem);

/* The same of one job. */
MUST_CHECK enum error job_stop(struct db *db, const struct job_kind *kind, const char *key,
                               const char *why, int64_t *count, struct problem *problem);

/* Makes a job that is due and that nobody holds one of another kind; `moved` is false when there is
 * none. */
MUST_CHECK enum error job_move(struct db *db, const struct job_kind *from, const char *key,
                               const struct job_kind *to, bool *moved, struct problem *problem);

struct job_figures {
    int64_t waiting; /* due or not, held or not */
    int64_t held;
    int64_t dead;
    double oldest_due_seconds; /* how long the first due job has been waiting; 0 = none is */
};
MUST_CHECK enum error job_figures(struct db *db, const struct job_kind *kind,
                                  struct job_figures *figures, struct problem *problem);

/* Forgets at most `most` jobs in `state` that ended `seconds` ago or earlier. */
MUST_CHECK enum error job_forget(struct db *db, const struct job_kind *kind, enum job_state state,
                                 double seconds, int64_t most, int64_t *count,
                                 struct problem *problem);

#endif
