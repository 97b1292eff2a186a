/* Tasks: the job, and the row that shows its state to clients. */
#include "support/documents/task.h"
#include "base/json.h"
#include "db/query.h"
#include "jobs/inbox.h"
#include "support/documents/host.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    LEASE_MARGIN_SECONDS =
        60, /* added to the time limit of an extraction, before the next progress report */
    KIND_TEXT = 64,
    AWAY_PAUSE_SECONDS = 5, /* until a search engine or object store that is away is tried again */
    STRAYS_MOST = 100,
    FORGOTTEN_MOST = 500
};

static const double pauses[] = {5, 25, 125};

static void perform(struct job *job, struct job_verdict *verdict);
static enum error record(struct job *job, const struct job_verdict *verdict,
                         struct problem *problem);

static const struct statement insert_task = {
    .name = "task_insert",
    .sql = "INSERT INTO tasks (task_id, tenant_id, doc_id, path, status, created_at, host,"
           " file_hash) VALUES (?, ?, ?, ?, 'PENDING', {now}, ?, ?)",
};
static const struct statement find_task = {
    .name = "task_find",
    .sql = "SELECT task_id, status, meta, result, host FROM tasks"
           " WHERE task_id = ? AND tenant_id = ?",
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
    .sql = "INSERT INTO heartbeats (name, beat_at) VALUES (?, {now_microseconds})"
           " ON CONFLICT (name) DO UPDATE SET beat_at = excluded.beat_at",
};
static const struct statement read_beat = {
    .name = "heartbeat_age",
    .sql = "SELECT {now_microseconds} - beat_at FROM heartbeats WHERE name = ?",
};
static const struct statement list_strays = {
    .name = "task_strays",
    .sql =
        "SELECT task_id, host, path, file_hash, created_at FROM tasks t WHERE finished_at IS NULL"
        " AND host <> ? AND NOT EXISTS (SELECT 1 FROM heartbeats h"
        " WHERE h.name = 'ingest@' || t.host"
        " AND h.beat_at > {now_microseconds} - CAST(? AS BIGINT))"
        " AND (created_at > ? OR (created_at = ? AND task_id > ?))"
        " ORDER BY created_at, task_id LIMIT ?",
};
static const struct statement find_shared = {
    .name = "task_find_shared",
    .sql = "SELECT 1 FROM tasks WHERE finished_at IS NULL AND host = '" TASK_ANY_HOST "' LIMIT 1",
};
static const struct statement count_old = {
    .name = "task_count_old",
    .sql = "SELECT count(*) FROM tasks WHERE finished_at IS NULL AND tenant_id = ?"
           " AND created_at < {now_plus:?}",
};
static const struct statement move_task = {
    .name = "task_move",
    .sql = "UPDATE tasks SET host = ? WHERE task_id = ?",
};
static const struct statement clock_now = {
    .name = "task_clock",
    .sql = "SELECT {now_microseconds}",
};
static const struct statement forget_tasks = {
    .name = "task_forget",
    .sql = "DELETE FROM tasks WHERE finished_at < {now_plus:?}",
};

static int lease_of(const struct support_settings *settings)
{
    int64_t seconds = settings->reader_seconds * 2 + LEASE_MARGIN_SECONDS;

    return seconds > TASK_LEASE_SECONDS ? (int)seconds : TASK_LEASE_SECONDS;
}

/* The jobs of one host are a separate kind; "" is the kind of older versions. */
static struct job_kind kind_of(struct arena *arena, const struct support_settings *settings,
                               const char *host)
{
    return (struct job_kind){
        .name = *host ? arena_print(arena, "support.ingest@%s", host) : "support.ingest",
        .lease_seconds = settings ? lease_of(settings) : TASK_LEASE_SECONDS,
        .attempts = 3,
        .pauses = pauses,
        .pause_count = 3,
        .interruptions_max = 3,
        .lane_most = settings ? (int)settings->ingest_per_tenant : 1,
        .lanes_take_turns = true,
        .perform = perform,
        .record = record,
    };
}

/* `hash` names the shared original; "" = the file at its path. */
static const char *describe(struct arena *arena, const char *tenant,
                            const struct ingest_request *file, const char *hash)
{
    struct text text;
    struct json_writer writer;

    text_start(&text, arena, 65536);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_string(&writer, "tenant", tenant);
    writer_key_string(&writer, "doc_id", file->doc_id);
    writer_key_string(&writer, "path", file->path);
    if (*hash)
        writer_key_string(&writer, "original", hash);
    if (file->title)
        writer_key_string(&writer, "title", file->title);
    writer_close_object(&writer);
    return text.bytes;
}

