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

static void copy(struct json_writer *writer, const json_t *snapshot, const char *key)
{
    const json_t *value = json_object_get(snapshot, key);

    writer_key(writer, key);
    if (value)
        writer_value(writer, value);
    else
        writer_null(writer);
}

static void summarize(struct tool *tool, const json_t *snapshot,
                      const struct snapshot_checks *checks, size_t bytes)
{
    static const char *const copied[] = {
        "status",       "snapshot_format_version", "orch_version",     "migration",
        "generated_at", "exported_task_ids",       "missing_task_ids", "snapshot_sha256"};
    struct json_writer writer;
    struct text text;

    text_start(&text, tool->arena, SNAPSHOT_BYTES_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    for (size_t i = 0; i < sizeof copied / sizeof copied[0]; i++)
        copy(&writer, snapshot, copied[i]);
    writer_key_string(&writer, "output", tool->output);
    writer_key_boolean(&writer, "compressed_output", tool_is_packed(tool->output));
    writer_key_boolean(&writer, "output_exists", true);
    writer_key_integer(&writer, "output_size_bytes", (int64_t)bytes);
    writer_key_strings(&writer, "requested_task_ids", &tool->task_ids);
    writer_key(&writer, "repository_health");
    writer_value(&writer, json_object_get(snapshot, "health"));
    writer_key(&writer, "repository_schema");
    writer_value(&writer, json_object_get(snapshot, "schema"));
    tool_write_checks(&writer, checks, "");
    writer_close_object(&writer);
    tool_print(tool, text.bytes);
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
