/*
 * The catalog of metrics in the database, with every version of each, and which project uses which
 * version. Every change writes its audit entry in the same transaction.
 */
#ifndef ASSAY_EXPERIMENTS_CATALOG_METRIC_STORE_H
#define ASSAY_EXPERIMENTS_CATALOG_METRIC_STORE_H

#include "experiments/catalog/metric.h"
#include "experiments/projects/project_store.h"

struct metric_use {
    const char *project_id;
    const char *project_name;
    int64_t version;
    bool is_archived;
};

struct metric_version {
    int64_t version;
    const struct metric_definition *definition;
    const char *actor; /* NULL = not known */
    const char *created_at;
};

struct catalog_metric {
    const char *id;
    int64_t version;
    const struct metric_definition *definition;
    int64_t use_count; /* projects, archived ones included */
    const char *created_at;
    const char *updated_at;
};
SCHEMA_OF(catalog_metric_schema, struct catalog_metric);
SCHEMA_OF(metric_use_schema, struct metric_use);
SCHEMA_OF(metric_version_schema, struct metric_version);

struct metric_filter {
    const char *text; /* of names; NULL = all */
    int kind;         /* enum metric_type, -1 = all */
};

/*
 * Errors, besides those of the database: ERROR_NOT_FOUND with `not_found`; ERROR_CONFLICT with
 * `metric_name_taken`, `metric_limit_reached`, `metric_changed` where `version` is not the current
 * one, `metric_source_fixed` where another source of events is named, `metric_in_use` where a
 * project uses the metric that is to be deleted.
 */

/* A page by name; `page->items` are struct catalog_metric. */
MUST_CHECK enum error catalog_list(const struct project_call *call,
                                   const struct metric_filter *filter, struct project_page *page);
MUST_CHECK enum error catalog_read(const struct project_call *call, const char *id,
                                   struct catalog_metric *metric);
/* Newest first; `versions` are struct metric_version. */
MUST_CHECK enum error catalog_versions(const struct project_call *call, const char *id,
                                       struct object_list *versions);
enum { METRIC_USES_MAX = 500, METRIC_ANY_VERSION = -1 };
/* By name of the project; `uses` are struct metric_use. At most METRIC_USES_MAX of them. */
MUST_CHECK enum error catalog_uses(const struct project_call *call, const char *id,
                                   struct object_list *uses);
MUST_CHECK enum error catalog_create(const struct project_call *call,
                                     const struct metric_definition *definition, int64_t most,
                                     struct catalog_metric *metric);
/* `version` is the one that the change was made from, or METRIC_ANY_VERSION. The same definition
 * makes no version. */
MUST_CHECK enum error catalog_update(const struct project_call *call, const char *id,
                                     int64_t version, const struct metric_definition *definition,
                                     struct catalog_metric *metric);
MUST_CHECK enum error catalog_delete(const struct project_call *call, const char *id);

#endif
