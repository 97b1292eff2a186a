/* The records of a workspace bundle, and their canonical text for hashing and export. */
#ifndef ASSAY_EXPERIMENTS_WORKSPACE_RECORDS_H
#define ASSAY_EXPERIMENTS_WORKSPACE_RECORDS_H

#include "experiments/payloads/analysis_payload.h"
#include "experiments/payloads/payload.h"

/* The lists of a bundle, in the order of the canonical form. There, `generated_at` comes before the
 * revisions, `schema_version` after the projects. */
enum bundle_list {
    BUNDLE_RUNS,
    BUNDLE_EVENTS,
    BUNDLE_REVISIONS,
    BUNDLE_PROJECTS,
    BUNDLE_LIST__MAX
};
extern const char *const bundle_list_names[BUNDLE_LIST__MAX];

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

struct bundle_counts {
    int64_t projects;
    int64_t analysis_runs;
    int64_t export_events;
    int64_t project_revisions;
};
SCHEMA_OF(bundle_counts_schema, struct bundle_counts);

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
