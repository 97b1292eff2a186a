/* The records of a workspace bundle, and their canonical text for hashing and export. */
#ifndef ASSAY_EXPERIMENTS_WORKSPACE_RECORDS_H
#define ASSAY_EXPERIMENTS_WORKSPACE_RECORDS_H

#include "experiments/catalog/metric.h"
#include "experiments/flags/flag.h"
#include "experiments/payloads/analysis_payload.h"
#include "experiments/payloads/payload.h"

/* The lists of a bundle, in the order of the canonical form. There, `generated_at` comes before the
 * revisions, `schema_version` after the projects. */
enum bundle_list {
    BUNDLE_RUNS,
    BUNDLE_METRIC_VERSIONS,
    BUNDLE_METRICS,
    BUNDLE_EVENTS,
    BUNDLE_FLAGS,
    BUNDLE_REVISIONS,
    BUNDLE_PROJECTS,
    BUNDLE_LIST__MAX
};
extern const char *const bundle_list_names[BUNDLE_LIST__MAX];

/* Whether bundles of a schema version have the list. */
bool bundle_has_list(int64_t schema_version, enum bundle_list list);

struct bundle_project {
    const char *id;
    const char *project_name;
    int64_t payload_schema_version;
    const char *archived_at;
    const char *last_analysis_at;
    const char *last_analysis_run_id;
    const char *last_exported_at;
    const char *created_at;
    const char *updated_at;
    const struct experiment_payload *payload;
};

struct bundle_run {
    const char *id;
    const char *project_id;
    const char *created_at;
    const struct analysis_payload *analysis;
};

struct bundle_event {
    const char *id;
    const char *project_id;
    const char *analysis_run_id;
    int format; /* enum export_format */
    const char *created_at;
};

struct bundle_revision {
    const char *id;
    const char *project_id;
    int source; /* enum revision_source */
    const char *created_at;
    const struct experiment_payload *payload;
};

/* A metric of the catalog; its definition is that of its version. */
struct bundle_metric {
    const char *id;
    int64_t version; /* the current one */
    const char *created_at;
    const char *updated_at;
};

struct bundle_metric_version {
    const char *metric_id;
    int64_t version;
    const struct metric_definition *definition;
    const char *actor; /* NULL = not known */
    const char *created_at;
};

/* The feature flag of a project. */
struct bundle_flag {
    const char *project_id;
    const char *key;
    bool enabled;
    const struct flag_settings *settings; /* NULL until somebody sets them */
    const char *updated_at;               /* NULL likewise */
};

/* Room for a record of any list. */
union bundle_any {
    struct bundle_project project;
    struct bundle_run run;
    struct bundle_event event;
    struct bundle_revision revision;
    struct bundle_metric metric;
    struct bundle_metric_version metric_version;
    struct bundle_flag flag;
};

struct bundle_counts {
    int64_t projects;
    int64_t analysis_runs;
    int64_t export_events;
    int64_t project_revisions;
    int64_t catalog_metrics;
    int64_t catalog_metric_versions;
    int64_t flags;
};
SCHEMA_OF(bundle_counts_schema, struct bundle_counts);

/* The count of one list. */
int64_t *bundle_count(struct bundle_counts *counts, enum bundle_list list);

struct bundle_integrity {
    const struct bundle_counts *counts;
    const char *checksum_sha256;
    const char *signature_hmac_sha256;
};
SCHEMA_OF(bundle_integrity_schema, struct bundle_integrity);

/* The whole bundle, for the API document; no function decodes it at once. */
extern const struct schema bundle_document_schema;

/* By list, of the structs above. */
extern const struct schema *const bundle_schemas[BUNDLE_LIST__MAX];

/* The record as canonical text: with defaults, sorted keys, ASCII, no white space. From the arena.
 * `plain`, when not NULL, is the same without escaping of non-ASCII characters. */
struct text bundle_canonical(struct arena *arena, enum bundle_list list, const void *record,
                             struct text *plain);

#endif
