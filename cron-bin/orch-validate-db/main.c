/* Checks whether the orchestrator's store can be reached and has the expected schema. `--help`
 * lists the options and exit codes. */
#include "orchestrator/snapshot/tool.h"

static const char help[] =
    "usage: orch-validate-db [--dsn URL | --db FILE] [--no-bootstrap]\n"
    "\n"
    "Checks whether the orchestrator's store can be reached and has the expected\n"
    "schema.\n"
    "\n"
    "  --dsn URL, --db FILE  The store, in place of the settings.\n"
    "  --no-bootstrap        Do not migrate it first.\n"
    "\n"
    "Exit codes: 0 good; 1 degraded; 2 it cannot be reached, or the command line is\n"
    "wrong.\n";

static int validate(struct tool *tool)
{
    struct store_counts counts = {0};
    struct schema_report report;
    struct json_writer writer;
    struct text text;
    bool counted;

    if (tool_open(tool, !tool->no_bootstrap) ||
        schema_report_make(tool->arena, tool->db, store_schema(tool->store), &report,
                           &tool->problem))
        return tool_fail(tool, tool->problem.text);
    counted = !task_counts(tool->db, &counts, &tool->problem);
    text_start(&text, tool->arena, 1 << 20);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_string(&writer, "status", report.ok && counted ? "ok" : "degraded");
    writer_key_string(&writer, "migration", report.schema_version);
    writer_key_boolean(&writer, "bootstrapped", !tool->no_bootstrap);
    writer_key(&writer, "health");
    writer_open_object(&writer);
    writer_key_string(&writer, "status", counted ? "ok" : "degraded");
    writer_key_string(&writer, "backend", tool_backend(tool));
    writer_key_string(&writer, "schema_version", report.schema_version);
    writer_key_integer(&writer, "task_count", counts.tasks);
    writer_key_integer(&writer, "step_count", counts.steps);
    writer_key_integer(&writer, "event_count", counts.events);
    writer_close_object(&writer);
    writer_key(&writer, "schema");
    schema_report_write(&writer, &report, tool_backend(tool));
    writer_close_object(&writer);
    tool_print(tool, text.bytes);
    return report.ok && counted ? TOOL_OK : TOOL_PARTIAL;
}

int main(int argc, char **argv)
{
    return tool_run(argc, argv, help, false, validate);
}
