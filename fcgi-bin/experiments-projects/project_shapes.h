/* The documents of the project routes. */
#ifndef ASSAY_EXPERIMENTS_PROJECTS_PROJECT_SHAPES_H
#define ASSAY_EXPERIMENTS_PROJECTS_PROJECT_SHAPES_H

#include "base/schema.h"
#include "experiments/storage/project_store.h"

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
    struct object_list projects;
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

struct run_summary {
    const char *metric_type;
    struct optional_integer sample_size_per_variant;
    struct optional_integer total_sample_size;
    struct optional_integer estimated_duration_days;
    int64_t warnings_count;
    bool advice_available;
};

struct run_record {
    const char *id;
    const char *project_id;
    const char *created_at;
    const struct run_summary *summary;
    const struct analysis_payload *analysis;
};

struct history_reply {
    const char *project_id;
    int64_t analysis_total;
    int64_t analysis_limit;
    int64_t analysis_offset;
    int64_t export_total;
    int64_t export_limit;
    int64_t export_offset;
    struct object_list analysis_runs; /* struct run_record */
    struct object_list export_events; /* struct export_event */
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
    struct object_list revisions; /* struct revision */
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

extern const struct schema project_schema, list_query_schema, list_reply_schema,
    history_query_schema, history_reply_schema, revisions_query_schema, revisions_reply_schema,
    export_request_schema, archived_reply_schema, deleted_reply_schema;

#endif
