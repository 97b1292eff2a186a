/* Schemas of the project routes. */
#include "experiments-projects/project_schemas.h"

enum { LIST_LIMIT_MAX = 200, PAGE_LIMIT_MAX = 100, SEARCH_MAX_LENGTH = 500 };

static const char *const status_names[STATUS__MAX] = {"active", "archived", "all"};
static const char *const metric_filter_names[] = {"binary", "continuous", "ratio", "count", "all"};
static const char *const sort_names[SORT__MAX] = {"created_at", "updated_at", "name",
                                                  "duration_days"};
static const char *const direction_names[] = {"asc", "desc"};

#define OWNER struct list_query
static const struct field list_query_fields[] = {
    NULLABLE_BOOLEAN(OWNER, include_archived, .help = "With status=active: the same as all."),
    STRING(OWNER, q, .nullable = true, .max_length = SEARCH_MAX_LENGTH,
           .help = "Text found literally, in any case, in the name, hypothesis or change."),
    CHOICE(OWNER, status, status_names, .choice_count = STATUS__MAX),
    CHOICE(OWNER, metric_type, metric_filter_names, .choice_count = METRIC__MAX + 1,
           .default_value = METRIC__MAX),
    CHOICE(OWNER, sort_by, sort_names, .choice_count = SORT__MAX, .default_value = SORT_UPDATED_AT),
    CHOICE(OWNER, sort_dir, direction_names, .choice_count = 2, .default_value = 1),
    INTEGER(OWNER, limit, .lower = AT_LEAST(1), .upper = AT_MOST(LIST_LIMIT_MAX),
            .default_value = 50),
    INTEGER(OWNER, offset, .lower = AT_LEAST(0)),
};
#undef OWNER
SCHEMA(list_query_schema, struct list_query, "ProjectListQuery", list_query_fields);

#define OWNER struct list_reply
static const struct field list_reply_fields[] = {
    OBJECTS(OWNER, projects, project_item_schema),
    INTEGER(OWNER, total),
    INTEGER(OWNER, offset),
    INTEGER(OWNER, limit),
    BOOLEAN(OWNER, has_more),
};
#undef OWNER
SCHEMA(list_reply_schema, struct list_reply, "ProjectList", list_reply_fields,
       .help = "A page of projects.");

#define PAGE_LIMIT(member)                                                                         \
    INTEGER(OWNER, member, .lower = AT_LEAST(1), .upper = AT_MOST(PAGE_LIMIT_MAX),                 \
            .default_value = 20)
#define PAGE_OFFSET(member) INTEGER(OWNER, member, .lower = AT_LEAST(0))

#define OWNER struct history_query
static const struct field history_query_fields[] = {
    PAGE_LIMIT(analysis_limit),
    PAGE_OFFSET(analysis_offset),
    PAGE_LIMIT(export_limit),
    PAGE_OFFSET(export_offset),
};
#undef OWNER
SCHEMA(history_query_schema, struct history_query, "HistoryQuery", history_query_fields);

#define OWNER struct history_reply
static const struct field history_reply_fields[] = {
    STRING(OWNER, project_id),
    INTEGER(OWNER, analysis_total),
    INTEGER(OWNER, analysis_limit),
    INTEGER(OWNER, analysis_offset),
    INTEGER(OWNER, export_total),
    INTEGER(OWNER, export_limit),
    INTEGER(OWNER, export_offset),
    OBJECTS(OWNER, analysis_runs, analysis_run_schema),
    OBJECTS(OWNER, export_events, export_event_schema),
};
#undef OWNER
SCHEMA(history_reply_schema, struct history_reply, "ProjectHistory", history_reply_fields,
       .help = "Runs and exports, newest first.");

#define OWNER struct revisions_query
static const struct field revisions_query_fields[] = {PAGE_LIMIT(limit), PAGE_OFFSET(offset)};
#undef OWNER
SCHEMA(revisions_query_schema, struct revisions_query, "RevisionsQuery", revisions_query_fields);

#define OWNER struct revisions_reply
static const struct field revisions_reply_fields[] = {
    STRING(OWNER, project_id),
    INTEGER(OWNER, total),
    INTEGER(OWNER, limit),
    INTEGER(OWNER, offset),
    OBJECTS(OWNER, revisions, revision_schema),
};
#undef OWNER
SCHEMA(revisions_reply_schema, struct revisions_reply, "ProjectRevisions", revisions_reply_fields,
       .help = "Revisions, newest first.");

#define OWNER struct export_request
static const struct field export_fields[] = {
    CHOICE(OWNER, format, export_format_names, .choice_count = EXPORT__MAX, .required = true),
    STRING(OWNER, analysis_run_id, .nullable = true, .help = "A run of the same project."),
};
#undef OWNER
SCHEMA(export_request_schema, struct export_request, "ExportRequest", export_fields,
       .help = "An export to be noted.", .example = "{\"format\":\"markdown\"}");

#define OWNER struct archived_reply
static const struct field archived_fields[] = {
    STRING(OWNER, id),
    BOOLEAN(OWNER, archived),
    STRING(OWNER, archived_at),
};
#undef OWNER
SCHEMA(archived_reply_schema, struct archived_reply, "ProjectArchived", archived_fields,
       .help = "The project is put away.");

#define OWNER struct deleted_reply
static const struct field deleted_fields[] = {STRING(OWNER, id), BOOLEAN(OWNER, deleted)};
#undef OWNER
SCHEMA(deleted_reply_schema, struct deleted_reply, "ProjectDeleted", deleted_fields,
       .help = "The project is gone.");
