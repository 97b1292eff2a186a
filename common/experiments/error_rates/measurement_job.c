/* Runs are numbered and independent of each other, so a job that was interrupted goes on after the
 * last run that was stored, with the same outcome. */
#include "experiments/error_rates/measurement_job.h"

#include "base/clock.h"
#include "experiments/error_rates/measurement_store.h"
#include "jobs/inbox.h"

#include <stdio.h>
#include <string.h>

enum { LEASE_SECONDS = 600, RECORD_BYTES_MAX = 1024 * 1024, RUN_MEMORY_MAX = 256 * 1024 * 1024 };

/* Progress is stored this often. */
static const int64_t step_us = 1000000, second_us = 1000000;

static const double pauses[] = {5, 60};

struct error_rates_task {
    const char *experiment_id;
    int64_t request;
};

#define OWNER struct error_rates_task
static const struct field task_fields[] = {
    STRING(OWNER, experiment_id, .required = true),
    INTEGER(OWNER, request, .required = true),
};
#undef OWNER
static SCHEMA(task_schema, struct error_rates_task, "ErrorRatesTask", task_fields);

static const char *key_of(const struct live_call *call, const char *id, int64_t request)
{
    return arena_print(call->arena, "%s.%lld", id, (long long)request);
}

enum error error_rates_job_add(const struct live_call *call, const char *id, int64_t request)
{
    const struct error_rates_task task = {id, request};
    const struct job_spec spec = {
        .key = key_of(call, id, request),
        .payload = schema_json(call->arena, JOB_PAYLOAD_MAX, &task_schema, &task)};

    return job_add(call->db, &error_rates_kind, &spec, NULL, call->problem);
}

enum error error_rates_job_waits(const struct live_call *call, const char *id, int64_t request,
                                 bool *waits)
{
    struct job_row row = {0};
    enum error error = job_find(call->db, call->arena, &error_rates_kind, key_of(call, id, request),
                                &row, call->problem);

    *waits = !error && row.state == JOB_WAITING;
    return error == ERROR_NOT_FOUND ? ERROR_NONE : error;
}

struct measuring {
    struct job *job;
    const struct error_rates_runner *runner;
    struct live_call call;
    struct error_rates_task task;
    struct error_rates_row row;
    struct live_view view;
    struct past_users users;
    struct error_tallies tallies;
    struct error_record record;
    struct arena *run; /* memory of one run */
    bool lost;         /* the order was replaced, or the experiment deleted */
    bool stopped;
    struct problem problem;
};

/* What an earlier run of the job has stored, where it was made of the same data. */
static void resume(struct measuring *measuring)
{
    struct error_record *stored = ARENA_NEW(measuring->job->arena, struct error_record);
    struct error_record *record = &measuring->record;
    int64_t people = 0;

    for (int arm = 0; arm < LIVE_ARMS_MAX; arm++)
        people += measuring->view.rollup.arms[1 + arm].people;
    *record =
        (struct error_record){.version = live_view_version(&measuring->call, &measuring->view),
                              .seed = measuring->row.seed,
                              .runs = measuring->row.runs,
                              .users = (int64_t)measuring->users.count,
                              .people = people,
                              .alpha = measuring->view.design->metrics->alpha};
    measuring->tallies = (struct error_tallies){0};
    if (!measuring->row.running || !schema_from_json(measuring->job->arena, &error_record_schema,
                                                     measuring->row.running, stored))
        return;
    if (strcmp(stored->version, record->version) != 0 || stored->users != record->users)
        return;
    *record = *stored;
    measuring->tallies =
        (struct error_tallies){.metrics = {stored->metrics.count, stored->metrics.items},
                               .always_valid_runs = stored->always_valid_runs,
                               .always_valid_wrong = stored->always_valid_wrong,
                               .verdict_runs = stored->verdict_runs,
                               .ships = stored->ships,
                               .stops = stored->stops};
}

static const char *record_text(struct measuring *measuring, struct arena *arena)
{
    struct error_record *record = &measuring->record;
    const struct error_tallies *tallies = &measuring->tallies;

    record->metrics = (struct object_list){tallies->metrics.count, tallies->metrics.items};
    record->always_valid_runs = tallies->always_valid_runs;
    record->always_valid_wrong = tallies->always_valid_wrong;
    record->verdict_runs = tallies->verdict_runs;
    record->ships = tallies->ships;
    record->stops = tallies->stops;
    record->measured_at = clock_unix_microseconds();
    return schema_json(arena, RECORD_BYTES_MAX, &error_record_schema, record);
}

/* Only the holder of the lease stores. */
static enum error store_progress(struct measuring *measuring)
{
    bool found = false;
    enum error error = job_extend(measuring->job, LEASE_SECONDS, &measuring->problem);

