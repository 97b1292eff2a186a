/* Stores the tasks of a snapshot. Tasks with the same id are replaced; others stay. A damaged
 * file is refused before a row changes. `--help` lists the options and exit codes. */
#include "orchestrator/snapshot/tool.h"

#include <string.h>

static const char help[] =
    "usage: orch-import [--dsn URL | --db FILE] --input FILE [--task-id ID]...\n"
    "                   [--dry-run] [--allow-degraded-schema]\n"
    "\n"
    "Stores the tasks of a snapshot. Tasks with the same id are replaced; others stay.\n"
    "A damaged file is refused before a row changes.\n"
    "\n"
    "  --dsn URL, --db FILE     The store, in place of the settings.\n"
    "  --task-id ID             Only this task; may be repeated.\n"
    "  --dry-run                Check, and store nothing.\n"
    "  --allow-degraded-schema  Import although the store lacks columns.\n"
    "\n"
    "Exit codes: 0 done; 1 some tasks are not in the file; 2 failed, or the command\n"
    "line is wrong.\n";

/* What the snapshot says of itself, and what it is found to hold. */
static void write_source(struct json_writer *writer, const json_t *snapshot,
                         const struct snapshot_checks *checks)
{
    static const struct {
        const char *key, *as;
    } copied[] = {{"status", "source_status"},
                  {"orch_version", "source_orch_version"},
                  {"migration", "source_migration"},
                  {"selection", "source_selection"},
                  {"snapshot_sha256", "source_snapshot_sha256"}};

    for (size_t i = 0; i < sizeof copied / sizeof copied[0]; i++) {
        const json_t *value = json_object_get(snapshot, copied[i].key);

        writer_key(writer, copied[i].as);
        if (value)
            writer_value(writer, value);
        else
            writer_null(writer);
    }
    writer_key_strings(writer, "source_exported_task_ids", &checks->exported);
    writer_key_strings(writer, "source_missing_task_ids", &checks->not_exported);
    tool_write_checks(writer, checks, "source_");
}

/* The store as it is after the import. */
static void write_repository(struct json_writer *writer, struct tool *tool,
                             const struct schema_report *report, const struct store_counts *counts)
{
    writer_key(writer, "repository_health");
    snapshot_write_health(writer, report, counts, tool_backend(tool));
    writer_key(writer, "repository_schema");
    schema_report_write(writer, report, tool_backend(tool));
}

static void summarize(struct tool *tool, const json_t *snapshot,
                      const struct snapshot_checks *checks, const struct schema_report *report,
                      const struct store_counts *counts, const struct snapshot_import *import,
                      int64_t size)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, tool->arena, SNAPSHOT_BYTES_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_string(&writer, "status", import->missing.count ? "partial" : "ok");
    writer_key_integer(&writer, "snapshot_format_version", SNAPSHOT_VERSION);
    writer_key_string(&writer, "orch_version", tool->settings.version);
    writer_key_string(&writer, "migration", report->schema_version);
    writer_key_string(&writer, "input", tool->input);
    writer_key_boolean(&writer, "compressed_input", tool_is_packed(tool->input));
    writer_key_integer(&writer, "input_size_bytes", size);
    writer_key_strings(&writer, "requested_task_ids", &tool->task_ids);
    writer_key_strings(&writer, "missing_task_ids", &import->missing);
    writer_key_strings(&writer, "replaced_task_ids", &import->replaced);
    writer_key_boolean(&writer, "dry_run", import->dry_run);
    write_repository(&writer, tool, report, counts);
    writer_key_integer(&writer, "imported_task_count", import->tasks);
    writer_key_integer(&writer, "imported_step_count", import->steps);
    writer_key_integer(&writer, "imported_event_count", import->events);
    write_source(&writer, snapshot, checks);
    writer_close_object(&writer);
    tool_print(tool, text.bytes);
}

/* Why a snapshot is not taken; NULL when it is. */
static const char *objection(const json_t *snapshot, const struct snapshot_checks *checks)
{
    const char *status = json_string_value(json_object_get(snapshot, "status"));

    if (status && strcmp(status, "error") == 0)
        return "The snapshot is one of a failed export.";
    if (strcmp(checks->format, "mismatch") == 0)
        return "The format of the snapshot is not supported.";
    if (strcmp(checks->migration, "mismatch") == 0)
        return "The snapshot is of a schema that is not known.";
    if (strcmp(checks->manifest, "mismatch") == 0)
        return "What the snapshot says of itself is not what is in it.";
    if (strcmp(checks->checksum, "mismatch") == 0)
        return "The checksum of the snapshot is wrong.";
    return NULL;
}

static int import(struct tool *tool)
{
    const struct db_schema schema = {
        .directory = arena_print(tool->arena, "%s/orchestrator", tool->settings.sql_directory)};
    struct string_list known = schema_available(tool->arena, &schema);
    struct snapshot_import wanted = {.task_ids = tool->task_ids,
                                     .dry_run = tool->dry_run,
                                     .report = tool_report_progress,
                                     .context = tool};
    struct snapshot_checks checks;
    struct store_counts counts;
    struct schema_report report;
    const char *objected;
    json_t *snapshot;
    int64_t size;

    if (tool_read(tool, &snapshot, &size))
        return tool_fail(tool, tool->problem.text);
    snapshot_check(tool->arena, snapshot, &known, &checks);
    objected = objection(snapshot, &checks);
    if (objected)
        return tool_fail(tool, objected);
    if (tool_open(tool, true) ||
        schema_report_make(tool->arena, tool->db, store_schema(tool->store), &report,
                           &tool->problem))
        return tool_fail(tool, tool->problem.text);
    if (!report.ok && !tool->allow_degraded_schema)
        return tool_fail(tool, "The schema of the store is degraded.");
    if (snapshot_import(tool->arena, tool->db, snapshot, &wanted, &tool->problem))
        return wanted.blamed ? tool_fail_at(tool, wanted.blamed, tool->problem.text)
                             : tool_fail(tool, tool->problem.text);
    if (task_counts(tool->db, &counts, &tool->problem))
        return tool_fail(tool, tool->problem.text);
    summarize(tool, snapshot, &checks, &report, &counts, &wanted, size);
    return wanted.missing.count ? TOOL_PARTIAL : TOOL_OK;
}

int main(int argc, char **argv)
{
    return tool_run(argc, argv, help, true, import);
}
