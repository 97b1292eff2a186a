/* Builds snapshots: their shape, and their canonical form. */
#include "orchestrator/snapshot/snapshot.h"

#include "base/clock.h"
#include "base/string_list.h"

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

/* One task with all that is kept of it. */
struct bundle {
    const struct task_record *task;
    OBJECT_LIST(struct step_record, steps);
    OBJECT_LIST(struct event_record, events);
};

#define OWNER struct bundle
static const struct field bundle_fields[] = {
    OBJECT(OWNER, task, task_record_schema),
    OBJECTS(OWNER, steps, step_record_schema),
    OBJECTS(OWNER, events, event_record_schema),
};
#undef OWNER
static SCHEMA(bundle_schema, struct bundle, "TaskBundle", bundle_fields);

struct selection {
    struct string_list task_ids;
    struct optional_integer limit; /* of a selection without ids */
};

#define OWNER struct selection
static const struct field selection_fields[] = {STRINGS(OWNER, task_ids),
                                                NULLABLE_INTEGER(OWNER, limit)};
#undef OWNER
static SCHEMA(selection_schema, struct selection, "SnapshotSelection", selection_fields);

struct snapshot {
    const char *status;
    int64_t snapshot_format_version;
    const char *orch_version, *migration;
    int64_t generated_at;
    const char *backend;
    const struct selection *selection;
    const struct store_health *health;
    struct schema_variant schema;
    int64_t task_count, step_count, event_count;
    struct string_list exported_task_ids, missing_task_ids;
    OBJECT_LIST(struct bundle, tasks);
};

#define OWNER struct snapshot
static const struct field snapshot_fields[] = {
    STRING(OWNER, status),
    INTEGER(OWNER, snapshot_format_version),
    STRING(OWNER, orch_version),
    STRING(OWNER, migration, .nullable = true),
    TIME(OWNER, generated_at, .time = TIME_Z),
    STRING(OWNER, backend),
    OBJECT(OWNER, selection, selection_schema),
    OBJECT(OWNER, health, store_health_schema),
    VARIANT(OWNER, schema, schema_report_variants),
    INTEGER(OWNER, task_count),
    INTEGER(OWNER, step_count),
    INTEGER(OWNER, event_count),
    STRINGS(OWNER, exported_task_ids),
    STRINGS(OWNER, missing_task_ids),
    OBJECTS(OWNER, tasks, bundle_schema),
};
#undef OWNER
static SCHEMA(snapshot_schema, struct snapshot, "Snapshot", snapshot_fields);

/* What a snapshot is made of. */
struct material {
    struct task_list tasks;
    struct step_list steps;
    struct event_list events;
    struct string_list exported, missing;
    struct store_health health;
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
        error = store_health_count(db, &material->health, problem);
    if (!error)
        error = schema_report_make(arena, db, schema, wanted->backend, &material->schema, problem);
    return db_finish(db, error, problem);
}

/* The items of one task in a list that is ordered by tasks. */
#define SLICE(list, id)                                                                            \
    ({                                                                                             \
        size_t start_ = 0, end_;                                                                   \
        while (start_ < (list)->count && strcmp((list)->items[start_].task_id, (id)) != 0)         \
            start_++;                                                                              \
        for (end_ = start_;                                                                        \
             end_ < (list)->count && strcmp((list)->items[end_].task_id, (id)) == 0; end_++)       \
            ;                                                                                      \
        (struct object_list){end_ - start_, (list)->items + start_};                               \
    })

static struct object_list bundles_of(struct arena *arena, const struct material *material,
                                     const struct snapshot_request *wanted)
{
    struct bundle *bundles = ARENA_ARRAY(arena, struct bundle, material->tasks.count);

    for (size_t i = 0; i < material->tasks.count; i++) {
        const struct task_record *task = &material->tasks.items[i];

        if (wanted->report)
            wanted->report(wanted->context, "exporting", i, material->tasks.count);
        bundles[i] = (struct bundle){.task = task,
                                     .steps = SLICE(&material->steps, task->task_id),
                                     .events = SLICE(&material->events, task->task_id)};
    }
    return (struct object_list){material->tasks.count, bundles};
}

/* The snapshot as JSON text, without its digest. */
static void print_snapshot(struct text *text, struct arena *arena, struct material *material,
                           const struct snapshot_request *wanted)
{
    const struct selection selection = {.task_ids = wanted->task_ids,
                                        .limit = {wanted->task_ids.count == 0, wanted->limit}};
    const struct snapshot snapshot = {.status = material->missing.count ? "partial" : "ok",
                                      .snapshot_format_version = SNAPSHOT_VERSION,
                                      .orch_version = wanted->orch_version,
                                      .migration = material->schema.schema_version,
                                      .generated_at = clock_unix_microseconds(),
                                      .backend = wanted->backend,
                                      .selection = &selection,
                                      .health = &material->health,
                                      .schema = schema_report_shape(&material->schema),
                                      .task_count = (int64_t)material->tasks.count,
                                      .step_count = (int64_t)material->steps.count,
                                      .event_count = (int64_t)material->events.count,
                                      .exported_task_ids = material->exported,
                                      .missing_task_ids = material->missing,
                                      .tasks = bundles_of(arena, material, wanted)};
    struct json_writer writer;

    material->health.status = "ok";
    material->health.backend = wanted->backend;
    material->health.schema_version = material->schema.schema_version;
    text_start(text, arena, SNAPSHOT_BYTES_MAX);
    writer_start(&writer, text);
    schema_write(&writer, &snapshot_schema, &snapshot);
}

enum error snapshot_build(struct arena *arena, struct db *db, const struct db_schema *schema,
                          const struct snapshot_request *wanted, json_t **snapshot,
                          struct problem *problem)
{
    struct material material = {0};
    char digest[DIGEST_SHA256_TEXT];
    struct json_fault fault;
    struct text text;
    enum error error = gather(arena, db, schema, wanted, &material, problem);

    if (error)
        return error;
    print_snapshot(&text, arena, &material, wanted);
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
