/* Rows of the projects table as structs. Private to common/experiments/project_*.c. */
#ifndef ASSAY_EXPERIMENTS_STORAGE_PROJECT_ROWS_H
#define ASSAY_EXPERIMENTS_STORAGE_PROJECT_ROWS_H

#include "db/query.h"
#include "experiments/storage/project_store.h"

/* The columns that project_row() reads, from column 0 on. */
#define PROJECT_COLUMNS                                                                            \
    "id, project_name, payload_schema_version, archived_at, revision_count, last_revision_at,"     \
    " last_analysis_at, last_analysis_run_id, last_exported_at, created_at, updated_at,"           \
    " hypothesis, metric_type, duration_days"

enum { PROJECT_COLUMN_COUNT = 14 };

void project_row(struct query *query, struct arena *arena, struct project *project);

/* The stored document as schema_write() writes it: as it is where it was written so, else read and
 * written anew. NULL when it cannot be read. */
const char *project_document(const char *document, struct arena *arena);

/* The stored document as a struct; NULL when it cannot be read. */
const struct analysis_payload *project_analysis(const char *document, struct arena *arena);

#endif
