/*
 * The analysis of an uploaded file as a task: a row for clients, a durable job of the host that has
 * the file, and the file in its folder (data_spool.h). The program experiments-tasks analyzes one
 * file at a time. What a task found is kept for a while. Docs: docs/use/statistics.md.
 */
#ifndef ASSAY_EXPERIMENTS_DATAFILES_DATA_TASK_H
#define ASSAY_EXPERIMENTS_DATAFILES_DATA_TASK_H

#include "experiments/datafiles/data_analysis.h"
#include "experiments/settings.h"
#include "i18n/i18n.h"
#include "jobs/job.h"

enum data_task_state {
    DATA_TASK_WAITING,
    DATA_TASK_RUNNING,
    DATA_TASK_DONE,
    DATA_TASK_FAILED,
    DATA_TASK_STATE__MAX
};

struct data_task {
    const char *id;
    int state;                    /* enum data_task_state */
    int64_t bytes, bytes_read;    /* of the file */
    const char *reason, *failure; /* of one that failed: the code, and a text for people */
    int64_t created_at, ended_at; /* microseconds since 1970; 0 = not yet */
    int64_t expires_at;
    const char *result; /* the text of a struct data_reply; NULL = none yet */
};
SCHEMA_OF(data_task_schema, struct data_task);

struct data_task_call {
    struct db *db;
    struct arena *arena;
    const struct experiments_settings *settings;
    const char *folder; /* data_spool_folder(); may be NULL where only rows are read */
    const char *host;   /* job_host_name() of the folder; NULL = it is asked when it is needed */
    struct problem *problem;
};

/* What is to be analyzed. */
struct data_task_order {
    const char *id;      /* of token_uuid(), as the file is named that is in the folder already */
    const char *mapping; /* the text of a valid struct data_mapping */
    const struct locale *locale;
    int64_t bytes;
};

/* Stores the order and says what its task is like. ERROR_UNAVAILABLE `host_not_named`; after an
 * error the caller deletes the file. */
MUST_CHECK enum error data_task_submit(const struct data_task_call *call,
                                       const struct data_task_order *order, struct data_task *task);

/* ERROR_NOT_FOUND `data_task_not_found`. */
MUST_CHECK enum error data_task_read(const struct data_task_call *call, const char *id,
                                     struct data_task *task);

/* Calls a task off and forgets what it found; `task` is as it was. ERROR_NOT_FOUND
 * `data_task_not_found`. */
MUST_CHECK enum error data_task_delete(const struct data_task_call *call, const char *id,
                                       struct data_task *task);

/* Runs the next task of this host, if there is one; adds to the counts. `stop` says whether the
 * program has to end: the task begins again later. The call's arena is reset. */
MUST_CHECK enum error data_task_run_next(const struct data_task_call *call, bool (*stop)(void),
                                         struct job_counts *counts);

/* Forgets tasks that are too old or too many, and files that no task of this host needs. */
MUST_CHECK enum error data_task_forget(const struct data_task_call *call);

#endif
