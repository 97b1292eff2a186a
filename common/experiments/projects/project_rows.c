/* Rows of projects and of their histories: the fields of their structs, and their documents. */
#include "experiments/projects/project_rows.h"

#include <string.h>

/* The fields that a project and its entry in a list have in common. */
#define RECORD_FIELDS                                                                              \
    STRING(OWNER, id), STRING(OWNER, project_name), INTEGER(OWNER, payload_schema_version),        \
        STRING(OWNER, archived_at, .nullable = true), BOOLEAN(OWNER, is_archived),                 \
        INTEGER(OWNER, revision_count), STRING(OWNER, last_revision_at, .nullable = true),         \
        STRING(OWNER, last_analysis_at, .nullable = true),                                         \
        STRING(OWNER, last_analysis_run_id, .nullable = true),                                     \
        STRING(OWNER, last_exported_at, .nullable = true), BOOLEAN(OWNER, has_analysis_snapshot),  \
        STRING(OWNER, created_at),                                                                 \
        STRING(OWNER, updated_at, .help = "What If-Match is compared with.")

#define OWNER struct project
static const struct field project_fields[] = {
    RECORD_FIELDS,
    WRITTEN_OBJECT(OWNER, document, "payload", payload_schema),
    STRING(OWNER, hypothesis, .nullable = true, .internal = true),
    CHOICE(OWNER, metric_type, metric_type_names, .choice_count = METRIC__MAX, .nullable = true,
           .internal = true),
    NULLABLE_INTEGER(OWNER, duration_days, .internal = true),
};
static const struct field item_fields[] = {
    RECORD_FIELDS,
    STRING(OWNER, hypothesis, .nullable = true),
    CHOICE(OWNER, metric_type, metric_type_names, .choice_count = METRIC__MAX, .nullable = true),
    NULLABLE_INTEGER(OWNER, duration_days, .help = "Of the newest analysis run."),
};
#undef OWNER
SCHEMA(project_schema, struct project, "Project", project_fields, .help = "A saved design.");
SCHEMA(project_item_schema, struct project, "ProjectListItem", item_fields,
       .help = "A project without its payload.");

#define OWNER struct run_summary
static const struct field summary_fields[] = {
    STRING(OWNER, metric_type, .nullable = true),
    NULLABLE_INTEGER(OWNER, sample_size_per_variant),
    NULLABLE_INTEGER(OWNER, total_sample_size),
    NULLABLE_INTEGER(OWNER, estimated_duration_days),
    INTEGER(OWNER, warnings_count),
    BOOLEAN(OWNER, advice_available),
};
#undef OWNER
static SCHEMA(summary_schema, struct run_summary, "AnalysisRunSummary", summary_fields,
              .help = "The run at a glance.");

#define OWNER struct analysis_run
static const struct field run_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, project_id),
    STRING(OWNER, created_at),
    OBJECT(OWNER, summary, summary_schema),
    OBJECT(OWNER, analysis, analysis_payload_schema),
};
#undef OWNER
SCHEMA(analysis_run_schema, struct analysis_run, "AnalysisRun", run_fields,
       .help = "An analysis kept with a project.");

#define OWNER struct export_event
static const struct field event_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, project_id),
    STRING(OWNER, analysis_run_id, .nullable = true),
    STRING(OWNER, format),
    STRING(OWNER, created_at),
};
#undef OWNER
SCHEMA(export_event_schema, struct export_event, "ExportEvent", event_fields,
       .help = "A report that was exported.");

#define OWNER struct revision
static const struct field revision_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, project_id),
    STRING(OWNER, source),
    STRING(OWNER, created_at),
    OBJECT(OWNER, payload, payload_schema),
};
#undef OWNER
SCHEMA(revision_schema, struct revision, "ProjectRevision", revision_fields,
       .help = "A project as it once was.");

void project_row(struct query *query, struct arena *arena, struct project *project)
{
    *project = (struct project){0};
    query_read(query, &project_schema, project, arena);
    project->is_archived = project->archived_at != NULL;
    project->has_analysis_snapshot = project->last_analysis_run_id != NULL;
}

static const void *read_document(const struct schema *schema, const char *document,
                                 struct arena *arena)
{
    struct schema_errors errors;
    struct json_fault fault;
    json_t *json;
    void *object;

    if (json_read(arena, document, strlen(document), JSON_DEPTH_LIMIT, &json, &fault))
        return NULL;
    object = arena_alloc(arena, schema->size);
    return schema_decode(schema, json, "stored", object, &errors, arena) ? NULL : object;
}

const struct experiment_payload *project_payload(const char *document, struct arena *arena)
{
    return read_document(&payload_schema, document, arena);
}

const char *project_document(const char *document, struct arena *arena)
{
    const struct experiment_payload *payload;

    if (schema_is_text_of(&payload_schema, document))
        return document;
    payload = project_payload(document, arena);
    return payload ? payload_to_json(payload, arena) : NULL;
}
