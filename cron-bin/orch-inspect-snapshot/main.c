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

struct summary {
    const char *status;
    /* Of the snapshot. */
    json_t *snapshot_status, *snapshot_format_version, *orch_version, *migration, *generated_at;
    json_t *backend, *selection, *exported_task_ids, *missing_task_ids, *snapshot_sha256;
    int64_t supported_snapshot_format_version;
    const char *supported_migration, *computed_snapshot_sha256, *input;
    bool compressed_input;
    int64_t input_size_bytes;
    struct snapshot_checks checks;
};

#define OWNER struct summary
static const struct field summary_fields[] = {
    STRING(OWNER, status),
    JSON_VALUE(OWNER, snapshot_status),
    JSON_VALUE(OWNER, snapshot_format_version),
    INTEGER(OWNER, supported_snapshot_format_version),
    JSON_VALUE(OWNER, orch_version),
    JSON_VALUE(OWNER, migration),
    STRING(OWNER, supported_migration, .nullable = true),
    JSON_VALUE(OWNER, generated_at),
    JSON_VALUE(OWNER, backend),
    JSON_VALUE(OWNER, selection),
    JSON_VALUE(OWNER, exported_task_ids),
    JSON_VALUE(OWNER, missing_task_ids),
    JSON_VALUE(OWNER, snapshot_sha256),
    STRING(OWNER, computed_snapshot_sha256),
    STRING(OWNER, input),
    BOOLEAN(OWNER, compressed_input),
    INTEGER(OWNER, input_size_bytes),
    CHECK_ROWS(OWNER, "", "snapshot_status_consistency_status"),
};
#undef OWNER
static SCHEMA(summary_schema, struct summary, "InspectSummary", summary_fields);

static int inspect(struct tool *tool)
{
    const struct db_schema schema = {
        .directory = arena_print(tool->arena, "%s/orchestrator", tool->settings.sql_directory)};
    struct string_list known = schema_available(tool->arena, &schema);
    struct summary summary = {.status = "ok",
                              .supported_snapshot_format_version = SNAPSHOT_VERSION,
                              .input = tool->input,
                              .compressed_input = tool_is_packed(tool->input)};
    json_t *snapshot;

    if (tool_read(tool, &snapshot, &summary.input_size_bytes))
        return tool_fail(tool, tool->problem.text);
    snapshot_check(tool->arena, snapshot, &known, &summary.checks);
    summary.supported_migration = known.count ? known.items[known.count - 1] : NULL;
    summary.computed_snapshot_sha256 = summary.checks.digest;
    summary.snapshot_status = json_object_get(snapshot, "status");
    summary.snapshot_format_version = json_object_get(snapshot, "snapshot_format_version");
    summary.orch_version = json_object_get(snapshot, "orch_version");
    summary.migration = json_object_get(snapshot, "migration");
    summary.generated_at = json_object_get(snapshot, "generated_at");
    summary.backend = json_object_get(snapshot, "backend");
    summary.selection = json_object_get(snapshot, "selection");
    summary.exported_task_ids = json_object_get(snapshot, "exported_task_ids");
    summary.missing_task_ids = json_object_get(snapshot, "missing_task_ids");
    summary.snapshot_sha256 = json_object_get(snapshot, "snapshot_sha256");
    tool_print(tool, &summary_schema, &summary);
    return summary.checks.import_ready ? TOOL_OK : TOOL_PARTIAL;
}

int main(int argc, char **argv)
{
    return tool_run(argc, argv, help, true, inspect);
}
