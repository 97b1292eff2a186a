/* Snapshots written: records of the store as JSON, and their canonical form. */
#include "orchestrator/snapshot/snapshot.h"

#include "base/clock.h"
#include "base/string_list.h"
#include "db/store.h"
#include "orchestrator/storage/times.h"

#include <string.h>

void canonical_write(struct text *out, const json_t *value, int indent)
{
    struct json_writer writer;

    writer_start(&writer, out);
    writer.indent = indent;
    writer_value_sorted(&writer, value);
}

void snapshot_digest(struct arena *arena, const json_t *snapshot, char digest[DIGEST_SHA256_TEXT])
{
    struct json_writer writer;
    struct json_fault fault;
    struct text text;
    const char *key;
    json_t *member, *rest;

    text_start(&text, arena, SNAPSHOT_BYTES_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    json_object_foreach((json_t *)snapshot, key, member)
    {
        if (strcmp(key, "snapshot_sha256") == 0)
            continue;
        writer_key(&writer, key);
        writer_value(&writer, member);
    }
    writer_close_object(&writer);
    if (json_read(arena, text.bytes, text.length, SNAPSHOT_DEPTH_MAX, &rest, &fault)) {
        digest[0] = '\0';
        return;
    }
    text_start(&text, arena, SNAPSHOT_BYTES_MAX);
    canonical_write(&text, rest, 0);
    digest_sha256_hex(text.bytes, text.length, digest);
}

static void optional_integer(struct json_writer *writer, const char *key,
                             struct optional_integer value)
{
    if (value.given)
        writer_key_integer(writer, key, value.value);
    else
        writer_key_null(writer, key);
}

static void write_task(struct json_writer *writer, struct arena *arena,
                       const struct task_record *task)
{
    writer_open_object(writer);
    writer_key_string(writer, "task_id", task->task_id);
    writer_key_string(writer, "status", run_status_names[task->status]);
    writer_key_string(writer, "accepted_at", shown_time(arena, task->accepted_at));
    writer_key_string(writer, "completed_at", shown_time(arena, task->completed_at));
    optional_integer(writer, "duration_ms", task->duration_ms);
    writer_key_string(writer, "prompt", task->prompt);
    writer_key_boolean(writer, "reasoning", task->reasoning);
    writer_key_string(writer, "execution_mode", execution_mode_names[task->execution_mode]);
    writer_key_boolean(writer, "dry_run", task->dry_run);
    writer_key_integer(writer, "model_count", task->model_count);
    writer_key_integer(writer, "quorum", task->quorum);
    writer_key_string(writer, "merge_strategy", merge_strategy_names[task->merge_strategy]);
    writer_key_string(writer, "adapter_hint", adapter_hint_names[task->adapter_hint]);
    writer_key_boolean(writer, "cancel_on_quorum", task->cancel_on_quorum);
    writer_key_string(writer, "failure_code", failure_name(task->failure_code));
    writer_key_string(writer, "failure_message", task->failure_message);
    writer_key_string(writer, "output_text", task->output_text);
    writer_key(writer, "metadata");
    writer_raw(writer, task->metadata);
    writer_key_string(writer, "retry_of_task_id", task->retry_of_task_id);
    writer_key_string(writer, "session_id", task->session_id);
    writer_key_boolean(writer, "was_decomposed", task->was_decomposed);
    writer_key_integer(writer, "subtask_count", task->subtask_count);
    writer_key_boolean(writer, "decompose", task->decompose);
    writer_close_object(writer);
}

static void write_step(struct json_writer *writer, const struct step_record *step)
{
    writer_open_object(writer);
    writer_key_string(writer, "task_id", step->task_id);
    writer_key_integer(writer, "step_index", step->step_index);
    writer_key_string(writer, "model_id", step->model_id);
    writer_key_string(writer, "model_display_name", step->model_display_name);
    writer_key_string(writer, "backend", backend_names[step->backend]);
    writer_key_string(writer, "provider", step->provider);
    writer_key_string(writer, "status", run_status_names[step->status]);
    writer_key_string(writer, "failure_code", failure_name(step->failure_code));
    writer_key_string(writer, "failure_message", step->failure_message);
    writer_key_string(writer, "output_text", step->output_text);
    optional_integer(writer, "duration_ms", step->duration_ms);
    optional_integer(writer, "input_tokens", step->input_tokens);
    optional_integer(writer, "output_tokens", step->output_tokens);
    if (step->cost_usd.given)
        writer_key_number(writer, "cost_usd", step->cost_usd.value);
    else
        writer_key_null(writer, "cost_usd");
    writer_key_string(writer, "executed_model_id", step->executed_model_id);
    writer_key_string(writer, "started_at", shown_time(writer->out->arena, step->started_at));
    writer_key_string(writer, "completed_at", shown_time(writer->out->arena, step->completed_at));
    writer_close_object(writer);
}

static void write_event(struct json_writer *writer, struct arena *arena,
                        const struct event_record *event)
{
    writer_open_object(writer);
    writer_key_string(writer, "event_id", event->event_id);
    writer_key_string(writer, "task_id", event->task_id);
    writer_key_integer(writer, "sequence_no", event->sequence_no);
    writer_key_string(writer, "event_type", event_type_names[event->event_type]);
    writer_key_string(writer, "created_at", shown_time(arena, event->created_at));
    writer_key(writer, "payload");
    writer_raw(writer, event->payload);
    writer_close_object(writer);
}

/* What a snapshot is made of. */
struct material {
    struct task_list tasks;
    struct step_list steps;
    struct event_list events;
    struct string_list exported, missing;
    struct store_counts counts;
    struct schema_report schema;
};

static enum error read_tasks(struct arena *arena, struct db *db,
                             const struct snapshot_request *wanted, struct material *material,
                             struct problem *problem)
{
    const struct task_filter filter = {
        .status = -1, .execution_mode = -1, .failure_code = -1, .limit = wanted->limit};
    size_t count = wanted->task_ids.count;
    enum error error = ERROR_NONE;

    material->missing.items = ARENA_ARRAY(arena, const char *, count + 1);
    if (!count)
        return task_list_recent(db, arena, &filter, &material->tasks, problem);
    material->tasks.items = ARENA_ARRAY(arena, struct task_record, count);
    for (size_t i = 0; i < count; i++) {
        const char *id = wanted->task_ids.items[i];

        error = task_get(db, arena, id, &material->tasks.items[material->tasks.count], problem);
        if (error == ERROR_NOT_FOUND)
            material->missing.items[material->missing.count++] = id;
        else if (error)
            return error;
        else
            material->tasks.count++;
    }
    return ERROR_NONE;
}

static enum error gather(struct arena *arena, struct db *db, const struct db_schema *schema,
                         const struct snapshot_request *wanted, struct material *material,
                         struct problem *problem)
{
    enum error error = db_begin(db, DB_READ, problem);

    if (error)
        return error;
    error = read_tasks(arena, db, wanted, material, problem);
    material->exported.items = ARENA_ARRAY(arena, const char *, material->tasks.count + 1);
    for (size_t i = 0; !error && i < material->tasks.count; i++)
        material->exported.items[material->exported.count++] = material->tasks.items[i].task_id;
    if (!error)
        error = task_steps_of(db, arena, &material->exported, &material->steps, problem);
    if (!error)
        error = task_events_of(db, arena, &material->exported, false, &material->events, problem);
    if (!error)
        error = task_counts(db, &material->counts, problem);
    if (!error)
        error = schema_report_make(arena, db, schema, &material->schema, problem);
    return db_finish(db, error, problem);
}

static void write_bundles(struct json_writer *writer, struct arena *arena,
                          const struct material *material, const struct snapshot_request *wanted)
{
    writer_key(writer, "tasks");
    writer_open_array(writer);
    for (size_t i = 0; i < material->tasks.count; i++) {
        const char *id = material->tasks.items[i].task_id;

        if (wanted->report)
            wanted->report(wanted->context, "exporting", i, material->tasks.count);
        writer_open_object(writer);
        writer_key(writer, "task");
        write_task(writer, arena, &material->tasks.items[i]);
        writer_key(writer, "steps");
        writer_open_array(writer);
        for (size_t j = 0; j < material->steps.count; j++)
            if (strcmp(material->steps.items[j].task_id, id) == 0)
                write_step(writer, &material->steps.items[j]);
        writer_close_array(writer);
        writer_key(writer, "events");
        writer_open_array(writer);
        for (size_t j = 0; j < material->events.count; j++)
            if (strcmp(material->events.items[j].task_id, id) == 0)
                write_event(writer, arena, &material->events.items[j]);
        writer_close_array(writer);
        writer_close_object(writer);
    }
    writer_close_array(writer);
}

void snapshot_write_health(struct json_writer *writer, const struct schema_report *schema,
                           const struct store_counts *counts, const char *backend)
{
    writer_open_object(writer);
    writer_key_string(writer, "status", "ok");
    writer_key_string(writer, "backend", backend);
    writer_key_string(writer, "schema_version", schema->schema_version);
    writer_key_integer(writer, "task_count", counts->tasks);
    writer_key_integer(writer, "step_count", counts->steps);
    writer_key_integer(writer, "event_count", counts->events);
    writer_close_object(writer);
}

static void write_snapshot(struct json_writer *writer, struct arena *arena,
                           const struct material *material, const struct snapshot_request *wanted,
                           const char *digest)
{
    writer_open_object(writer);
    writer_key_string(writer, "status", material->missing.count ? "partial" : "ok");
    writer_key_integer(writer, "snapshot_format_version", SNAPSHOT_VERSION);
    writer_key_string(writer, "orch_version", wanted->orch_version);
    writer_key_string(writer, "migration", material->schema.schema_version);
    writer_key_string(writer, "generated_at", shown_time(arena, store_now(arena)));
    writer_key_string(writer, "backend", wanted->backend);
    writer_key(writer, "selection");
    writer_open_object(writer);
    writer_key_strings(writer, "task_ids", &wanted->task_ids);
    if (wanted->task_ids.count)
        writer_key_null(writer, "limit");
    else
        writer_key_integer(writer, "limit", wanted->limit);
    writer_close_object(writer);
    writer_key(writer, "health");
    snapshot_write_health(writer, &material->schema, &material->counts, wanted->backend);
    writer_key(writer, "schema");
    schema_report_write(writer, &material->schema, wanted->backend);
    writer_key_integer(writer, "task_count", (int64_t)material->tasks.count);
    writer_key_integer(writer, "step_count", (int64_t)material->steps.count);
    writer_key_integer(writer, "event_count", (int64_t)material->events.count);
    writer_key_strings(writer, "exported_task_ids", &material->exported);
    writer_key_strings(writer, "missing_task_ids", &material->missing);
    write_bundles(writer, arena, material, wanted);
    if (digest)
        writer_key_string(writer, "snapshot_sha256", digest);
    writer_close_object(writer);
}

enum error snapshot_build(struct arena *arena, struct db *db, const struct db_schema *schema,
                          const struct snapshot_request *wanted, json_t **snapshot,
                          struct problem *problem)
{
    struct material material = {0};
    char digest[DIGEST_SHA256_TEXT];
    struct json_writer writer;
    struct json_fault fault;
    struct text text;
    enum error error = gather(arena, db, schema, wanted, &material, problem);

    if (error)
        return error;
    text_start(&text, arena, SNAPSHOT_BYTES_MAX);
    writer_start(&writer, &text);
    write_snapshot(&writer, arena, &material, wanted, NULL);
    if (text.overflowed ||
        json_read(arena, text.bytes, text.length, SNAPSHOT_DEPTH_MAX, snapshot, &fault))
        return problem_set(problem, ERROR_TOO_LARGE, "snapshot_too_large",
                           "The snapshot would be too large; export fewer tasks at once.");
    snapshot_digest(arena, *snapshot, digest);
    /* Into the text, before its last brace. */
    text_cut(&text, text.length - 1);
    text_append_format(&text, ",\"snapshot_sha256\":\"%s\"}", digest);
    if (json_read(arena, text.bytes, text.length, SNAPSHOT_DEPTH_MAX, snapshot, &fault))
        return problem_set(problem, ERROR_SYSTEM, "snapshot_unreadable", "%s", fault.text);
    return ERROR_NONE;
}
