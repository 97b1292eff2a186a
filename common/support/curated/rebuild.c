/* Rebuilds the curated data as a job. */
#include "support/curated/rebuild.h"
#include "base/timestamp.h"
#include "crypto/token.h"
#include "db/store.h"
#include "support/cache.h"
#include "support/programs/background.h"
#include "support/programs/data_files.h"

#include <stdio.h>
#include <string.h>

enum { RECORD_MAX = 1 << 20, LOCK_WAIT_MS = 60000 };

static void perform(struct job *job, struct job_verdict *verdict);

static struct job_kind kind_of(const struct support_settings *settings)
{
    return background_kind("support.curated", settings->regression_lease, perform, NULL);
}

static const char *record_key(struct arena *arena, const char *id)
{
    return arena_print(arena, "curated-dataset-job:%s", id);
}

#define OWNER struct rebuild_job
static const struct field job_fields[] = {
    STRING(OWNER, job_id),
    STRING(OWNER, status),
    STRING(OWNER, tenant),
    STRING(OWNER, since, .nullable = true),
    BOOLEAN(OWNER, include_bad),
    INTEGER(OWNER, progress),
    STRING(OWNER, out),
    STRING(OWNER, updated_at),
    STRING(OWNER, error, .nullable = true, .omit_if_null = true),
    OBJECT(OWNER, result, curated_built_schema, .nullable = true, .omit_if_null = true),
    OBJECT(OWNER, summary, curated_stats_schema, .nullable = true, .omit_if_null = true)};
#undef OWNER
SCHEMA(rebuild_job_schema, struct rebuild_job, "RebuildJob", job_fields);

struct payload {
    const char *since;
    bool include_bad;
    const char *out;
};

#define OWNER struct payload
static const struct field payload_fields[] = {STRING(OWNER, since, .nullable = true),
                                              BOOLEAN(OWNER, include_bad), STRING(OWNER, out)};
#undef OWNER
static SCHEMA(payload_schema, struct payload, "RebuildPayload", payload_fields);

static struct rebuild_job record_of(const char *id, const char *tenant,
                                    const struct payload *payload)
{
    return (struct rebuild_job){.job_id = id,
                                .tenant = tenant,
                                .since = payload->since,
                                .include_bad = payload->include_bad,
                                .out = payload->out};
}

/* Stores the progress of a run. */
static enum error store_record(struct db *db, struct arena *arena, struct rebuild_job *record,
                               const char *status, int64_t progress, struct problem *problem)
{
    record->status = status;
    record->progress = progress;
    record->updated_at = store_now(arena);
    return cache_put(db, record->tenant, record_key(arena, record->job_id),
                     schema_json(arena, RECORD_MAX, &rebuild_job_schema, record),
                     BACKGROUND_KEPT_SECONDS, problem);
}

static enum error running(const struct trace_call *call, const struct job_kind *kind,
                          const char *tenant, const char **id)
{
    struct object_list runs;
    enum error error =
        background_list(call->db, call->arena, kind, tenant, false, 10, &runs, call->problem);

    *id = NULL;
    for (size_t i = 0; i < runs.count && !error; i++) {
        const struct background_run *run = &((const struct background_run *)runs.items)[i];

        if (strcmp(run->status, "error") != 0)
            *id = run->id;
    }
    return error;
}

enum error rebuild_ask(const struct trace_call *call, const struct support_settings *settings,
                       const struct rebuild_request *request, const char **id)
{
    const struct job_kind kind = kind_of(settings);
    const struct payload payload = {
        .since = request->since, .include_bad = request->include_bad, .out = curated_default_path};
    struct rebuild_job record;
    char uuid[TOKEN_UUID_TEXT];
    int64_t moment;
    enum error error;

    if (request->since && !timestamp_from_text(request->since, &moment))
        return problem_set(call->problem, ERROR_INVALID, "since_invalid",
                           "since must be a date or a time");
    error = db_begin(call->db, DB_WRITE, call->problem);
    if (error)
        return error;
    error = db_lock(call->db, "curated_rebuild", call->problem);
    if (!error)
        error = running(call, &kind, request->tenant, id);
    if (!error && !*id) {
        token_uuid(uuid);
        *id = arena_copy_string(call->arena, uuid);
        record = record_of(*id, request->tenant, &payload);
        error = background_add(call->db, &kind, *id, request->tenant,
                               schema_json(call->arena, RECORD_MAX, &payload_schema, &payload),
                               call->problem);
        if (!error)
            error = store_record(call->db, call->arena, &record, "queued", 0, call->problem);
    }
    return db_finish(call->db, error, call->problem);
}

