/* The health of the store: its shapes, and the SQL of its counts. */
#include "orchestrator/storage/store_health.h"

#include "db/query.h"

static const struct statement read_counts = {
    .name = "orch_counts",
    .sql = "SELECT (SELECT count(*) FROM orch_tasks) AS task_count,"
           " (SELECT count(*) FROM orch_task_steps) AS step_count,"
           " (SELECT count(*) FROM orch_task_events) AS event_count",
};

#define OWNER struct store_health
#define COUNTS INTEGER(OWNER, task_count), INTEGER(OWNER, step_count), INTEGER(OWNER, event_count)
static const struct field health_fields[] = {
    STRING(OWNER, status),
    STRING(OWNER, backend),
    STRING(OWNER, schema_version, .nullable = true),
    COUNTS,
};
SCHEMA(store_health_schema, struct store_health, "StoreHealth", health_fields);

static const struct field details_fields[] = {
    STRING(OWNER, status),
    STRING(OWNER, backend),
    STRING(OWNER, error, .omit_if_null = true),
    STRING(OWNER, schema_version, .nullable = true),
    COUNTS,
    NULLABLE_BOOLEAN(OWNER, model_catalog_present, .omit_if_null = true),
    VARIANT(OWNER, schema, schema_report_variants),
};
SCHEMA(storage_details_schema, struct store_health, "StorageDetails", details_fields);

static const struct field failure_fields[] = {
    STRING(OWNER, status),
    STRING(OWNER, backend),
    STRING(OWNER, error),
};
#undef COUNTS
#undef OWNER
SCHEMA(storage_failure_schema, struct store_health, "StorageFailure", failure_fields);

enum error store_health_count(struct db *db, struct store_health *health, struct problem *problem)
{
    struct query *query = db_query(db, &read_counts);

    if (query_next(query))
        query_read(query, &store_health_schema, health, NULL);
    return query_end(query, problem);
}
