/* Schemas of the records of a bundle, which are also their columns, and their canonical text. */
#include "experiments/workspace/records.h"
#include "experiments/projects/project_store.h"

enum {
    RECORD_BYTES_MAX = 96 * 1024 * 1024, /* a payload, every character of it escaped */
    CATALOG_SINCE = 4                    /* the schema version that brought catalog and flags */
};

const char *const bundle_list_names[BUNDLE_LIST__MAX] = {
    [BUNDLE_RUNS] = "analysis_runs",
    [BUNDLE_METRIC_VERSIONS] = "catalog_metric_versions",
    [BUNDLE_METRICS] = "catalog_metrics",
    [BUNDLE_EVENTS] = "export_events",
    [BUNDLE_FLAGS] = "flags",
    [BUNDLE_REVISIONS] = "project_revisions",
    [BUNDLE_PROJECTS] = "projects",
};

bool bundle_has_list(int64_t schema_version, enum bundle_list list)
{
    return schema_version >= CATALOG_SINCE ||
           (list != BUNDLE_METRICS && list != BUNDLE_METRIC_VERSIONS && list != BUNDLE_FLAGS);
}

#define OWNER struct bundle_project
static const struct field project_fields[] = {
    STRING(OWNER, id, .required = true),
    STRING(OWNER, project_name, .required = true),
    INTEGER(OWNER, payload_schema_version, .required = true, .lower = AT_LEAST(1)),
    STRING(OWNER, archived_at, .nullable = true),
    STRING(OWNER, last_analysis_at, .nullable = true),
    STRING(OWNER, last_analysis_run_id, .nullable = true),
    STRING(OWNER, last_exported_at, .nullable = true),
    STRING(OWNER, created_at, .required = true),
    STRING(OWNER, updated_at, .required = true),
    OBJECT(OWNER, payload, payload_schema, .required = true),
};
#undef OWNER
static SCHEMA(record_project_schema, struct bundle_project, "BundleProject", project_fields,
              .extra = EXTRA_IGNORE);

#define OWNER struct bundle_run
static const struct field run_fields[] = {
    STRING(OWNER, id, .required = true),
    STRING(OWNER, project_id, .required = true),
    STRING(OWNER, created_at, .required = true),
    OBJECT(OWNER, analysis, analysis_payload_schema, .required = true),
};
#undef OWNER
static SCHEMA(record_run_schema, struct bundle_run, "BundleRun", run_fields, .extra = EXTRA_IGNORE);

#define OWNER struct bundle_event
static const struct field event_fields[] = {
    STRING(OWNER, id, .required = true),
    STRING(OWNER, project_id, .required = true),
    STRING(OWNER, analysis_run_id, .nullable = true),
    CHOICE(OWNER, format, export_format_names, .choice_count = EXPORT__MAX, .required = true),
    STRING(OWNER, created_at, .required = true),
};
#undef OWNER
static SCHEMA(record_event_schema, struct bundle_event, "BundleEvent", event_fields,
              .extra = EXTRA_IGNORE);

#define OWNER struct bundle_revision
static const struct field revision_fields[] = {
    STRING(OWNER, id, .required = true),
    STRING(OWNER, project_id, .required = true),
    CHOICE(OWNER, source, revision_source_names, .choice_count = REVISION__MAX, .required = true),
    STRING(OWNER, created_at, .required = true),
    OBJECT(OWNER, payload, payload_schema, .required = true),
};
#undef OWNER
static SCHEMA(record_revision_schema, struct bundle_revision, "BundleRevision", revision_fields,
              .extra = EXTRA_IGNORE);

#define OWNER struct bundle_metric
static const struct field metric_fields[] = {
    STRING(OWNER, id, .required = true),
    INTEGER(OWNER, version, .required = true, .lower = AT_LEAST(1)),
    STRING(OWNER, created_at, .required = true),
    STRING(OWNER, updated_at, .required = true),
};
#undef OWNER
static SCHEMA(record_metric_schema, struct bundle_metric, "BundleMetric", metric_fields,
              .extra = EXTRA_IGNORE);

#define OWNER struct bundle_metric_version
static const struct field metric_version_fields[] = {
    STRING(OWNER, metric_id, .required = true),
    INTEGER(OWNER, version, .required = true, .lower = AT_LEAST(1)),
    OBJECT(OWNER, definition, metric_definition_schema, .required = true),
    STRING(OWNER, actor, .nullable = true),
    STRING(OWNER, created_at, .required = true),
};
#undef OWNER
static SCHEMA(record_metric_version_schema, struct bundle_metric_version, "BundleMetricVersion",
              metric_version_fields, .extra = EXTRA_IGNORE);

#define OWNER struct bundle_flag
static const struct field flag_record_fields[] = {
    STRING(OWNER, project_id, .required = true),
    STRING(OWNER, key, .required = true),
    BOOLEAN(OWNER, enabled, .required = true),
    OBJECT(OWNER, settings, flag_settings_schema, .nullable = true),
    STRING(OWNER, updated_at, .nullable = true),
};
#undef OWNER
static SCHEMA(record_flag_schema, struct bundle_flag, "BundleFlag", flag_record_fields,
              .extra = EXTRA_IGNORE);

