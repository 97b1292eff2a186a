/* Rebuilding as a job of its own. */
#include "support/curated/rebuild.h"
#include "base/instant.h"
#include "base/json.h"
#include "crypto/token.h"
#include "db/store.h"
#include "support/cache.h"
#include "support/programs/background.h"
#include "support/programs/data_files.h"

#include <stdio.h>
#include <string.h>

enum { DEPTH = 16, RECORD_MAX = 1 << 20, LOCK_WAIT_MS = 60000 };

static void perform(struct job *job, struct job_verdict *verdict);

static struct job_kind kind_of(const struct support_settings *settings)
{
    return background_kind("support.curated", settings->regression_lease, perform, NULL);
}

static const char *record_key(struct arena *arena, const char *id)
{
    return arena_print(arena, "curated-dataset-job:%s", id);
}

struct record {
    const char *id, *tenant, *status, *payload; /* the last: since, include_bad, out */
    int64_t progress;
    const char *extra; /* further members, or "" */
};

static const char *record_json(struct arena *arena, const struct record *record)
{
    struct text text;

    text_start(&text, arena, RECORD_MAX);
    text_append_format(&text,
                       "{\"job_id\":\"%s\",\"status\":\"%s\",\"tenant\":\"%s\",\"progress\":%lld,"
                       "\"updated_at\":\"%s\"%s,%s",
                       record->id, record->status, record->tenant, (long long)record->progress,
                       store_now(arena), record->extra, record->payload + 1);
    return text.bytes;
}

static enum error note(struct db *db, struct arena *arena, const struct record *record,
                       struct problem *problem)
{
    return cache_put(db, record->tenant, record_key(arena, record->id), record_json(arena, record),
                     BACKGROUND_KEPT_SECONDS, problem);
}

