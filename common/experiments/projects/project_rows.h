/* Rows of the projects table as structs, and the columns of them that are not in the documents. For
 * the storage files of common/experiments. */
#ifndef ASSAY_EXPERIMENTS_PROJECTS_PROJECT_ROWS_H
#define ASSAY_EXPERIMENTS_PROJECTS_PROJECT_ROWS_H

#include "db/query.h"
#include "experiments/projects/project_store.h"

/* The columns that project_row() reads; PROJECT_DOCUMENT beside them where the document is read. */
#define PROJECT_COLUMNS                                                                            \
    "id, project_name, payload_schema_version, archived_at, revision_count, last_revision_at,"     \
    " last_analysis_at, last_analysis_run_id, last_exported_at, created_at, updated_at,"           \
    " hypothesis, metric_type, duration_days"

#define PROJECT_DOCUMENT ", payload_json AS payload"

void project_row(struct query *query, struct arena *arena, struct project *project);

/* The stored document as schema_write() writes it: as it is where it was written so, else read and
 * written anew. NULL when it cannot be read. */
const char *project_document(const char *document, struct arena *arena);

/* The stored document as a struct; NULL when it cannot be read. */
const struct analysis_payload *project_analysis(const char *document, struct arena *arena);

/* What lists are sorted by: the beginning of the folded name. Names that differ only after that are
 * sorted by their age. */
const char *project_sort_name(struct arena *arena, const char *name);

/* The three texts that a search covers, one per line; never empty. */
const char *project_search_text(struct arena *arena, const struct experiment_payload *payload);

/* Counts so many more projects (`metric_type` -1 = unknown) in the counting table. */
MUST_CHECK enum error project_count_change(const struct project_call *call, bool archived,
                                           int metric_type, int64_t change);

#endif
