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

struct summary {
    const char *status, *migration;
    bool bootstrapped;
    const struct store_health *health;
    struct schema_variant schema;
};

#define OWNER struct summary
static const struct field summary_fields[] = {
    STRING(OWNER, status),
    STRING(OWNER, migration, .nullable = true),
    BOOLEAN(OWNER, bootstrapped),
    OBJECT(OWNER, health, store_health_schema),
    VARIANT(OWNER, schema, schema_report_variants),
};
#undef OWNER
static SCHEMA(summary_schema, struct summary, "ValidationSummary", summary_fields);

static int validate(struct tool *tool)
{
    struct store_health health = {0};
    struct schema_report report;
    bool is_counted;

    if (tool_open(tool, !tool->no_bootstrap) ||
        schema_report_make(tool->arena, tool->db, store_schema(tool->store), tool_backend(tool),
                           &report, &tool->problem))
        return tool_fail(tool, tool->problem.text);
    is_counted = !store_health_count(tool->db, &health, &tool->problem);
    health.backend = tool_backend(tool);
    health.status = is_counted ? "ok" : "degraded";
    health.schema_version = report.schema_version;
    tool_print(tool, &summary_schema,
               &(struct summary){.status = report.ok && is_counted ? "ok" : "degraded",
                                 .migration = report.schema_version,
                                 .bootstrapped = !tool->no_bootstrap,
                                 .health = &health,
                                 .schema = schema_report_shape(&report)});
    return report.ok && is_counted ? TOOL_OK : TOOL_PARTIAL;
}

int main(int argc, char **argv)
{
    return tool_run(argc, argv, help, false, validate);
}