static const char *payload_of(struct arena *arena, const struct rebuild_request *order)
{
    struct text text;
    struct json_writer writer;

    text_start(&text, arena, RECORD_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_string(&writer, "since", order->since);
    writer_key_boolean(&writer, "include_bad", order->include_bad);
    writer_key_string(&writer, "out", curated_default_path);
    writer_close_object(&writer);
    return text.bytes;
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
                       const struct rebuild_request *order, const char **id)
{
    const struct job_kind kind = kind_of(settings);
    const char *payload = payload_of(call->arena, order);
    char uuid[TOKEN_UUID_TEXT];
    int64_t moment;
    enum error error;

    if (order->since && !instant_parse(order->since, &moment))
        return problem_set(call->problem, ERROR_INVALID, "since_invalid",
                           "since must be a date or a time");
    error = db_begin(call->db, DB_WRITE, call->problem);
    if (error)
        return error;
    error = db_lock(call->db, "curated_rebuild", call->problem);
    if (!error)
        error = running(call, &kind, order->tenant, id);
    if (!error && !*id) {
        token_uuid(uuid);
        *id = arena_copy_string(call->arena, uuid);
        error = background_add(call->db, &kind, *id, order->tenant, payload, call->problem);
        if (!error)
            error =
                note(call->db, call->arena,
                     &(struct record){*id, order->tenant, "queued", payload, 0, ""}, call->problem);
    }
    return db_finish(call->db, error, call->problem);
}

enum error rebuild_find(const struct trace_call *call, const struct support_settings *settings,
                        const char *tenant, const char *id, const char **record)
{
    const struct job_kind kind = kind_of(settings);
    struct background_run run;
    enum error error = background_find(call->db, call->arena, &kind, id, &run, call->problem);

    if (error == ERROR_NOT_FOUND || (!error && tenant && strcmp(tenant, run.tenant) != 0))
        return problem_set(call->problem, ERROR_NOT_FOUND, "job_not_found", "job not found");
    if (error)
        return error;
    error = cache_get(call->db, call->arena, run.tenant, record_key(call->arena, id), record,
                      call->problem);
    if (error)
        return error;
    if (strcmp(run.status, "error") == 0 && (!*record || !strstr(*record, "\"failed\"")))
        *record = record_json(call->arena, &(struct record){id, run.tenant, "failed", run.payload,
                                                            100, ",\"error\":\"worker lost\""});
    return *record ? ERROR_NONE
                   : problem_set(call->problem, ERROR_NOT_FOUND, "job_not_found", "job not found");
}

static const char *result_json(struct arena *arena, const struct curated_built *built)
{
    struct text text;
    struct json_writer writer;

    text_start(&text, arena, RECORD_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_string(&writer, "status", "ok");
    writer_key_integer(&writer, "selected", built->selected);
    writer_key_integer(&writer, "written", built->selected);
    writer_key_integer(&writer, "total", built->total);
    curated_write_skipped(&writer, built);
    writer_close_object(&writer);
    return text.bytes;
}

static enum error build(struct job *job, const struct rebuild_runner *runner, const char **extra,
                        struct problem *problem)
{
    struct json_fault fault;
    json_t *payload = NULL;
    struct curated_plan plan = {
        .path = data_file_path(job->arena, runner->settings, curated_default_path),
        .since = INT64_MIN};
    const char *tenant = strcmp(job->lane, "all") == 0 ? NULL : job->lane, *since;
    const struct trace_call call = {job->db, job->arena, tenant, problem};
    struct curated_built built;
    const char *stats;
    struct arena_guard *lock = NULL;
    enum error error;

    if (json_read(job->arena, job->payload, strlen(job->payload), DEPTH, &payload, &fault))
        return problem_set(problem, ERROR_MALFORMED, "payload", "the order cannot be read");
    since = json_string_value(json_object_get(payload, "since"));
    plan.include_bad = json_is_true(json_object_get(payload, "include_bad"));
    if (since && !instant_parse(since, &plan.since))
        plan.since = INT64_MIN;
    error =
        data_file_lock(job->arena, runner->settings, "curated-build", LOCK_WAIT_MS, &lock, problem);
    if (error)
        return error;
    error = curated_build(&call, &plan, &built);
    data_file_unlock(lock);
    if (!error)
        error = curated_stats(job->arena, plan.path, tenant, &stats, problem);
    if (!error)
        *extra = arena_print(job->arena, ",\"result\":%s,\"summary\":%s",
                             result_json(job->arena, &built), stats);
    return error;
}

static const char *error_member(struct arena *arena, const char *said)
{
    struct text text;
    struct json_writer writer;

    text_start(&text, arena, RECORD_MAX);
    writer_start(&writer, &text);
    writer_string(&writer, said);
    return arena_print(arena, ",\"error\":%s", text.bytes);
}

static void perform(struct job *job, struct job_verdict *verdict)
{
    const struct rebuild_runner *runner = job->context;
    struct problem problem = {0};
    struct record record = {job->key, job->lane, "running", job->payload, 25, ""};
    enum error error = note(job->db, job->arena, &record, &problem);

    if (!error)
        error = build(job, runner, &record.extra, &problem);
    if (error) {
        verdict->outcome = JOB_REFUSED;
        (void)!snprintf(verdict->error, sizeof verdict->error, "%s", problem.text);
        record.extra = error_member(job->arena, problem.text);
    }
    record.status = error ? "failed" : "completed";
    record.progress = 100;
    if (note(job->db, job->arena, &record, &problem))
        verdict->outcome = JOB_FAILED;
    curated_show(job->arena, runner->settings, runner->metrics);
}

enum error rebuild_run_due(struct db *db, struct arena *arena, const struct rebuild_runner *runner,
                           struct job_tally *tally, struct problem *problem)
{
    const struct job_kind kind = kind_of(runner->settings);
    struct rebuild_runner context = *runner;

    return job_run_due(db, arena, &kind, &context, 1, tally, problem);
}
