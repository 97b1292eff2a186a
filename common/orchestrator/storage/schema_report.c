/* Looking at a schema without changing it. */
#include "orchestrator/storage/schema_report.h"

#include "base/string_list.h"
#include "db/query.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { MIGRATIONS_MAX = 200, MISSING_MAX = 200 };

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
    {"orch_tasks",
     {"task_id",         "status",         "accepted_at",    "completed_at",     "duration_ms",
      "prompt",          "reasoning",      "execution_mode", "dry_run",          "model_count",
      "quorum",          "merge_strategy", "adapter_hint",   "cancel_on_quorum", "failure_code",
      "failure_message", "output_text",    "metadata",       "retry_of_task_id", "session_id",
      "was_decomposed",  "subtask_count",  "decompose"}},
    {"orch_task_steps",
     {"task_id", "step_index", "model_id", "model_display_name", "backend", "provider", "status",
      "failure_code", "failure_message", "output_text", "duration_ms", "input_tokens",
      "output_tokens", "cost_usd", "executed_model_id", "started_at", "completed_at"}},
    {"orch_task_events",
     {"event_id", "task_id", "sequence_no", "event_type", "created_at", "payload"}},
    {"orch_model_catalog_snapshots",
     {"catalog_key", "checked_at", "source", "payload", "updated_at"}},
    {"orch_spend", {"day", "provider", "nano_usd"}},
};
enum { TABLES = sizeof tables / sizeof tables[0] };

static struct string_list new_list(struct arena *arena, size_t most)
{
    return (struct string_list){.items = ARENA_ARRAY(arena, const char *, most)};
}

static enum error check_table(struct arena *arena, struct db *db, const struct table *table,
                              struct schema_report *report, struct problem *problem)
{
    struct query *query = db_query(db, &columns_of);
    struct string_list found = new_list(arena, DB_COLUMNS_MAX);
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
        if (!string_list_has(&found, table->columns[i]) &&
            report->missing_columns.count < MISSING_MAX)
            report->missing_columns.items[report->missing_columns.count++] =
                arena_print(arena, "%s.%s", table->name, table->columns[i]);
    return ERROR_NONE;
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

/* Names of applied migrations may hold their ending or not. */
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

enum error schema_report_make(struct arena *arena, struct db *db, const struct db_schema *schema,
                              struct schema_report *report, struct problem *problem)
{
    enum error error;

    *report = (struct schema_report){.expected_tables = new_list(arena, TABLES),
                                     .missing_tables = new_list(arena, TABLES),
                                     .missing_columns = new_list(arena, MISSING_MAX),
                                     .available = schema_available(arena, schema),
                                     .pending = new_list(arena, MIGRATIONS_MAX)};
    error = read_applied(arena, db, &report->applied, problem);
    for (size_t i = 0; !error && i < TABLES; i++)
        error = check_table(arena, db, &tables[i], report, problem);
    for (size_t i = 0; i < report->available.count; i++)
        if (!string_list_has(&report->applied, report->available.items[i]))
            report->pending.items[report->pending.count++] = report->available.items[i];
    if (report->applied.count)
        report->schema_version = report->applied.items[report->applied.count - 1];
    report->ok = !error && !report->missing_tables.count && !report->missing_columns.count &&
                 !report->pending.count;
    return error;
}

/* Columns by their tables. */
static void write_columns(struct json_writer *writer, const struct string_list *columns)
{
    writer_key(writer, "missing_columns");
    writer_open_object(writer);
    for (size_t i = 0; i < TABLES; i++) {
        size_t length = strlen(tables[i].name);
        bool any = false;

        for (size_t j = 0; j < columns->count; j++) {
            if (strncmp(columns->items[j], tables[i].name, length) != 0 ||
                columns->items[j][length] != '.')
                continue;
            if (!any) {
                writer_key(writer, tables[i].name);
                writer_open_array(writer);
            }
            any = true;
            writer_string(writer, columns->items[j] + length + 1);
        }
        if (any)
            writer_close_array(writer);
    }
    writer_close_object(writer);
}

const char *schema_version_shown(const struct schema_report *report, const char *backend)
{
    return strcmp(backend, "memory") == 0 ? "not_applicable" : report->schema_version;
}

void schema_report_write(struct json_writer *writer, const struct schema_report *report,
                         const char *backend)
{
    writer_open_object(writer);
    writer_key_string(writer, "backend", backend);
    if (strcmp(backend, "memory") == 0) {
        writer_key_string(writer, "schema_version", schema_version_shown(report, backend));
        writer_key_string(writer, "status", "ok");
        writer_close_object(writer);
        return;
    }
    writer_key_strings(writer, "expected_tables", &report->expected_tables);
    writer_key_strings(writer, "migrations_applied", &report->applied);
    writer_key_strings(writer, "migrations_available", &report->available);
    writer_key_strings(writer, "migrations_pending", &report->pending);
    write_columns(writer, &report->missing_columns);
    writer_key_strings(writer, "missing_tables", &report->missing_tables);
    writer_key_string(writer, "schema_version", report->schema_version);
    writer_key_string(writer, "status", report->ok ? "ok" : "degraded");
    writer_close_object(writer);
}
