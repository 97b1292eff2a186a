/* Tasks: the job behind them, and the row that tells of it. */
#include "support/documents/task.h"
#include "base/json.h"
#include "crypto/token.h"
#include "db/query.h"
#include "jobs/inbox.h"

#include <string.h>

static const double pauses[] = {5, 25, 125};

static void perform(struct job *job, struct job_verdict *verdict);
static enum error record(struct job *job, const struct job_verdict *verdict,
                         struct problem *problem);

static const struct job_kind ingest_job = {
    .name = "support.ingest",
    .lease_seconds = TASK_LEASE_SECONDS,
    .attempts = 3,
    .pauses = pauses,
    .pause_count = 3,
    .interruptions_max = 3,
    .lane_most = 1,
    .perform = perform,
    .record = record,
};

static const struct statement insert_task = {
    .name = "task_insert",
    .sql = "INSERT INTO tasks (task_id, tenant_id, doc_id, path, status, created_at)"
           " VALUES (?, ?, ?, ?, 'PENDING', {now})",
};
static const struct statement find_task = {
    .name = "task_find",
    .sql = "SELECT task_id, status, meta, result FROM tasks WHERE task_id = ? AND tenant_id = ?",
};
static const struct statement note_task = {
    .name = "task_note",
    .sql = "UPDATE tasks SET status = ?, meta = ? WHERE task_id = ? AND finished_at IS NULL",
};
static const struct statement end_task = {
    .name = "task_end",
    .sql = "UPDATE tasks SET status = ?, meta = NULL, result = ?, finished_at = {now}"
           " WHERE task_id = ? AND finished_at IS NULL",
};
static const struct statement beat = {
    .name = "heartbeat",
    .sql = "INSERT INTO heartbeats (name, beat_at) VALUES ('ingest', {now_microseconds})"
           " ON CONFLICT (name) DO UPDATE SET beat_at = excluded.beat_at",
};
static const struct statement read_beat = {
    .name = "heartbeat_age",
    .sql = "SELECT {now_microseconds} - beat_at FROM heartbeats WHERE name = 'ingest'",
};
static const struct statement clock_now = {
    .name = "task_clock",
    .sql = "SELECT {now_microseconds}",
};
static const struct statement forget_tasks = {
    .name = "task_forget",
    .sql = "DELETE FROM tasks WHERE finished_at < {now_plus:?}",
};

static const char *describe(struct arena *arena, const char *tenant, const char *doc_id,
                            const char *path)
{
    struct text text;
    struct json_writer writer;

    text_start(&text, arena, 65536);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_string(&writer, "tenant", tenant);
    writer_key_string(&writer, "doc_id", doc_id);
    writer_key_string(&writer, "path", path);
    writer_close_object(&writer);
    return text.bytes;
}

static enum error insert(const struct document_call *call, const char *doc_id, const char *path,
                         const char *id)
{
    struct query *query = db_query(call->db, &insert_task);

    query_bind_text(query, id);
    query_bind_text(query, call->tenant);
    query_bind_text(query, doc_id);
    query_bind_text(query, path);
    return query_end(query, call->problem);
}

enum error task_submit(const struct document_call *call, const char *doc_id, const char *path,
                       const char **id)
{
    char uuid[TOKEN_UUID_TEXT];
    struct job_order order = {.payload = describe(call->arena, call->tenant, doc_id, path)};
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    token_uuid(uuid);
    *id = order.key = order.lane = arena_copy_string(call->arena, uuid);
    error = insert(call, doc_id, path, *id);
    if (!error)
        error = job_add(call->db, &ingest_job, &order, NULL, call->problem);
    return db_finish(call->db, error, call->problem);
}

static enum error read_clock(const struct document_call *call, int64_t *now)
{
    struct query *query = db_query(call->db, &clock_now);

    *now = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, call->problem);
}

/* A runner that died leaves its words behind; the job knows that its lease is over. */
static enum error check_lease(const struct document_call *call, struct task *task)
{
    struct job_row row;
    int64_t now;
    enum error error;