#define OWNER struct bundle_counts
static const struct field counts_fields[] = {
    INTEGER(OWNER, projects, .required = true, .lower = AT_LEAST(0)),
    INTEGER(OWNER, analysis_runs, .required = true, .lower = AT_LEAST(0)),
    INTEGER(OWNER, export_events, .required = true, .lower = AT_LEAST(0)),
    INTEGER(OWNER, project_revisions, .lower = AT_LEAST(0)),
    INTEGER(OWNER, catalog_metrics, .lower = AT_LEAST(0)),
    INTEGER(OWNER, catalog_metric_versions, .lower = AT_LEAST(0)),
    INTEGER(OWNER, flags, .lower = AT_LEAST(0)),
};
#undef OWNER
SCHEMA(bundle_counts_schema, struct bundle_counts, "WorkspaceCounts", counts_fields,
       .extra = EXTRA_IGNORE, .help = "Records by kind.");

int64_t *bundle_count(struct bundle_counts *counts, enum bundle_list list)
{
    int64_t *const of[BUNDLE_LIST__MAX] = {
        [BUNDLE_RUNS] = &counts->analysis_runs,
        [BUNDLE_METRIC_VERSIONS] = &counts->catalog_metric_versions,
        [BUNDLE_METRICS] = &counts->catalog_metrics,
        [BUNDLE_EVENTS] = &counts->export_events,
        [BUNDLE_FLAGS] = &counts->flags,
        [BUNDLE_REVISIONS] = &counts->project_revisions,
        [BUNDLE_PROJECTS] = &counts->projects,
    };

    return of[list];
}

#define OWNER struct bundle_integrity
static const struct field integrity_fields[] = {
    OBJECT(OWNER, counts, bundle_counts_schema, .required = true),
    STRING(OWNER, checksum_sha256, .nullable = true),
    STRING(OWNER, signature_hmac_sha256, .nullable = true),
};
#undef OWNER
SCHEMA(bundle_integrity_schema, struct bundle_integrity, "WorkspaceIntegrity", integrity_fields,
       .extra = EXTRA_IGNORE);

struct bundle_document {
    int64_t schema_version;
    const char *generated_at;
    json_t *projects;
    json_t *analysis_runs;
    json_t *export_events;
    json_t *project_revisions;
    json_t *catalog_metrics;
    json_t *catalog_metric_versions;
    json_t *flags;
    const struct bundle_integrity *integrity;
};

#define OWNER struct bundle_document
static const struct field document_fields[] = {
    INTEGER(OWNER, schema_version),       STRING(OWNER, generated_at),
    JSON_OBJECTS(OWNER, projects),        JSON_OBJECTS(OWNER, analysis_runs),
    JSON_OBJECTS(OWNER, export_events),   JSON_OBJECTS(OWNER, project_revisions),
    JSON_OBJECTS(OWNER, catalog_metrics), JSON_OBJECTS(OWNER, catalog_metric_versions),
    JSON_OBJECTS(OWNER, flags),           OBJECT(OWNER, integrity, bundle_integrity_schema),
};
#undef OWNER
SCHEMA(bundle_document_schema, struct bundle_document, "WorkspaceBundle", document_fields,
       .help = "A backup of all projects, with the catalog of metrics and the flags.");

const struct schema *const bundle_schemas[BUNDLE_LIST__MAX] = {
    [BUNDLE_RUNS] = &record_run_schema,
    [BUNDLE_METRIC_VERSIONS] = &record_metric_version_schema,
    [BUNDLE_METRICS] = &record_metric_schema,
    [BUNDLE_EVENTS] = &record_event_schema,
    [BUNDLE_FLAGS] = &record_flag_schema,
    [BUNDLE_REVISIONS] = &record_revision_schema,
    [BUNDLE_PROJECTS] = &record_project_schema,
};

static struct text write_sorted(struct arena *arena, const json_t *document, size_t guess,
                                bool ascii)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, RECORD_BYTES_MAX);
    text_reserve(&text, guess);
    writer_start(&writer, &text);
    writer.ascii = ascii;
    writer_value_sorted(&writer, document);
    return text;
}

struct text bundle_canonical(struct arena *arena, enum bundle_list list, const void *record,
                             struct text *plain)
{
    struct text written;
    struct json_writer writer;
    struct json_fault fault;
    json_t *document;

    text_start(&written, arena, RECORD_BYTES_MAX);
    writer_start(&writer, &written);
    schema_write(&writer, bundle_schemas[list], record);
    if (json_read(arena, written.bytes, written.length, JSON_DEPTH_LIMIT, &document, &fault))
        document = NULL; /* what a writer has made is JSON */
    if (plain)
        *plain = write_sorted(arena, document, written.length, false);
    return write_sorted(arena, document, written.length, true);
}
