/* Checks a snapshot file without a store and prints its contents as JSON. `--help` lists the
 * options and exit codes. */
#include "orchestrator/snapshot/tool.h"

static const char help[] =
    "usage: orch-inspect-snapshot --input FILE\n"
    "\n"
    "Checks a snapshot file without a store and prints its contents as JSON.\n"
    "\n"
    "Exit codes: 0 ready to import; 1 not; 2 it cannot be read, or the command line is\n"
    "wrong.\n";

static void copy(struct json_writer *writer, const json_t *snapshot, const char *key,
                 const char *as)
{
    const json_t *value = json_object_get(snapshot, key);

    writer_key(writer, as);
    if (value)
        writer_value(writer, value);
    else
        writer_null(writer);
}

static int inspect(struct tool *tool)
{
    const struct db_schema schema = {
        .directory = arena_print(tool->arena, "%s/orchestrator", tool->settings.sql_directory)};
    struct string_list known = schema_available(tool->arena, &schema);
    struct snapshot_checks checks;
    struct json_writer writer;
    json_t *snapshot;
    struct text text;
    int64_t size;

    if (tool_read(tool, &snapshot, &size))
        return tool_fail(tool, tool->problem.text);
    snapshot_check(tool->arena, snapshot, &known, &checks);
    text_start(&text, tool->arena, SNAPSHOT_BYTES_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_string(&writer, "status", "ok");
    copy(&writer, snapshot, "status", "snapshot_status");
    copy(&writer, snapshot, "snapshot_format_version", "snapshot_format_version");
    writer_key_integer(&writer, "supported_snapshot_format_version", SNAPSHOT_VERSION);
    copy(&writer, snapshot, "orch_version", "orch_version");
    copy(&writer, snapshot, "migration", "migration");
    writer_key_string(&writer, "supported_migration",
                      known.count ? known.items[known.count - 1] : NULL);
    copy(&writer, snapshot, "generated_at", "generated_at");
    copy(&writer, snapshot, "backend", "backend");
    copy(&writer, snapshot, "selection", "selection");
    copy(&writer, snapshot, "exported_task_ids", "exported_task_ids");
    copy(&writer, snapshot, "missing_task_ids", "missing_task_ids");
    copy(&writer, snapshot, "snapshot_sha256", "snapshot_sha256");
    writer_key_string(&writer, "computed_snapshot_sha256", checks.digest);
    writer_key_string(&writer, "input", tool->input);
    writer_key_boolean(&writer, "compressed_input", tool_is_packed(tool->input));
    writer_key_integer(&writer, "input_size_bytes", size);
    tool_write_checks(&writer, &checks, "");
    writer_close_object(&writer);
    tool_print(tool, text.bytes);
    return checks.import_ready ? TOOL_OK : TOOL_PARTIAL;
}

int main(int argc, char **argv)
{
    return tool_run(argc, argv, help, true, inspect);
}
