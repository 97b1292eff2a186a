/* Reads what the database has, without changing it. */
#include "orchestrator/storage/schema_report.h"

#include "base/string_list.h"
#include "db/query.h"
#include "orchestrator/settings.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { MIGRATIONS_MAX = 200, COLUMNS_JSON_MAX = 65536 };

static const struct statement columns_of = {
    .name = "orch_columns",
    .sqlite = "SELECT p.name FROM pragma_table_info(?) AS p",
    .postgres = "SELECT CAST(column_name AS TEXT) FROM information_schema.columns"
                " WHERE table_schema = 'public' AND table_name = ?",
};
static const struct statement applied_migrations = {
    .name = "orch_migrations",
    .sql = "SELECT name FROM schema_migrations ORDER BY version",
};

static const struct table {
    const char *name;
    const char *columns[26];
} tables[] = {
    {"orch_tasks", {"task_id",        "status",           "accepted_at",      "completed_at",
                    "duration_ms",    "prompt",           "reasoning",        "execution_mode",
                    "dry_run",        "model_count",      "quorum",           "merge_strategy",
                    "adapter_hint",   "cancel_on_quorum", "failure_code",     "failure_message",
                    "output_text",    "metadata",         "retry_of_task_id", "session_id",
                    "was_decomposed", "subtask_count",    "decompose",        "key_id"}},
    {"orch_task_steps",
     {"task_id", "step_index", "model_id", "model_display_name", "backend", "provider", "status",
      "failure_code", "failure_message", "output_text", "duration_ms", "input_tokens",
      "output_tokens", "cost_usd", "executed_model_id", "started_at", "completed_at",
      "first_output_at"}},
    {"orch_task_events",
     {"event_id", "task_id", "sequence_no", "event_type", "created_at", "payload"}},
    {"orch_model_catalog_snapshots",
     {"catalog_key", "checked_at", "source", "payload", "updated_at"}},
    {"orch_spend", {"day", "provider", "nano_usd"}},
    {"orch_votes",
     {"id", "task_id", "task_type", "models", "voters", "first_votes", "second_votes", "sizes",
      "right_votes", "asked_at"}},
    {"orch_responses", {"response_id", "owner", "previous_id", "created_at", "input", "answer"}},
};
enum { TABLES = COUNT_OF(tables) };

static struct string_list new_list(struct arena *arena, size_t most)
{
    return (struct string_list){.items = ARENA_ARRAY(arena, const char *, most)};
}

/* Adds the missing columns of the table to the open object `columns`. */
static enum error check_table(struct arena *arena, struct db *db, const struct table *table,
                              struct schema_report *report, struct json_writer *columns,
                              struct problem *problem)
{
    struct query *query = db_query(db, &columns_of);
    struct string_list found = new_list(arena, DB_COLUMNS_MAX);
    struct string_list missing = new_list(arena, COUNT_OF(table->columns));
    enum error error;

    query_bind_text(query, table->name);
    while (found.count < DB_COLUMNS_MAX && query_next(query))
        found.items[found.count++] = query_text(query, 0, arena);
    error = query_end(query, problem);
    if (error)
        return error;
    report->expected_tables.items[report->expected_tables.count++] = table->name;
    if (!found.count)
        report->missing_tables.items[report->missing_tables.count++] = table->name;
    for (size_t i = 0; found.count && table->columns[i]; i++)
        if (!string_list_has(&found, table->columns[i]))
            missing.items[missing.count++] = table->columns[i];
    if (missing.count)
        writer_key_strings(columns, table->name, &missing);
    report->ok = report->ok && found.count && !missing.count;
    return ERROR_NONE;
}

static enum error check_tables(struct arena *arena, struct db *db, struct schema_report *report,
                               struct problem *problem)
{
    struct json_writer columns;
    struct text text;
    enum error error = ERROR_NONE;

    text_start(&text, arena, COLUMNS_JSON_MAX);
    writer_start(&columns, &text);
    writer_open_object(&columns);
    for (size_t i = 0; !error && i < TABLES; i++)
        error = check_table(arena, db, &tables[i], report, &columns, problem);
    writer_close_object(&columns);
    report->missing_columns = text.bytes;
    return error;
}

