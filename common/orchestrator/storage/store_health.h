/* Health of the store: for readiness, snapshots and operators' programs. */
#ifndef ASSAY_ORCHESTRATOR_STORAGE_STORE_HEALTH_H
#define ASSAY_ORCHESTRATOR_STORAGE_STORE_HEALTH_H

#include "orchestrator/storage/schema_report.h"

struct store_health {
    const char *status; /* "ok", "degraded" */
    const char *backend;
    const char *error; /* NULL = none */
    const char *schema_version;
    int64_t task_count, step_count, event_count;
    struct optional_boolean model_catalog_present; /* of the backend `memory` */
    struct schema_variant schema;                  /* of readiness alone */
};

/* For a store that answers: in snapshots, and with all members in readiness. */
SCHEMA_OF(store_health_schema, struct store_health);
SCHEMA_OF(storage_details_schema, struct store_health);
/* For a store that does not answer. */
SCHEMA_OF(storage_failure_schema, struct store_health);

/* Fills in the counts of rows. */
MUST_CHECK enum error store_health_count(struct db *db, struct store_health *health,
                                         struct problem *problem);

#endif
