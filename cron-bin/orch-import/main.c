/* Stores the tasks of a snapshot. Tasks with the same id are replaced; others are kept. A damaged
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

struct summary {
    const char *status;
    int64_t snapshot_format_version;
    const char *orch_version, *migration, *input;
    bool compressed_input;
    int64_t input_size_bytes;
    struct string_list requested_task_ids;
    struct snapshot_import import;
    struct schema_variant repository_schema; /* the store after the import, as the next one */
    const struct store_health *repository_health;
    struct snapshot_checks checks; /* of the snapshot, as all that follows */
    json_t *source_status, *source_orch_version, *source_migration, *source_selection;
    json_t *source_snapshot_sha256;
};

#define OWNER struct summary
static const struct field summary_fields[] = {
    STRING(OWNER, status),
    INTEGER(OWNER, snapshot_format_version),
    STRING(OWNER, orch_version),
    STRING(OWNER, migration, .nullable = true),
    STRING(OWNER, input),
    BOOLEAN(OWNER, compressed_input),
    INTEGER(OWNER, input_size_bytes),
    STRINGS(OWNER, requested_task_ids),
    TOOL_ROW(OWNER, "missing_task_ids", FIELD_STRINGS, import.missing, struct string_list),
    TOOL_ROW(OWNER, "replaced_task_ids", FIELD_STRINGS, import.replaced, struct string_list),
    TOOL_ROW(OWNER, "dry_run", FIELD_BOOLEAN, import.dry_run, bool),
    TOOL_COUNT(OWNER, "imported_task_count", import.tasks),
    TOOL_COUNT(OWNER, "imported_step_count", import.steps),
    TOOL_COUNT(OWNER, "imported_event_count", import.events),
    VARIANT(OWNER, repository_schema, schema_report_variants),
    OBJECT(OWNER, repository_health, store_health_schema),
    JSON_VALUE(OWNER, source_status),
    JSON_VALUE(OWNER, source_orch_version),
    JSON_VALUE(OWNER, source_migration),
    JSON_VALUE(OWNER, source_selection),
    JSON_VALUE(OWNER, source_snapshot_sha256),
    TOOL_ROW(OWNER, "source_exported_task_ids", FIELD_STRINGS, checks.exported, struct string_list),
    TOOL_ROW(OWNER, "source_missing_task_ids", FIELD_STRINGS, checks.not_exported,
             struct string_list),
    CHECK_ROWS(OWNER, "source_", "source_status_consistency_status"),
};
#undef OWNER
static SCHEMA(summary_schema, struct summary, "ImportSummary", summary_fields);

static void summarize(struct tool *tool, const json_t *snapshot,
                      const struct snapshot_checks *checks, const struct schema_report *report,
                      const struct snapshot_import *import, struct store_health *health,
                      int64_t size)
{
    const struct summary summary = {
        .status = import->missing.count ? "partial" : "ok",
        .snapshot_format_version = SNAPSHOT_VERSION,
        .orch_version = tool->settings.version,
        .migration = report->schema_version,
        .input = tool->input,
        .compressed_input = tool_is_packed(tool->input),
        .input_size_bytes = size,
        .requested_task_ids = tool->task_ids,
        .import = *import,
        .repository_schema = schema_report_shape(report),
        .repository_health = health,
        .checks = *checks,
        .source_status = json_object_get(snapshot, "status"),
        .source_orch_version = json_object_get(snapshot, "orch_version"),
        .source_migration = json_object_get(snapshot, "migration"),
        .source_selection = json_object_get(snapshot, "selection"),
        .source_snapshot_sha256 = json_object_get(snapshot, "snapshot_sha256")};

    health->status = "ok";
    health->backend = tool_backend(tool);
    health->schema_version = report->schema_version;
    tool_print(tool, &summary_schema, &summary);
}

/* The reason why a snapshot is refused; NULL when it is accepted. */
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
    struct store_health health = {0};
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
        schema_report_make(tool->arena, tool->db, store_schema(tool->store), tool_backend(tool),
                           &report, &tool->problem))
        return tool_fail(tool, tool->problem.text);
    if (!report.ok && !tool->allow_degraded_schema)
        return tool_fail(tool, "The schema of the store is degraded.");
    if (snapshot_import(tool->arena, tool->db, snapshot, &wanted, &tool->problem))
        return wanted.blamed ? tool_fail_at(tool, wanted.blamed, tool->problem.text)
                             : tool_fail(tool, tool->problem.text);
    if (store_health_count(tool->db, &health, &tool->problem))
        return tool_fail(tool, tool->problem.text);
    summarize(tool, snapshot, &checks, &report, &wanted, &health, size);
    return wanted.missing.count ? TOOL_PARTIAL : TOOL_OK;
}

int main(int argc, char **argv)
{
    return tool_run(argc, argv, help, true, import);
}
