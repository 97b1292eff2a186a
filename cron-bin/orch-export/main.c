/* Writes tasks of the orchestrator into a snapshot file. `--help` lists the options and exit
 * codes. */
#include "base/clock.h"
#include "orchestrator/snapshot/tool.h"

#include <string.h>

static const char help[] =
    "usage: orch-export [--dsn URL | --db FILE] [--output FILE] [--task-id ID]...\n"
    "                   [--limit NUMBER]\n"
    "\n"
    "Writes tasks of the orchestrator into a snapshot file.\n"
    "\n"
    "  --dsn URL, --db FILE  The store, in place of the settings.\n"
    "  --output FILE         The file; .gz packs it. Standard output without it.\n"
    "  --task-id ID          Only this task; may be repeated.\n"
    "  --limit NUMBER        At most so many tasks.\n"
    "\n"
    "Exit codes: 0 done; 1 some tasks are missing; 2 failed, or the command line is\n"
    "wrong.\n";

static const char *default_output(struct arena *arena)
{
    char now[CLOCK_TEXT_MAX], stamp[CLOCK_TEXT_MAX];
    size_t length = 0;

    clock_format(clock_unix_microseconds(), now);
    for (size_t i = 0; i < 19; i++)
        if (now[i] != '-' && now[i] != ':')
            stamp[length++] = now[i];
    stamp[length] = '\0';
    return arena_print(arena, "tmp/db-export/orch-export-%sZ.json", stamp);
}

struct summary {
    /* Of the snapshot. */
    json_t *status, *snapshot_format_version, *orch_version, *migration, *generated_at;
    json_t *exported_task_ids, *missing_task_ids, *snapshot_sha256;
    json_t *repository_health, *repository_schema;
    const char *output;
    bool compressed_output, output_exists;
    int64_t output_size_bytes;
    struct string_list requested_task_ids;
    struct snapshot_checks checks;
};

#define OWNER struct summary
static const struct field summary_fields[] = {
    JSON_VALUE(OWNER, status),
    JSON_VALUE(OWNER, snapshot_format_version),
    JSON_VALUE(OWNER, orch_version),
    JSON_VALUE(OWNER, migration),
    JSON_VALUE(OWNER, generated_at),
    JSON_VALUE(OWNER, exported_task_ids),
    JSON_VALUE(OWNER, missing_task_ids),
    JSON_VALUE(OWNER, snapshot_sha256),
    JSON_VALUE(OWNER, repository_health),
    JSON_VALUE(OWNER, repository_schema),
    STRING(OWNER, output),
    BOOLEAN(OWNER, compressed_output),
    BOOLEAN(OWNER, output_exists),
    INTEGER(OWNER, output_size_bytes),
    STRINGS(OWNER, requested_task_ids),
    CHECK_ROWS(OWNER, "", "snapshot_status_consistency_status"),
};
#undef OWNER
static SCHEMA(summary_schema, struct summary, "ExportSummary", summary_fields);

static void summarize(struct tool *tool, const json_t *snapshot,
                      const struct snapshot_checks *checks, size_t bytes)
{
    const struct summary summary = {
        .status = json_object_get(snapshot, "status"),
        .snapshot_format_version = json_object_get(snapshot, "snapshot_format_version"),
        .orch_version = json_object_get(snapshot, "orch_version"),
        .migration = json_object_get(snapshot, "migration"),
        .generated_at = json_object_get(snapshot, "generated_at"),
        .exported_task_ids = json_object_get(snapshot, "exported_task_ids"),
        .missing_task_ids = json_object_get(snapshot, "missing_task_ids"),
        .snapshot_sha256 = json_object_get(snapshot, "snapshot_sha256"),
        .repository_health = json_object_get(snapshot, "health"),
        .repository_schema = json_object_get(snapshot, "schema"),
        .output = tool->output,
        .compressed_output = tool_is_packed(tool->output),
        .output_exists = true,
        .output_size_bytes = (int64_t)bytes,
        .requested_task_ids = tool->task_ids,
        .checks = *checks};

    tool_print(tool, &summary_schema, &summary);
}

static int export(struct tool *tool)
{
    struct snapshot_request wanted = {.task_ids = tool->task_ids,
                                      .limit = tool->limit,
                                      .report = tool_report_progress,
                                      .context = tool};
    struct snapshot_checks checks;
    struct string_list known;
    struct text text;
    json_t *snapshot;

    if (tool_open(tool, true))
        return tool_fail(tool, tool->problem.text);
    wanted.orch_version = tool->settings.version;
    wanted.backend = tool_backend(tool);
    if (snapshot_build(tool->arena, tool->db, store_schema(tool->store), &wanted, &snapshot,
                       &tool->problem))
        return tool_fail(tool, tool->problem.text);
    known = schema_available(tool->arena, store_schema(tool->store));
    snapshot_check(tool->arena, snapshot, &known, &checks);
    if (!tool->output)
        tool->output = default_output(tool->arena);
    text_start(&text, tool->arena, SNAPSHOT_BYTES_MAX);
    canonical_write(&text, snapshot, 2);
    if (tool_write(tool, tool->output, &text))
        return tool_fail(tool, tool->problem.text);
    summarize(tool, snapshot, &checks, text.length);
    return json_array_size(json_object_get(snapshot, "missing_task_ids")) ? TOOL_PARTIAL : TOOL_OK;
}

int main(int argc, char **argv)
{
    return tool_run(argc, argv, help, false, export);
}
