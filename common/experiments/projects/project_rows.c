/* From rows to structs. */
#include "experiments/projects/project_rows.h"

#include <string.h>

static int metric_type_of(const char *name)
{
    for (int type = 0; name && type < METRIC__MAX; type++)
        if (strcmp(name, metric_type_names[type]) == 0)
            return type;
    return -1;
}

void project_row(struct query *query, struct arena *arena, struct project *project)
{
    *project = (struct project){
        .id = query_text(query, 0, arena),
        .project_name = query_text(query, 1, arena),
        .payload_schema_version = query_integer(query, 2),
        .archived_at = query_text_or_null(query, 3, arena),
        .revision_count = query_integer(query, 4),
        .last_revision_at = query_text_or_null(query, 5, arena),
        .last_analysis_at = query_text_or_null(query, 6, arena),
        .last_analysis_run_id = query_text_or_null(query, 7, arena),
        .last_exported_at = query_text_or_null(query, 8, arena),
        .created_at = query_text(query, 9, arena),
        .updated_at = query_text(query, 10, arena),
        .hypothesis = query_text_or_null(query, 11, arena),
        .metric_type = metric_type_of(query_text_or_null(query, 12, arena)),
        .duration_days = query_optional_integer(query, 13),
    };
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

const struct analysis_payload *project_analysis(const char *document, struct arena *arena)
{
    return read_document(&analysis_payload_schema, document, arena);
}
