/* Checks whether the database has the tables, columns and migrations that the programs expect. */
#ifndef ASSAY_ORCHESTRATOR_STORAGE_SCHEMA_REPORT_H
#define ASSAY_ORCHESTRATOR_STORAGE_SCHEMA_REPORT_H

#include "base/schema.h"
#include "db/migrate.h"

struct schema_report {
    bool ok; /* nothing is missing */
    const char *backend;
    struct string_list expected_tables;
    struct string_list migrations_applied, migrations_available, migrations_pending;
    const char *missing_columns; /* a JSON object: by table */
    struct string_list missing_tables;
    const char *schema_version; /* the last applied migration; NULL = none */
    const char *status;         /* "ok", "degraded" */
};
SCHEMA_OF(schema_report_schema, struct schema_report);
/* For the backend `memory`, which has no migrations. */
SCHEMA_OF(memory_schema_report_schema, struct schema_report);
extern const struct schema *const schema_report_variants[];

/* `backend` is one of storage_backend_names. */
MUST_CHECK enum error schema_report_make(struct arena *arena, struct db *db,
                                         const struct db_schema *schema, const char *backend,
                                         struct schema_report *report, struct problem *problem);

/* The report in the schema of its backend. */
struct schema_variant schema_report_shape(const struct schema_report *report);

/* Migrations of the directory, in order. Does not use the database. */
struct string_list schema_available(struct arena *arena, const struct db_schema *schema);

#endif
