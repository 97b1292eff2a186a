/* One run reads the file from its beginning: what an interrupted run wrote behind it is cut off. */
#include "experiments/datafiles/data_task_job.h"

#include "base/clock.h"
#include "experiments/datafiles/data_spool.h"
#include "experiments/datafiles/data_task_store.h"
#include "jobs/host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LEASE_SECONDS = 900, RESULT_BYTES_MAX = 4 * 1024 * 1024, KIND_MEMORY = 64 * 1024 };

/* Progress is stored this often. */
static const int64_t step_us = 500000;

static const double pauses[] = {5, 60};

struct running {
    struct job *job;
    struct data_task_call call;
    struct data_task_row row;
    bool (*stop)(void);
    int64_t noted_at; /* monotonic; 0 = not yet */
    bool lost;        /* the task was called off */
    bool stopped;     /* the program ends */
    const char *result;
    struct problem problem;
};

/* What every run of a job is given. */
struct task_runner {
    const struct data_task_call *call;
    bool (*stop)(void);
};

static enum error note(struct running *running, int64_t bytes_read)
{
    bool found = false;
    enum error error = job_extend(running->job, LEASE_SECONDS, &running->problem);

    if (!error)
        error = data_task_row_progress(&running->call, running->job->key, bytes_read, &found);
    running->lost = running->lost || error == ERROR_CONFLICT || (!error && !found);
    return error;
}

/* A database that does not answer for a moment does not end the analysis. */
static bool is_over(void *context, int64_t bytes_read)
{
    struct running *running = context;
    int64_t now = clock_monotonic_microseconds();

    if (running->noted_at && now - running->noted_at < step_us)
        return false;
    running->noted_at = now;
    running->stopped = running->stop();
    (void)note(running, bytes_read);
    return running->stopped || running->lost;
}

static void close_file(void *file)
{
    close((int)((intptr_t)file - 1));
}

static enum error open_file(struct running *running, int *file)
{
    const struct data_task_call *call = &running->call;
    struct arena_guard *guard = arena_guard(call->arena, close_file);

    *file = open(data_spool_path(call->arena, call->folder, running->job->key), O_RDWR | O_CLOEXEC);
    if (*file >= 0)
        guard->thing = (void *)((intptr_t)*file + 1);
    if (*file < 0 && errno == ENOENT)
        return problem_set(call->problem, ERROR_INVALID, "file_gone",
                           "The file of the task is gone; send it again");
    if (*file < 0 || ftruncate(*file, running->row.bytes) != 0)
        return problem_set(call->problem, ERROR_UNAVAILABLE, "file_not_read",
                           "The file of the task cannot be read: %s", strerror(errno));
    return ERROR_NONE;
}

static enum error analyze(struct running *running)
{
    const struct data_task_call *call = &running->call;
    struct data_mapping *mapping = ARENA_NEW(call->arena, struct data_mapping);
    struct data_reply *answer = ARENA_NEW(call->arena, struct data_reply);
    const struct results_call analysis = {locale_get(language_find(running->row.language)),
                                          call->arena, call->problem};
    struct data_upload upload = {.length = running->row.bytes,
                                 .rows_most = call->settings->data_temporary_bytes,
                                 .gone = is_over,
                                 .context = running};
    enum error error;

    if (!schema_from_json(call->arena, &data_mapping_schema, running->row.mapping, mapping))
        return problem_set(call->problem, ERROR_INVALID, "data_mapping",
                           "The mapping of the task cannot be read");
    error = open_file(running, &upload.file);
    if (!error)
        error = data_analyze(&analysis, mapping, &upload, answer);
    if (error)
        return error;
    running->result = schema_json(call->arena, RESULT_BYTES_MAX, &data_reply_schema, answer);
    return running->result ? ERROR_NONE
                           : problem_set(call->problem, ERROR_TOO_LARGE, "result_too_large",
                                         "The answer is too large to be kept");
}

/* What is wrong with the file is for its sender; the job of such a task is done. */
static bool is_senders(enum error error)
{
    return error == ERROR_INVALID || error == ERROR_TOO_LARGE;
}

static void perform(struct job *job, struct job_verdict *verdict)
{
    struct running *running = ARENA_NEW(job->arena, struct running);
    const struct task_runner *runner = job->context;
    bool found;
    enum error error;

    *running = (struct running){.job = job, .call = *runner->call, .stop = runner->stop};
    running->call.arena = job->arena;
    running->call.problem = &running->problem;
    error = data_task_row_read(&running->call, job->key, &running->row, &found);
    running->lost = !error && !found;
    job->result = running;
    if (!error && !running->lost)
        error = note(running, 0);
    if (!error && !running->lost)
        error = analyze(running);
    if (running->lost)
        return;
    if (running->stopped)
        verdict->outcome = JOB_POSTPONED;
    else if (error && !is_senders(error))
        verdict->outcome = JOB_FAILED;
    if (error)
        snprintf(verdict->error, sizeof verdict->error, "%s", running->problem.text);
}

static enum error record(struct job *job, const struct job_verdict *verdict,
                         struct problem *problem)
{
    const struct task_runner *runner = job->context;
    const struct running *running = job->result;
    bool last = job->failures + 1 >= job->kind->attempts;
    struct data_task_call call = *runner->call;

    call.arena = job->arena;
    call.problem = problem;
    if ((running && running->lost) || verdict->outcome == JOB_POSTPONED ||
        (verdict->outcome == JOB_FAILED && !last))
        return ERROR_NONE;
    if (running && running->result)
        return data_task_row_finish(&call, job->key, running->result);
    return data_task_row_fail(
        &call, job->key, running && running->problem.reason ? running->problem.reason : "given_up",
        verdict->error);
}

enum error data_task_host(const struct data_task_call *call, struct arena *arena, const char **host)
{
    *host = call->host;
    return call->host ? ERROR_NONE : job_host_name(arena, call->folder, host, call->problem);
}

struct job_kind data_task_kind(struct arena *arena, const char *host)
{
    return (struct job_kind){.name = arena_print(arena, "experiments.file@%s", host),
                             .lease_seconds = LEASE_SECONDS,
                             .attempts = 3,
                             .pauses = pauses,
                             .pause_count = sizeof pauses / sizeof pauses[0],
                             .interruptions_max = 5,
                             .perform = perform,
                             .record = record};
}

enum error data_task_run_next(const struct data_task_call *call, bool (*stop)(void),
                              struct job_counts *counts)
{
    struct task_runner runner = {call, stop};
    struct arena *arena;
    struct job_kind kind;
    const char *host;
    enum error error;

    if (!call->folder)
        return ERROR_NONE;
    /* The name of the kind outlives the runs, each of which has the arena to itself. */
    arena = arena_create(KIND_MEMORY);
    if (!arena)
        return problem_set(call->problem, ERROR_UNAVAILABLE, "no_memory", "out of memory");
    error = data_task_host(call, arena, &host);
    if (!error) {
        kind = data_task_kind(arena, host);
        error = job_run_due(call->db, call->arena, &kind, &runner, 1, counts, call->problem);
    }
    arena_destroy(arena);
    return error;
}