/* A file for which a task is submitted. */
struct submitted {
    const char *doc_id, *path; /* the path "" = it is shared */
    const char *host;
    char hash[DIGEST_SHA256_TEXT];
};

static enum error insert(const struct document_call *call, const struct submitted *file,
                         const char *id)
{
    struct query *query = db_query(call->db, &insert_task);

    query_bind_text(query, id);
    query_bind_text(query, call->tenant);
    query_bind_text(query, file->doc_id);
    query_bind_text(query, file->path);
    query_bind_text(query, file->host);
    query_bind_text(query, file->hash);
    return query_end(query, call->problem);
}

static void close_file(void *file)
{
    close((int)(intptr_t)file);
}

static enum error share(const struct document_call *call, const struct support_settings *settings,
                        struct submitted *file)
{
    const struct blob_call blob = ingest_blob_call(call, settings);
    struct arena_guard *guard = arena_guard(call->arena, close_file);
    int opened = open(file->path, O_RDONLY | O_CLOEXEC);
    enum error error;

    if (opened < 0 || !digest_file_sha256_hex(opened, file->hash))
        error =
            problem_set(call->problem, ERROR_SYSTEM, "file_not_read", "the file cannot be read");
    else
        error = blob_put(&blob, BLOB_ORIGINAL, file->hash, opened);
    guard->thing = opened < 0 ? NULL : (void *)(intptr_t)opened;
    arena_guard_end(guard);
    file->path = "";
    file->host = TASK_ANY_HOST;
    return error;
}

static enum error place_file(const struct document_call *call,
                             const struct support_settings *settings, struct submitted *file)
{
    if (blobs_are_shared(settings))
        return share(call, settings, file);
    host_file_hash(file->path, file->hash);
    return host_name(call->arena, settings, &file->host, call->problem);
}

enum error task_submit(const struct document_call *call, const struct support_settings *settings,
                       const struct ingest_request *request, const char **id)
{
    struct submitted file = {.doc_id = request->doc_id, .path = request->path};
    struct job_spec spec = {.lane = call->tenant};
    char uuid[TOKEN_UUID_TEXT];
    struct job_kind kind;
    enum error error = place_file(call, settings, &file);

    if (!error)
        error = db_begin(call->db, DB_WRITE, call->problem);
    if (error)
        return error;
    token_uuid(uuid);
    *id = spec.key = arena_copy_string(call->arena, uuid);
    spec.payload = describe(call->arena, call->tenant, request, *file.path ? "" : file.hash);
    kind = kind_of(call->arena, settings, file.host);
    error = insert(call, &file, *id);
    if (!error)
        error = job_add(call->db, &kind, &spec, NULL, call->problem);
    return db_finish(call->db, error, call->problem);
}

static enum error read_clock(const struct document_call *call, int64_t *now)
{
    struct query *query = db_query(call->db, &clock_now);

    *now = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, call->problem);
}

/* A dead runner leaves its last state in the row; the job knows that its lease has ended. */
static enum error check_lease(const struct document_call *call, struct task *task)
{
    const struct job_kind kind = kind_of(call->arena, NULL, task->host);
    struct job_row row;
    int64_t now;
    enum error error;

    if (strcmp(task->status, "STARTED") != 0 && strcmp(task->status, "PROCESSING") != 0)
        return ERROR_NONE;
    error = job_find(call->db, call->arena, &kind, task->id, &row, call->problem);
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
                              query_json_or_null(query, 3, call->arena),
                              query_text(query, 4, call->arena)};
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
    struct job_kind kind;
    enum error error = task_find(call, id, task);

    if (!error)
        error = db_begin(call->db, DB_WRITE, call->problem);
    if (error)
        return error;
    kind = kind_of(call->arena, NULL, task->host);
    error = set_end(call->db, id, "REVOKED", "{\"detail\":\"revoked\"}", &changes, call->problem);
    if (!error && !changes)
        error = problem_set(call->problem, ERROR_CONFLICT, "task_over", "the task is over");
    if (!error)
        error = job_stop(call->db, &kind, id, "revoked", &stopped, call->problem);
    if (!error)
        error = task_find(call, id, task);
    return db_finish(call->db, error, call->problem);
}

static const char *name_beat(struct arena *arena, const char *host)
{
    return arena_print(arena, "ingest@%s", host);
}