    if (strcmp(task->status, "STARTED") != 0 && strcmp(task->status, "PROCESSING") != 0)
        return ERROR_NONE;
    error = job_find(call->db, call->arena, &ingest_job, task->id, &row, call->problem);
    if (error == ERROR_NOT_FOUND)
        return ERROR_NONE;
    if (!error)
        error = read_clock(call, &now);
    if (!error && row.state == JOB_WAITING && row.due_at < now) {
        task->status = "PENDING";
        task->meta = NULL;
    }
    return error;
}

enum error task_find(const struct document_call *call, const char *id, struct task *task)
{
    struct query *query = db_query(call->db, &find_task);
    bool found;
    enum error error;

    query_bind_text(query, id);
    query_bind_text(query, call->tenant);
    found = query_next(query);
    if (found)
        *task = (struct task){query_text(query, 0, call->arena), query_text(query, 1, call->arena),
                              query_json_or_null(query, 2, call->arena),
                              query_json_or_null(query, 3, call->arena)};
    error = query_end(query, call->problem);
    if (error)
        return error;
    if (!found)
        return problem_set(call->problem, ERROR_NOT_FOUND, "task_not_found", "task not found");
    return check_lease(call, task);
}

static enum error set_end(struct db *db, const char *id, const char *status, const char *result,
                          int64_t *changes, struct problem *problem)
{
    struct query *query = db_query(db, &end_task);

    query_bind_text(query, status);
    query_bind_json(query, result);
    query_bind_text(query, id);
    *changes = query_changes(query);
    return query_end(query, problem);
}

enum error task_revoke(const struct document_call *call, const char *id, struct task *task)
{
    int64_t stopped, changes = 0;
    enum error error = task_find(call, id, task);

    if (!error)
        error = db_begin(call->db, DB_WRITE, call->problem);
    if (error)
        return error;
    error = set_end(call->db, id, "REVOKED", "{\"detail\":\"revoked\"}", &changes, call->problem);
    if (!error && !changes)
        error = problem_set(call->problem, ERROR_CONFLICT, "task_over", "the task is over");
    if (!error)
        error = job_stop_lane(call->db, &ingest_job, id, "revoked", &stopped, call->problem);
    if (!error)
        error = task_find(call, id, task);
    return db_finish(call->db, error, call->problem);
}

enum error task_is_drained(struct db *db, bool *drained, struct problem *problem)
{
    struct query *query = db_query(db, &read_beat);

    *drained = query_next(query) && query_integer(query, 0) < (int64_t)HEARTBEAT_SECONDS * 1000000;
    return query_end(query, problem);
}

enum error task_is_silent(struct db *db, bool *silent, struct problem *problem)
{
    struct query *query = db_query(db, &read_beat);

    *silent = query_next(query) && query_integer(query, 0) > (int64_t)SILENCE_SECONDS * 1000000;
    return query_end(query, problem);
}

enum error task_beat(struct db *db, struct problem *problem)
{
    return query_end(db_query(db, &beat), problem);
}

static void note(struct db *db, const char *id, const char *status, const char *meta)
{
    struct problem problem;
    struct query *query = db_query(db, &note_task);

    query_bind_text(query, status);
    query_bind_json(query, meta);
    query_bind_text(query, id);
    (void)!query_end(query, &problem); /* progress is shown where it can be */
}

static void show_progress(void *context, const char *step, size_t count)
{
    struct job *job = context;
    struct problem problem;
    const char *meta =
        count ? arena_print(job->arena, "{\"step\":\"%s\",\"docs_count\":%zu}", step, count)
              : arena_print(job->arena, "{\"step\":\"%s\"}", step);

    note(job->db, job->key, "PROCESSING", meta);
    (void)!task_beat(job->db, &problem);
    (void)!job_extend(job, TASK_LEASE_SECONDS, &problem); /* lost: the end will tell */
}

