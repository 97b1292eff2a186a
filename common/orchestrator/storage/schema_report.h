/* Whether the database has what the programs expect: tables, columns, migrations. */
#ifndef ASSAY_ORCHESTRATOR_STORAGE_SCHEMA_REPORT_H
#define ASSAY_ORCHESTRATOR_STORAGE_SCHEMA_REPORT_H

#include "base/json.h"
#include "base/optional.h"
#include "db/migrate.h"

/* The migration that snapshots name. */
#define SCHEMA_BASELINE "0001_initial"

struct schema_report {
    bool ok;
    const char *schema_version; /* the last one applied; NULL = none */
    struct string_list expected_tables, missing_tables;
    struct string_list missing_columns; /* "table.column" */
    struct string_list available, applied, pending;
};

MUST_CHECK enum error schema_report_make(struct arena *arena, struct db *db,
                                         const struct db_schema *schema,
                                         struct schema_report *report, struct problem *problem);

/* Migrations of the directory, in order; nothing of the database is asked. */
struct string_list schema_available(struct arena *arena, const struct db_schema *schema);

/* The version as it is told: "not_applicable" of the backend `memory`, which has no schema that
 * anybody would migrate. */
const char *schema_version_shown(const struct schema_report *report, const char *backend);

void schema_report_write(struct json_writer *writer, const struct schema_report *report,
                         const char *backend);

#endif