/* Of the programs that run what this host submits. */
static enum error name_beat_of(struct arena *arena, const struct support_settings *settings,
                               const char **name, struct problem *problem)
{
    const char *host = TASK_ANY_HOST;
    enum error error =
        blobs_are_shared(settings) ? ERROR_NONE : host_name(arena, settings, &host, problem);

    *name = error ? "" : name_beat(arena, host);
    return error;
}

/* Microseconds since such a program was heard of; negative when it never was. */
static enum error read_age(struct db *db, struct arena *arena,
                           const struct support_settings *settings, int64_t *age,
                           struct problem *problem)
{
    struct query *query;
    const char *name;
    enum error error = name_beat_of(arena, settings, &name, problem);

    *age = -1;
    if (error)
        return error;
    query = db_query(db, &read_beat);
    query_bind_text(query, name);
    if (query_next(query))
        *age = query_integer(query, 0) > 0 ? query_integer(query, 0) : 0;
    return query_end(query, problem);
}

enum error task_is_drained(struct db *db, struct arena *arena,
                           const struct support_settings *settings, bool *drained,
                           struct problem *problem)
{
    int64_t age;
    enum error error = read_age(db, arena, settings, &age, problem);

    *drained = age >= 0 && age < (int64_t)HEARTBEAT_SECONDS * 1000000;
    return error;
}

enum error task_is_silent(struct db *db, struct arena *arena,
                          const struct support_settings *settings, bool *silent,
                          struct problem *problem)
{
    int64_t age;
    enum error error = read_age(db, arena, settings, &age, problem);

    *silent = age > (int64_t)SILENCE_SECONDS * 1000000;
    return error;
}

enum error task_is_held_up(const struct document_call *call,
                           const struct support_settings *settings, bool *held_up)
{
    struct query *query = db_query(call->db, &count_old);

    query_bind_text(query, call->tenant);
    query_bind_number(query, -TASK_SLOW_SECONDS);
    *held_up = query_next(query) && query_integer(query, 0) >= settings->ingest_per_tenant;
    return query_end(query, call->problem);
}

static enum error beat_as(struct db *db, const char *name, struct problem *problem)
{
    struct query *query = db_query(db, &beat);

    query_bind_text(query, name);
    return query_end(query, problem);
}

enum error task_beat(struct db *db, struct arena *arena, const struct support_settings *settings,
                     struct problem *problem)
{
    const char *host;
    enum error error = host_name(arena, settings, &host, problem);

    if (!error)
        error = beat_as(db, name_beat(arena, host), problem);
    return error || !blobs_are_shared(settings)
               ? error
               : beat_as(db, name_beat(arena, TASK_ANY_HOST), problem);
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
    (void)!job_extend(job, job->kind->lease_seconds, &problem); /* lost: the end will tell */
}

/* Parses the payload; false when it is unusable. `original` names a shared file; NULL = none. */
static bool read_payload(struct job *job, struct document_call *call,
                         struct ingest_request *request, const char **original)
{
    struct json_fault fault;
    json_t *payload;

    if (json_read(job->arena, job->payload, strlen(job->payload), 4, &payload, &fault))
        return false;
    call->tenant = json_string_value(json_object_get(payload, "tenant"));
    request->doc_id = json_string_value(json_object_get(payload, "doc_id"));
    request->path = json_string_value(json_object_get(payload, "path"));
    request->title = json_string_value(json_object_get(payload, "title"));
    *original = json_string_value(json_object_get(payload, "original"));
    return call->tenant && request->doc_id && request->path;
}

static const char *result_text(struct arena *arena, const struct ingest_result *result)
{
    const char *unread = *result->unread ? arena_print(arena, " %s", result->unread) : "";

    if (!result->documents)
        return arena_print(arena,
                           "{\"status\":\"partial\",\"docs_count\":0,\"message\":\"File saved but "
                           "no text content could be extracted.%s\",\"unread\":\"%s\"}",
                           unread, result->unread);
    return arena_print(arena,
                       "{\"status\":\"ok\",\"docs_count\":%lld,\"message\":\"File uploaded and "
                       "indexed. %lld document(s) "
                       "processed.%s\",\"unread\":\"%s\",\"chunks\":%lld,\"version\":%lld,"
                       "\"deduplicated\":%s,\"replaced\":%s}",
                       (long long)result->documents, (long long)result->documents, unread,
                       result->unread, (long long)result->chunks, (long long)result->version,
                       result->deduplicated ? "true" : "false",
                       result->replaced ? "true" : "false");
}

