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

struct summary {
    const char *status;
    struct schema_report report;
    struct schema_variant schema; /* absent in a dry run */
};

#define OWNER struct summary
static const struct field summary_fields[] = {
    STRING(OWNER, status),
    TOOL_ROW(OWNER, "migrations_available", FIELD_STRINGS, report.migrations_available,
             struct string_list),
    TOOL_ROW(OWNER, "migrations_applied", FIELD_STRINGS, report.migrations_applied,
             struct string_list),
    TOOL_ROW(OWNER, "migrations_pending", FIELD_STRINGS, report.migrations_pending,
             struct string_list),
    VARIANT(OWNER, schema, schema_report_variants, .omit_if_null = true),
};
#undef OWNER
static SCHEMA(summary_schema, struct summary, "MigrationSummary", summary_fields);

/* An unreachable store counts as having no migration. */
static void read_schema(struct tool *tool, struct schema_report *report)
{
    const struct db_schema schema = {
        .directory = arena_print(tool->arena, "%s/orchestrator", tool->settings.sql_directory)};

    if (!tool_open(tool, false) &&
        !schema_report_make(tool->arena, tool->db, store_schema(tool->store), tool_backend(tool),
                            report, &tool->problem))
        return;
    *report =
        (struct schema_report){.migrations_available = schema_available(tool->arena, &schema)};
    report->migrations_pending = report->migrations_available;
}

static int migrate(struct tool *tool)
{
    struct summary summary = {0};

    if (tool->dry_run)
        read_schema(tool, &summary.report);
    else if (tool_open(tool, true) ||
             schema_report_make(tool->arena, tool->db, store_schema(tool->store),
                                tool_backend(tool), &summary.report, &tool->problem))
        return tool_fail(tool, tool->problem.text);
    summary.status = tool->dry_run ? "dry_run" : summary.report.ok ? "ok" : "degraded";
    if (!tool->dry_run)
        summary.schema = schema_report_shape(&summary.report);
    tool_print(tool, &summary_schema, &summary);
    return tool->dry_run || summary.report.ok ? TOOL_OK : TOOL_PARTIAL;
}

int main(int argc, char **argv)
{
    return tool_run(argc, argv, help, false, migrate);
}
