/* Tasks as clients see them, and what is forgotten of them. */
#include "experiments/datafiles/data_task.h"

#include "experiments/datafiles/data_spool.h"
#include "experiments/datafiles/data_task_job.h"
#include "experiments/datafiles/data_task_store.h"
#include "jobs/inbox.h"

/* A file is there before its task is stored. */
enum { UNSTORED_SECONDS = 600, JOBS_MOST = 1000 };

static const int64_t second_us = 1000000;

static const char *const state_names[DATA_TASK_STATE__MAX] = {"waiting", "running", "done",
                                                              "failed"};

#define OWNER struct data_task
static const struct field task_fields[] = {
    STRING(OWNER, id),
    CHOICE(OWNER, state, state_names, .choice_count = DATA_TASK_STATE__MAX),
    INTEGER(OWNER, bytes, .help = "Of the file."),
    INTEGER(OWNER, bytes_read,
            .help = "How many of them have been read; when that is all of them, the numbers of a "
                    "running task are being compared."),
    STRING(OWNER, reason, .nullable = true,
           .help = "Of one that failed: the code that POST /api/v1/results/file would have "
                   "answered, or given_up."),
    STRING(OWNER, failure, .nullable = true),
    TIME(OWNER, created_at),
    TIME_OR_NULL(OWNER, ended_at),
    TIME(OWNER, expires_at, .help = "From then on the task may be forgotten."),
    WRITTEN_OBJECT(OWNER, result, "result", data_reply_schema, .nullable = true,
                   .help = "Of one that is done."),
};
#undef OWNER
SCHEMA(data_task_schema, struct data_task, "DataTask", task_fields,
       .help = "A file that is analyzed after the answer.");

static enum error read_known(const struct data_task_call *call, const char *id,
                             struct data_task_row *row)
{
    bool found;
    enum error error = data_task_row_read(call, id, row, &found);

    if (!error && !found)
        error = problem_set(call->problem, ERROR_NOT_FOUND, "data_task_not_found",
                            "There is no such task, or it was forgotten");
    return error;
}

/* A job that killed its program too often ends without a word in the row. */
static enum error check_job(const struct data_task_call *call, const struct data_task_row *row,
                            struct data_task *task)
{
    const struct job_kind kind = data_task_kind(call->arena, row->host);
    struct job_row job = {0};
    enum error error;

    if (row->ended_at.given)
        return ERROR_NONE;
    error = job_find(call->db, call->arena, &kind, task->id, &job, call->problem);
    if (error && error != ERROR_NOT_FOUND)
        return error;
    if (error || job.state == JOB_IS_DEAD) {
        task->state = DATA_TASK_FAILED;
        task->reason = "given_up";
        task->failure = job.last_error;
    } else if (job.state == JOB_WAITING && !job.held) {
        task->state = DATA_TASK_WAITING;
    }
    return ERROR_NONE;
}

static enum error describe(const struct data_task_call *call, const char *id,
                           const struct data_task_row *row, struct data_task *task)
{
    *task = (struct data_task){.id = id,
                               .state = row->state,
                               .bytes = row->bytes,
                               .bytes_read = row->bytes_read,
                               .reason = row->reason,
                               .failure = row->failure,
                               .created_at = row->created_at,
                               .ended_at = row->ended_at.given ? row->ended_at.value : 0,
                               .result = row->result};
    task->expires_at = (task->ended_at ? task->ended_at : task->created_at) +
                       call->settings->data_task_seconds * second_us;
    return check_job(call, row, task);
}

enum error data_task_read(const struct data_task_call *call, const char *id, struct data_task *task)
{
    struct data_task_row row;
    enum error error = read_known(call, id, &row);

    return error ? error : describe(call, id, &row, task);
}

static enum error add(const struct data_task_call *call, const struct data_task_order *order,
                      const char *host, struct data_task *task)
{
    const struct job_kind kind = data_task_kind(call->arena, host);
    const struct job_spec spec = {.key = order->id, .payload = "{}"};
    enum error error = data_task_row_add(call, order, host);

    if (!error)
        error = job_add(call->db, &kind, &spec, NULL, call->problem);
    return error ? error : data_task_read(call, order->id, task);
}

enum error data_task_submit(const struct data_task_call *call, const struct data_task_order *order,
                            struct data_task *task)
{
    const char *host;
    enum error error = data_task_host(call, call->arena, &host);

    if (!error)
        error = db_begin(call->db, DB_WRITE, call->problem);
    return error ? error : db_finish(call->db, add(call, order, host, task), call->problem);
}

static enum error take_off(const struct data_task_call *call, const char *id,
                           struct data_task *task)
{
    struct data_task_row row;
    struct job_kind kind;
    int64_t stopped;
    enum error error = read_known(call, id, &row);

    if (!error)
        error = describe(call, id, &row, task);
    if (error)
        return error;
    kind = data_task_kind(call->arena, row.host);
    error = job_stop(call->db, &kind, id, "called off", &stopped, call->problem);
    return error ? error : data_task_row_delete(call, id);
}

enum error data_task_delete(const struct data_task_call *call, const char *id,
                            struct data_task *task)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    return error ? error : db_finish(call->db, take_off(call, id, task), call->problem);
}

/* Whether the task goes on; one that was given up is written down as failed. */
static bool goes_on(const struct data_task_call *call, const char *id,
                    const struct data_task_row *row)
{
    struct data_task task = {.id = id};

    if (row->ended_at.given)
        return false;
    if (check_job(call, row, &task) || task.state != DATA_TASK_FAILED)
        return true;
    return data_task_row_fail(call, id, task.reason, task.failure ? task.failure : "") !=
           ERROR_NONE;
}

/* A file whose task is not stored yet is needed; so is any file while the database cannot say. */
static bool file_is_needed(void *context, const char *id, double age)
{
    const struct data_task_call *call = context;
    struct data_task_row row;
    bool found;

    if (data_task_row_read(call, id, &row, &found))
        return true;
    return found ? goes_on(call, id, &row) : age < UNSTORED_SECONDS;
}

enum error data_task_forget(const struct data_task_call *call)
{
    struct data_task_call own = *call;
    const char *host;
    int64_t count;
    struct job_kind kind;
    enum error error = data_task_rows_forget(call, call->settings->data_task_seconds,
                                             call->settings->data_tasks_kept);

    if (error || !call->folder)
        return error;
    data_spool_sweep(call->folder, file_is_needed, &own);
    error = data_task_host(call, call->arena, &host);
    if (error)
        return error;
    kind = data_task_kind(call->arena, host);
    for (int state = JOB_IS_DONE; !error && state <= JOB_IS_DEAD; state++)
        error =
            job_forget(call->db, &kind, (enum job_state)state,
                       (double)call->settings->data_task_seconds, JOBS_MOST, &count, call->problem);
    return error;
}