struct string_list schema_available(struct arena *arena, const struct db_schema *schema)
{
    struct string_list list = new_list(arena, MIGRATIONS_MAX);
    struct arena_guard *guard = arena_guard(arena, arena_close_directory);
    DIR *directory = guard->thing = opendir(schema->directory);
    const struct dirent *entry;

    while (directory && list.count < MIGRATIONS_MAX && (entry = readdir(directory)) != NULL) {
        size_t length = strlen(entry->d_name);

        if (length > 4 && strcmp(entry->d_name + length - 4, ".sql") == 0)
            list.items[list.count++] = arena_copy(arena, entry->d_name, length - 4);
    }
    arena_guard_end(guard);
    qsort(list.items, list.count, sizeof list.items[0], string_list_order);
    return list;
}

/* Names of applied migrations may contain the file extension or not. */
static enum error read_applied(struct arena *arena, struct db *db, struct string_list *applied,
                               struct problem *problem)
{
    struct query *query = db_query(db, &applied_migrations);

    *applied = new_list(arena, MIGRATIONS_MAX);
    while (applied->count < MIGRATIONS_MAX && query_next(query)) {
        const char *name = query_text(query, 0, arena);
        size_t length = strlen(name);

        if (length > 4 && strcmp(name + length - 4, ".sql") == 0)
            name = arena_copy(arena, name, length - 4);
        applied->items[applied->count++] = name;
    }
    return query_end(query, problem);
}

static bool is_memory(const char *backend)
{
    return strcmp(backend, storage_backend_names[STORAGE_MEMORY]) == 0;
}

enum error schema_report_make(struct arena *arena, struct db *db, const struct db_schema *schema,
                              const char *backend, struct schema_report *report,
                              struct problem *problem)
{
    struct string_list *pending = &report->migrations_pending;
    struct string_list *applied = &report->migrations_applied;
    enum error error;

    *report = (struct schema_report){.ok = true,
                                     .backend = backend,
                                     .expected_tables = new_list(arena, TABLES),
                                     .missing_tables = new_list(arena, TABLES),
                                     .migrations_available = schema_available(arena, schema),
                                     .migrations_pending = new_list(arena, MIGRATIONS_MAX)};
    error = read_applied(arena, db, applied, problem);
    if (!error)
        error = check_tables(arena, db, report, problem);
    for (size_t i = 0; i < report->migrations_available.count; i++)
        if (!string_list_has(applied, report->migrations_available.items[i]))
            pending->items[pending->count++] = report->migrations_available.items[i];
    report->schema_version = is_memory(backend) ? "not_applicable"
                             : applied->count   ? applied->items[applied->count - 1]
                                                : NULL;
    report->ok = report->ok && !error && !pending->count;
    report->status = report->ok || is_memory(backend) ? "ok" : "degraded";
    return error;
}

#define OWNER struct schema_report
static const struct field report_fields[] = {
    STRING(OWNER, backend),
    STRINGS(OWNER, expected_tables),
    STRINGS(OWNER, migrations_applied),
    STRINGS(OWNER, migrations_available),
    STRINGS(OWNER, migrations_pending),
    WRITTEN_JSON(OWNER, missing_columns),
    STRINGS(OWNER, missing_tables),
    STRING(OWNER, schema_version, .nullable = true),
    STRING(OWNER, status),
};
SCHEMA(schema_report_schema, struct schema_report, "SchemaReport", report_fields);

static const struct field memory_fields[] = {
    STRING(OWNER, backend),
    STRING(OWNER, schema_version),
    STRING(OWNER, status),
};
#undef OWNER
SCHEMA(memory_schema_report_schema, struct schema_report, "MemorySchemaReport", memory_fields);

const struct schema *const schema_report_variants[] = {&schema_report_schema,
                                                       &memory_schema_report_schema, NULL};

struct schema_variant schema_report_shape(const struct schema_report *report)
{
    return is_memory(report->backend) ? SHAPED(memory_schema_report_schema, report)
                                      : SHAPED(schema_report_schema, report);
}
