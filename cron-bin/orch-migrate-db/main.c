/* Migrates the orchestrator's store to the schema of this version. The service does so itself
 * when it starts. `--help` lists the options and exit codes. */
#include "orchestrator/snapshot/tool.h"

static const char help[] =
    "usage: orch-migrate-db [--dsn URL | --db FILE] [--dry-run]\n"
    "\n"
    "Migrates the orchestrator's store to the schema of this version. The service does\n"
    "so itself when it starts.\n"
    "\n"
    "  --dsn URL, --db FILE  The store, in place of the settings.\n"
    "  --dry-run             Print what is missing; change nothing.\n"
    "\n"
    "Exit codes: 0 done; 1 something is still missing; 2 failed, or the command line is\n"
    "wrong.\n";

/* Of a store that nobody can reach nothing is applied. */
static void read_schema(struct tool *tool, struct schema_report *report)
{
    const struct db_schema schema = {
        .directory = arena_print(tool->arena, "%s/orchestrator", tool->settings.sql_directory)};

    if (!tool_open(tool, false) &&
        !schema_report_make(tool->arena, tool->db, store_schema(tool->store), report,
                            &tool->problem))
        return;
    *report = (struct schema_report){.available = schema_available(tool->arena, &schema)};
    report->pending = report->available;
}

static int migrate(struct tool *tool)
{
    struct schema_report report;
    struct json_writer writer;
    struct text text;

    if (tool->dry_run)
        read_schema(tool, &report);
    else if (tool_open(tool, true) ||
             schema_report_make(tool->arena, tool->db, store_schema(tool->store), &report,
                                &tool->problem))
        return tool_fail(tool, tool->problem.text);
    text_start(&text, tool->arena, 1 << 20);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_string(&writer, "status", tool->dry_run ? "dry_run" : report.ok ? "ok" : "degraded");
    writer_key_strings(&writer, "migrations_available", &report.available);
    writer_key_strings(&writer, "migrations_applied", &report.applied);
    writer_key_strings(&writer, "migrations_pending", &report.pending);
    if (!tool->dry_run) {
        writer_key(&writer, "schema");
        schema_report_write(&writer, &report, tool_backend(tool));
    }
    writer_close_object(&writer);
    tool_print(tool, text.bytes);
    return tool->dry_run || report.ok ? TOOL_OK : TOOL_PARTIAL;
}

int main(int argc, char **argv)
{
    return tool_run(argc, argv, help, false, migrate);
}
