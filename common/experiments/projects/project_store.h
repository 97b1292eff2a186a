/*
 * Projects in the database: the saved designs, their revisions, analysis runs and export events.
 * Every change writes its audit row and its revision in the same transaction.
 */
#ifndef ASSAY_EXPERIMENTS_PROJECTS_PROJECT_STORE_H
#define ASSAY_EXPERIMENTS_PROJECTS_PROJECT_STORE_H

#include "experiments/audit/audit_store.h"
#include "experiments/payloads/analysis_payload.h"
#include "experiments/payloads/payload.h"

struct project {
    const char *id;
    const char *project_name;
    int64_t payload_schema_version;
    const char *archived_at;
    bool is_archived;
    int64_t revision_count;
    const char *last_revision_at;
    const char *last_analysis_at;
    const char *last_analysis_run_id;
    const char *last_exported_at;
    bool has_analysis_snapshot;
    const char *created_at;
    const char *updated_at;
    const char *document;                  /* JSON text of payload_schema; NULL in lists */
    const char *hypothesis;                /* in lists, as the next two */
    int metric_type;                       /* enum metric_type, -1 = unknown */
    struct optional_integer duration_days; /* of the newest analysis run */
};

enum export_format { EXPORT_MARKDOWN, EXPORT_HTML, EXPORT_PDF, EXPORT__MAX };
enum revision_source { REVISION_CREATE, REVISION_UPDATE, REVISION_IMPORT, REVISION__MAX };

extern const char *const export_format_names[EXPORT__MAX];
extern const char *const revision_source_names[REVISION__MAX];

struct run_summary {
    const char *metric_type;
    struct optional_integer sample_size_per_variant;
    struct optional_integer total_sample_size;
    struct optional_integer estimated_duration_days;
    int64_t warnings_count;
    bool advice_available;
};

struct analysis_run {
    const char *id;
    const char *project_id;
    const char *created_at;
    const struct run_summary *summary; /* in answers, computed from the analysis; else NULL */
    const struct analysis_payload *analysis;
};

struct export_event {
    const char *id;
    const char *project_id;
    const char *analysis_run_id;
    const char *format;
    const char *created_at;
};

struct revision {
    const char *id;
    const char *project_id;
    const char *source;
    const char *created_at;
    const struct experiment_payload *payload;
};

SCHEMA_OF(project_schema, struct project);      /* with its payload */
SCHEMA_OF(project_item_schema, struct project); /* for lists, without the payload */
SCHEMA_OF(analysis_run_schema, struct analysis_run);
SCHEMA_OF(export_event_schema, struct export_event);
SCHEMA_OF(revision_schema, struct revision);

/* The stored document of a design as a struct; NULL when it is invalid. */
const struct experiment_payload *project_payload(const char *document, struct arena *arena);

/* The arguments of every call. The callee runs the transaction; memory is from `arena`. */
struct project_call {
    struct db *db;
    struct arena *arena;
    const struct actor *actor; /* NULL = the service itself: no audit entry */
    struct problem *problem;
};

/*
 * Errors, besides those of the database: ERROR_NOT_FOUND with `not_found` (reads, archive, restore,
 * delete) or `project_not_found` (changes of an existing project), ERROR_INVALID with
 * `project_archived` or `analysis_run_not_found`, ERROR_CONFLICT with `project_conflict` when
 * `if_match` is given and is not the project's updated_at (nor "*").
 */
MUST_CHECK enum error project_create(const struct project_call *call,
                                     const struct experiment_payload *payload,
                                     struct project *project);
MUST_CHECK enum error project_read(const struct project_call *call, const char *id,
                                   struct project *project);
MUST_CHECK enum error project_update(const struct project_call *call, const char *id,
                                     const char *if_match, const struct experiment_payload *payload,
                                     struct project *project);
MUST_CHECK enum error project_archive(const struct project_call *call, const char *id,
                                      const char *if_match, const char **archived_at);
MUST_CHECK enum error project_restore(const struct project_call *call, const char *id,
                                      const char *if_match, struct project *project);
MUST_CHECK enum error project_delete(const struct project_call *call, const char *id,
                                     const char *if_match);
MUST_CHECK enum error project_add_analysis(const struct project_call *call, const char *id,
                                           const struct analysis_payload *analysis,
                                           struct project *project);
MUST_CHECK enum error project_add_export(const struct project_call *call, const char *id,
                                         enum export_format format, const char *analysis_run_id,
                                         struct project *project);

/* Order and filters of a list. */
enum project_status { STATUS_ACTIVE, STATUS_ARCHIVED, STATUS_ALL, STATUS__MAX };
enum project_sort { SORT_CREATED_AT, SORT_UPDATED_AT, SORT_NAME, SORT_DURATION_DAYS, SORT__MAX };

struct project_filter {
    enum project_status status;
    int metric_type; /* enum metric_type, -1 = all */
    const char *q;   /* search text, NULL or blank = all */
    enum project_sort sort_by;
    bool ascending;
    int64_t limit;
    int64_t offset;
};

/* A page of struct project without payloads, and the total number of matches. */
MUST_CHECK enum error project_list(const struct project_call *call,
                                   const struct project_filter *filter,
                                   struct object_list *projects, int64_t *total);

/* One page of a project's items, newest first; `total` counts all. */
struct project_page {
    int64_t
        limit; /* a page with large documents has fewer: the next begins at offset + items.count */
    int64_t offset;
    int64_t memory_max;       /* bytes; a page has at least one item */
    int64_t total;            /* out */
    struct object_list items; /* out */
};
/* Whether one more item fits on the page, given the memory of its items so far. */
bool project_page_has_room(const struct project_page *page, size_t used);
MUST_CHECK enum error project_analysis_runs(const struct project_call *call, const char *id,
                                            struct project_page *page);
MUST_CHECK enum error project_export_events(const struct project_call *call, const char *id,
                                            struct project_page *page);
MUST_CHECK enum error project_revisions(const struct project_call *call, const char *id,
                                        struct project_page *page);

/* Fills in the folded columns of rows that a migration left empty. */
MUST_CHECK enum error project_fold_missing(struct db *db, struct problem *problem);

/* Is the version among those of an If-Match: a comma-separated list, each quoted or not. Proxies
 * that compress mark tags as weak (W/); the version is the same. */
bool project_names_version(const char *list, const char *version);

#endif