static void remove_file(void *path)
{
    unlink(path);
}

/* From a file of its own, which is deleted afterwards. */
static enum error ingest_original(const struct document_call *call,
                                  const struct support_settings *settings,
                                  struct ingest_request *request, const char *original,
                                  struct ingest_result *result)
{
    const struct blob_call blob = ingest_blob_call(call, settings);
    struct arena_guard *guard = arena_guard(call->arena, remove_file);
    enum error error;

    request->path = guard->thing = (void *)(uintptr_t)ingest_passing_path(call->arena, settings);
    error = blob_get(&blob, BLOB_ORIGINAL, original, request->path);
    if (!error)
        error = ingest_document(call, settings, request, result);
    arena_guard_end(guard);
    return error;
}

/* The search engine, or the object store; also one that only the hosts with newer settings know. */
static bool is_away(enum error error, const struct problem *problem)
{
    return error == ERROR_UNAVAILABLE && (strcmp(problem->reason, "search_unavailable") == 0 ||
                                          strncmp(problem->reason, "object_store_", 13) == 0);
}

static void perform(struct job *job, struct job_verdict *verdict)
{
    struct problem problem;
    const char *original;
    struct document_call call = {.db = job->db, .arena = job->arena, .problem = &problem};
    const struct task_runner *runner = job->context;
    struct ingest_request request = {
        .models = runner->models, .progress = show_progress, .context = job};
    struct ingest_result result;
    enum error error;

    if (runner->began)
        runner->began(job->kind->lease_seconds);
    note(job->db, job->key, "STARTED", NULL);
    if (!read_payload(job, &call, &request, &original)) {
        verdict->outcome = JOB_REFUSED;
        return;
    }
    error = original ? ingest_original(&call, runner->settings, &request, original, &result)
                     : ingest_document(&call, runner->settings, &request, &result);
    if (!error) {
        job->result = (void *)(uintptr_t)result_text(job->arena, &result);
        return;
    }
    job->result = (void *)(uintptr_t)problem.reason;
    snprintf(verdict->error, sizeof verdict->error, "%s", problem.text);
    if (is_away(error, &problem)) {
        verdict->outcome = JOB_POSTPONED; /* however long */
        verdict->pause_seconds = AWAY_PAUSE_SECONDS;
        return;
    }
    verdict->outcome =
        error == ERROR_MALFORMED || error == ERROR_TOO_LARGE || error == ERROR_INVALID ? JOB_REFUSED
                                                                                       : JOB_FAILED;
}

static const char *detail(struct arena *arena, const char *text, const char *reason)
{
    struct text json;
    struct json_writer writer;

    text_start(&json, arena, 4096);
    writer_start(&writer, &json);
    writer_open_object(&writer);
    writer_key_string(&writer, "detail", text);
    if (reason)
        writer_key_string(&writer, "reason", reason);
    writer_close_object(&writer);
    return json.bytes;
}

static enum error record(struct job *job, const struct job_verdict *verdict,
                         struct problem *problem)
{
    int64_t changes;

    if (verdict->outcome == JOB_DONE)
        return set_end(job->db, job->key, "SUCCESS", job->result, &changes, problem);
    if (verdict->outcome == JOB_POSTPONED ||
        (verdict->outcome == JOB_FAILED && job->failures + 1 < job->kind->attempts)) {
        note(job->db, job->key, "RETRY", detail(job->arena, verdict->error, NULL));
        return ERROR_NONE;
    }
    return set_end(job->db, job->key, "FAILURE", detail(job->arena, verdict->error, job->result),
                   &changes, problem);
}

static enum error run_due(struct db *db, struct arena *arena, const struct task_runner *runner,
                          const char *host, int64_t most, struct job_counts *tally,
                          struct problem *problem)
{
    char name[KIND_TEXT];
    struct job_kind kind = kind_of(arena, runner->settings, host);

    (void)!snprintf(name, sizeof name, "%s", kind.name); /* the arena is each job's own */
    kind.name = name;
    return job_run_due(db, arena, &kind, (void *)(uintptr_t)runner, most, tally, problem);
}

/* Also after a change to files of one host, when no more are added. */
static enum error has_shared(struct db *db, const struct support_settings *settings, bool *has,
                             struct problem *problem)
{
    struct query *query;

    *has = true;
    if (blobs_are_shared(settings))
        return ERROR_NONE;
    query = db_query(db, &find_shared);
    *has = query_next(query);
    return query_end(query, problem);
}