static enum error missing(struct problem *problem)
{
    return problem_set(problem, ERROR_NOT_FOUND, "job_not_found", "job not found");
}

/* The record of a run whose worker has died: the job knows this, the record does not. */
static struct rebuild_job lost_record(const struct trace_call *call,
                                      const struct background_run *run)
{
    struct payload payload = {0};
    struct rebuild_job record;

    (void)schema_from_json(call->arena, &payload_schema, run->payload, &payload);
    record = record_of(run->id, run->tenant, &payload);
    record.status = "failed";
    record.progress = 100;
    record.updated_at = store_now(call->arena);
    record.error = "worker lost";
    return record;
}

enum error rebuild_find(const struct trace_call *call, const struct support_settings *settings,
                        const char *tenant, const char *id, struct rebuild_job *record)
{
    const struct job_kind kind = kind_of(settings);
    struct background_run run;
    const char *json;
    bool known;
    enum error error = background_find(call->db, call->arena, &kind, id, &run, call->problem);

    if (error == ERROR_NOT_FOUND || (!error && tenant && strcmp(tenant, run.tenant) != 0))
        return missing(call->problem);
    if (!error)
        error = cache_get(call->db, call->arena, run.tenant, record_key(call->arena, id), &json,
                          call->problem);
    if (error)
        return error;
    *record = (struct rebuild_job){0};
    known = json && schema_from_json(call->arena, &rebuild_job_schema, json, record);
    if (strcmp(run.status, "error") == 0 && (!known || strcmp(record->status, "failed") != 0))
        *record = lost_record(call, &run);
    else if (!known)
        return missing(call->problem);
    return ERROR_NONE;
}

static enum error build(struct job *job, const struct rebuild_runner *runner,
                        const struct payload *payload, struct rebuild_job *record,
                        struct problem *problem)
{
    struct curated_plan plan = {
        .path = data_file_path(job->arena, runner->settings, curated_default_path),
        .since = INT64_MIN,
        .include_bad = payload->include_bad};
    const char *tenant = strcmp(job->lane, "all") == 0 ? NULL : job->lane;
    const struct trace_call call = {job->db, job->arena, tenant, problem};
    struct curated_built *built = ARENA_NEW(job->arena, struct curated_built);
    struct curated_stats *stats = ARENA_NEW(job->arena, struct curated_stats);
    struct arena_guard *lock = NULL;
    enum error error;

    if (payload->since && !timestamp_from_text(payload->since, &plan.since))
        plan.since = INT64_MIN;
    error =
        data_file_lock(job->arena, runner->settings, "curated-build", LOCK_WAIT_MS, &lock, problem);
    if (error)
        return error;
    error = curated_build(&call, &plan, built);
    data_file_unlock(lock);
    if (!error)
        error = curated_count(job->arena, plan.path, tenant, stats, problem);
    if (!error) {
        record->result = built;
        record->summary = stats;
    }
    return error;
}

static void perform(struct job *job, struct job_verdict *verdict)
{
    const struct rebuild_runner *runner = job->context;
    struct problem problem = {0};
    struct payload payload = {0};
    bool readable = schema_from_json(job->arena, &payload_schema, job->payload, &payload);
    struct rebuild_job record = record_of(job->key, job->lane, &payload);
    enum error error = store_record(job->db, job->arena, &record, "running", 25, &problem);

    if (!error && !readable)
        error = problem_set(&problem, ERROR_MALFORMED, "payload", "the request cannot be read");
    if (!error)
        error = build(job, runner, &payload, &record, &problem);
    if (error) {
        verdict->outcome = JOB_REFUSED;
        (void)!snprintf(verdict->error, sizeof verdict->error, "%s", problem.text);
        record.error = arena_copy_string(job->arena, problem.text);
    }
    if (store_record(job->db, job->arena, &record, error ? "failed" : "completed", 100, &problem))
        verdict->outcome = JOB_FAILED;
    curated_show(job->arena, runner->settings, runner->metrics);
}

enum error rebuild_run_due(struct db *db, struct arena *arena, const struct rebuild_runner *runner,
                           struct job_counts *tally, struct problem *problem)
{
    const struct job_kind kind = kind_of(runner->settings);
    struct rebuild_runner context = *runner;

    return job_run_due(db, arena, &kind, &context, 1, tally, problem);
}