/* What the payload says; false when it says nothing that can be done. */
static bool read_payload(struct job *job, struct document_call *call, struct ingest_order *order)
{
    struct json_fault fault;
    json_t *payload;

    if (json_read(job->arena, job->payload, strlen(job->payload), 4, &payload, &fault))
        return false;
    call->tenant = json_string_value(json_object_get(payload, "tenant"));
    order->doc_id = json_string_value(json_object_get(payload, "doc_id"));
    order->path = json_string_value(json_object_get(payload, "path"));
    return call->tenant && order->doc_id && order->path;
}

static const char *result_text(struct arena *arena, const struct ingest_result *result)
{
    if (!result->documents)
        return "{\"status\":\"partial\",\"docs_count\":0,\"message\":\"File saved but no text "
               "content could be extracted.\"}";
    return arena_print(arena,
                       "{\"status\":\"ok\",\"docs_count\":%lld,\"message\":\"File uploaded and "
                       "indexed. %lld document(s) processed.\",\"chunks\":%lld,\"version\":%lld}",
                       (long long)result->documents, (long long)result->documents,
                       (long long)result->chunks, (long long)result->version);
}

/* What tasks are done by. */
struct runner {
    const struct support_settings *settings;
    struct models *models;
};

static void perform(struct job *job, struct job_verdict *verdict)
{
    struct problem problem;
    struct document_call call = {.db = job->db, .arena = job->arena, .problem = &problem};
    const struct runner *runner = job->context;
    struct ingest_order order = {
        .models = runner->models, .progress = show_progress, .context = job};
    struct ingest_result result;
    enum error error;

    note(job->db, job->key, "STARTED", NULL);
    if (!read_payload(job, &call, &order)) {
        verdict->outcome = JOB_REFUSED;
        return;
    }
    error = ingest_document(&call, runner->settings, &order, &result);
    if (!error) {
        job->result = (void *)(uintptr_t)result_text(job->arena, &result);
        return;
    }
    verdict->outcome =
        error == ERROR_MALFORMED || error == ERROR_TOO_LARGE || error == ERROR_INVALID ? JOB_REFUSED
                                                                                       : JOB_FAILED;
    snprintf(verdict->error, sizeof verdict->error, "%s", problem.text);
}

static const char *detail(struct arena *arena, const char *text)
{
    struct text json;
    struct json_writer writer;

    text_start(&json, arena, 4096);
    writer_start(&writer, &json);
    writer_open_object(&writer);
    writer_key_string(&writer, "detail", text);
    writer_close_object(&writer);
    return json.bytes;
}

static enum error record(struct job *job, const struct job_verdict *verdict,
                         struct problem *problem)
{
    int64_t changes;

    if (verdict->outcome == JOB_DONE)
        return set_end(job->db, job->key, "SUCCESS", job->result, &changes, problem);
    if (verdict->outcome == JOB_FAILED && job->failures + 1 < ingest_job.attempts) {
        note(job->db, job->key, "RETRY", detail(job->arena, verdict->error));
        return ERROR_NONE;
    }
    return set_end(job->db, job->key, "FAILURE", detail(job->arena, verdict->error), &changes,
                   problem);
}

enum error task_run_due(struct db *db, struct arena *arena, const struct support_settings *settings,
                        struct models *models, int64_t most, struct job_tally *tally,
                        struct problem *problem)
{
    struct runner runner = {settings, models};

    return job_run_due(db, arena, &ingest_job, &runner, most, tally, problem);
}

enum error task_forget(struct db *db, struct problem *problem)
{
    struct query *query = db_query(db, &forget_tasks);
    int64_t count;
    enum error error;

    query_bind_number(query, -TASK_KEPT_SECONDS);
    error = query_end(query, problem);
    if (!error)
        error = job_forget(db, &ingest_job, JOB_IS_DONE, TASK_KEPT_SECONDS, 500, &count, problem);
    return error
               ? error
               : job_forget(db, &ingest_job, JOB_IS_DEAD, TASK_KEPT_SECONDS, 500, &count, problem);
}