    if (!error)
        error = error_rates_row_progress(&measuring->call, measuring->task.experiment_id,
                                         measuring->task.request,
                                         record_text(measuring, measuring->run), &found);
    measuring->lost = !error && !found;
    return error;
}

static enum error make_runs(struct measuring *measuring)
{
    const struct live_results_call results = {.locale = locale_get(LANGUAGE_EN),
                                              .arena = measuring->run,
                                              .mixture_users = measuring->runner->mixture_users,
                                              .rough = true};
    struct error_record *record = &measuring->record;
    int64_t limit = measuring->runner->seconds * second_us, stored = 0;
    enum error error = store_progress(measuring);

    while (!error && !measuring->lost && record->runs_done < record->runs && record->took < limit) {
        int64_t start = clock_monotonic_microseconds();

        arena_reset(measuring->run);
        reassign(&results, &measuring->users, (uint64_t)record->seed, record->runs_done,
                 measuring->job->arena, &measuring->tallies);
        record->runs_done++;
        record->took += clock_monotonic_microseconds() - start;
        if (record->took - stored < step_us)
            continue;
        stored = record->took;
        error = store_progress(measuring);
        measuring->stopped = measuring->runner->stop();
        if (measuring->stopped)
            break;
    }
    return error;
}

/* Users are divided anew one by one, all by the planned split. */
static enum error check_kind(const struct measuring *measuring)
{
    struct problem *problem = measuring->call.problem;

    if (measuring->view.experiment.cluster_plan.kept)
        return problem_set(problem, ERROR_INVALID, "error_rates_clusters",
                           "users are divided anew one by one: this experiment has clusters");
    if (measuring->view.adaptive.found)
        return problem_set(
            problem, ERROR_INVALID, "error_rates_adaptive",
            "users are divided anew by one split: this experiment adapts its shares");
    return ERROR_NONE;
}

static enum error measure(struct measuring *measuring)
{
    const struct live_call *call = &measuring->call;
    const struct live_view_options options = {
        .bins = true, .also = past_users_read, .context = &measuring->users};
    const char *id = measuring->task.experiment_id;
    enum error error = error_rates_row_read(call, id, &measuring->row);

    measuring->lost = measuring->row.request != measuring->task.request;
    if (error || measuring->lost)
        return error;
    measuring->users = (struct past_users){
        .arena = measuring->job->arena, .view = &measuring->view, .most = measuring->row.users};
    error = live_view_load(call, id, &options, &measuring->view);
    if (!error)
        error = check_kind(measuring);
    if (error)
        return error;
    resume(measuring);
    return make_runs(measuring);
}

static void perform(struct job *job, struct job_verdict *verdict)
{
    struct measuring *measuring = ARENA_NEW(job->arena, struct measuring);
    const struct error_rates_runner *runner = job->context;
    enum error error;

    measuring->job = job;
    measuring->runner = runner;
    measuring->call = (struct live_call){.db = job->db,
                                         .arena = job->arena,
                                         .spike_events = runner->spike_events,
                                         .problem = &measuring->problem};
    job->result = measuring;
    if (!schema_from_json(job->arena, &task_schema, job->payload, &measuring->task)) {
        *verdict =
            (struct job_verdict){.outcome = JOB_REFUSED, .error = "the task is not readable"};
        return;
    }
    measuring->run = arena_create_below(job->arena, RUN_MEMORY_MAX);
    error = measure(measuring);
    if (error == ERROR_NOT_FOUND || error == ERROR_INVALID)
        verdict->outcome = JOB_REFUSED;
    else if (error)
        verdict->outcome = JOB_FAILED;
    else if (measuring->stopped)
        verdict->outcome = JOB_POSTPONED;
    if (error)
        snprintf(verdict->error, sizeof verdict->error, "%s", measuring->problem.text);
}

static enum error record(struct job *job, const struct job_verdict *verdict,
                         struct problem *problem)
{
    struct measuring *measuring = job->result;
    bool last = job->failures + 1 >= job->kind->attempts;
    struct live_call call;

    if (!measuring || measuring->lost || verdict->outcome == JOB_POSTPONED)
        return ERROR_NONE;
    call = measuring->call;
    call.problem = problem;
    if (verdict->outcome == JOB_DONE)
        return error_rates_row_finish(&call, measuring->task.experiment_id, measuring->task.request,
                                      record_text(measuring, job->arena));
    if (verdict->outcome == JOB_FAILED && !last)
        return ERROR_NONE;
    return error_rates_row_fail(&call, measuring->task.experiment_id, measuring->task.request,
                                verdict->error);
}

const struct job_kind error_rates_kind = {.name = "experiments.error_rates",
                                          .lease_seconds = LEASE_SECONDS,
                                          .attempts = 3,
                                          .pauses = pauses,
                                          .pause_count = sizeof pauses / sizeof pauses[0],
                                          .interruptions_max = 20,
                                          .perform = perform,
                                          .record = record};
