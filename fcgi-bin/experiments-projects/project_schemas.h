/* The schemas of the project routes. */
#ifndef ASSAY_EXPERIMENTS_PROJECTS_PROJECT_SCHEMAS_H
#define ASSAY_EXPERIMENTS_PROJECTS_PROJECT_SCHEMAS_H

#include "base/schema.h"
#include "experiments/projects/project_store.h"

struct list_query {
    struct optional_boolean include_archived;
    const char *q;
    int status;      /* enum project_status */
    int metric_type; /* enum metric_type, METRIC__MAX = all */
    int sort_by;     /* enum project_sort */
    int sort_dir;    /* 0 asc, 1 desc */
    int64_t limit;
    int64_t offset;
};

struct list_reply {
    OBJECT_LIST(struct project, projects);
    int64_t total;
    int64_t offset;
    int64_t limit;
    bool has_more;
};

struct history_query {
    int64_t analysis_limit;
    int64_t analysis_offset;
    int64_t export_limit;
    int64_t export_offset;
};

struct history_reply {
    const char *project_id;
    int64_t analysis_total;
    int64_t analysis_limit;
    int64_t analysis_offset;
    int64_t export_total;
    int64_t export_limit;
    int64_t export_offset;
    OBJECT_LIST(struct analysis_run, analysis_runs);
    OBJECT_LIST(struct export_event, export_events); /* struct export_event */
};

struct revisions_query {
    int64_t limit;
    int64_t offset;
};

struct revisions_reply {
    const char *project_id;
    int64_t total;
    int64_t limit;
    int64_t offset;
    OBJECT_LIST(struct revision, revisions); /* struct revision */
};

struct export_request {
    int format; /* enum export_format */
    const char *analysis_run_id;
};

struct archived_reply {
    const char *id;
    bool archived;
    const char *archived_at;
};

struct deleted_reply {
    const char *id;
    bool deleted;
};

SCHEMA_OF(list_query_schema, struct list_query);
SCHEMA_OF(list_reply_schema, struct list_reply);
SCHEMA_OF(history_query_schema, struct history_query);
SCHEMA_OF(history_reply_schema, struct history_reply);
SCHEMA_OF(revisions_query_schema, struct revisions_query);
SCHEMA_OF(revisions_reply_schema, struct revisions_reply);
SCHEMA_OF(export_request_schema, struct export_request);
SCHEMA_OF(archived_reply_schema, struct archived_reply);
SCHEMA_OF(deleted_reply_schema, struct deleted_reply);

#endif