enum error task_run_due(struct db *db, struct arena *arena, const struct task_runner *runner,
                        int64_t most, struct job_counts *tally, struct problem *problem)
{
    const char *host;
    bool shared = false;
    enum error error = has_shared(db, runner->settings, &shared, problem);

    if (!error && shared)
        error = run_due(db, arena, runner, TASK_ANY_HOST, most, tally, problem);
    if (!error)
        error = host_name(arena, runner->settings, &host, problem);
    return error ? error : run_due(db, arena, runner, host, most, tally, problem);
}

/* A task of another host whose program is silent. */
struct stray {
    const char *id, *host, *path, *hash, *created_at;
};

static enum error adopt(struct db *db, struct arena *arena, const struct support_settings *settings,
                        const struct stray *stray, const char *host, struct problem *problem)
{
    const struct job_kind from = kind_of(arena, settings, stray->host);
    const struct job_kind to = kind_of(arena, settings, host);
    char hash[DIGEST_SHA256_TEXT];
    struct query *query;
    bool moved = false;
    enum error error;

    host_file_hash(stray->path, hash);
    if (!*hash || (*stray->hash && strcmp(stray->hash, hash) != 0))
        return ERROR_NONE;
    error = db_begin(db, DB_WRITE, problem);
    if (error)
        return error;
    error = job_move(db, &from, stray->id, &to, &moved, problem);
    if (!error && moved) {
        query = db_query(db, &move_task);
        query_bind_text(query, host);
        query_bind_text(query, stray->id);
        error = query_end(query, problem);
    }
    return db_finish(db, error, problem);
}

static enum error find_strays(struct db *db, struct arena *arena, const char *host,
                              const struct task_place *place, struct stray *strays, size_t *count,
                              struct problem *problem)
{
    struct query *query = db_query(db, &list_strays);

    query_bind_text(query, host);
    query_bind_integer(query, (int64_t)SILENCE_SECONDS * 1000000);
    query_bind_text(query, place->created_at);
    query_bind_text(query, place->created_at);
    query_bind_text(query, place->id);
    query_bind_integer(query, STRAYS_MOST);
    for (*count = 0; *count < STRAYS_MOST && query_next(query); ++*count)
        strays[*count] = (struct stray){query_text(query, 0, arena), query_text(query, 1, arena),
                                        query_text(query, 2, arena), query_text(query, 3, arena),
                                        query_text(query, 4, arena)};
    return query_end(query, problem);
}

enum error task_adopt(struct db *db, struct arena *arena, const struct support_settings *settings,
                      struct task_place *place, struct problem *problem)
{
    struct stray *strays = ARENA_ARRAY(arena, struct stray, STRAYS_MOST);
    const char *host;
    size_t count = 0;
    enum error error = host_name(arena, settings, &host, problem);

    if (!error)
        error = find_strays(db, arena, host, place, strays, &count, problem);
    for (size_t i = 0; i < count && !error; i++) {
        (void)!snprintf(place->created_at, sizeof place->created_at, "%s", strays[i].created_at);
        (void)!snprintf(place->id, sizeof place->id, "%s", strays[i].id);
        error = adopt(db, arena, settings, &strays[i], host, problem);
    }
    if (!error && count < STRAYS_MOST)
        *place = (struct task_place){0};
    return error;
}

static enum error forget_jobs(struct db *db, struct arena *arena, const char *host,
                              struct problem *problem)
{
    const struct job_kind kind = kind_of(arena, NULL, host);
    int64_t count;
    enum error error =
        job_forget(db, &kind, JOB_IS_DONE, TASK_KEPT_SECONDS, FORGOTTEN_MOST, &count, problem);

    return error ? error
                 : job_forget(db, &kind, JOB_IS_DEAD, TASK_KEPT_SECONDS, FORGOTTEN_MOST, &count,
                              problem);
}

enum error task_forget(struct db *db, struct arena *arena, const struct support_settings *settings,
                       struct problem *problem)
{
    struct query *query;
    const char *host;
    enum error error = host_name(arena, settings, &host, problem);

    if (error)
        return error;
    query = db_query(db, &forget_tasks);
    query_bind_number(query, -TASK_KEPT_SECONDS);
    error = query_end(query, problem);
    if (!error)
        error = forget_jobs(db, arena, host, problem);
    if (!error)
        error = forget_jobs(db, arena, TASK_ANY_HOST, problem);
    return error ? error : forget_jobs(db, arena, "", problem); /* of older versions */
}
