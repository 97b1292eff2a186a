/* Puts the tasks of a snapshot into the orchestrator's store, for an operator. Tasks that are there
 * already are replaced, all others stay; a damaged file is refused before a row is touched.
 *
 *   orch-import [--dsn URL | --db FILE] --input FILE [--task-id ID]... [--dry-run]
 *               [--allow-degraded-schema]
 *
 * Exit codes: 0 done, 1 some tasks are not in the file, 2 it failed or the command line is wrong.
 */
#include "orchestrator/snapshot/tool.h"

#include <string.h>

static const char usage[] = "orch-import [--dsn URL | --db FILE] --input FILE [--task-id ID]... "
                            "[--dry-run] [--allow-degraded-schema]";

static void summarize(struct tool *tool, const struct snapshot_checks *checks,
                      const struct schema_report *report, const struct snapshot_import *import,
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
    writer_key(&writer, "repository_schema");
    schema_report_write(&writer, report, tool_backend(tool));
    writer_key_integer(&writer, "imported_task_count", import->tasks);
    writer_key_integer(&writer, "imported_step_count", import->steps);
    writer_key_integer(&writer, "imported_event_count", import->events);
    tool_write_checks(&writer, checks, "source_");
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
    struct snapshot_import wanted = {
        .task_ids = tool->task_ids, .dry_run = tool->dry_run, .tell = tool_tell, .context = tool};
    struct snapshot_checks checks;
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
    summarize(tool, &checks, &report, &wanted, size);
    return wanted.missing.count ? TOOL_PARTIAL : TOOL_OK;
}

int main(int argc, char **argv)
{
    return tool_run(argc, argv, usage, true, import);
}
