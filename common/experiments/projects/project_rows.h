/* Rows of the projects table as structs, and the columns derived from the documents. For the
 * storage files of common/experiments. */
#ifndef ASSAY_EXPERIMENTS_PROJECTS_PROJECT_ROWS_H
#define ASSAY_EXPERIMENTS_PROJECTS_PROJECT_ROWS_H

#include "db/query.h"
#include "experiments/projects/project_store.h"

/* The columns that project_row() reads; add PROJECT_DOCUMENT to read the document too. */
#define PROJECT_COLUMNS                                                                            \
    "id, project_name, payload_schema_version, archived_at, revision_count, last_revision_at,"     \
    " last_analysis_at, last_analysis_run_id, last_exported_at, created_at, updated_at,"           \
    " hypothesis, metric_type, duration_days"

#define PROJECT_DOCUMENT ", payload_json AS payload"

void project_row(struct query *query, struct arena *arena, struct project *project);

/* The stored document as schema_write() writes it: unchanged if it already has that form, else read
 * and rewritten. NULL when it is invalid. */
const char *project_document(const char *document, struct arena *arena);

/* The sort key of lists: the beginning of the folded name. Equal keys are sorted by age. */
const char *project_sort_name(struct arena *arena, const char *name);

/* The three searchable texts, one per line; never empty. */
const char *project_search_text(struct arena *arena, const struct experiment_payload *payload);

/* Adds to the number of projects (`metric_type` -1 = unknown) in the counting table. */
MUST_CHECK enum error project_count_change(const struct project_call *call, bool archived,
                                           int metric_type, int64_t change);

#endif
