/* Reindexes all knowledge bases, and removes files that nothing refers to. */
#ifndef ASSAY_SUPPORT_DOCUMENTS_REINDEX_H
#define ASSAY_SUPPORT_DOCUMENTS_REINDEX_H

#include "support/documents/ingest.h"

/* Ingests every document of every tenant again from its stored file; how many.
 * Documents whose file is gone, cannot be read, or is not that of the version that is searched stay
 * as they are. `models` are those of struct
 * ingest_request. */
MUST_CHECK enum error reindex_all(struct db *db, const struct support_settings *settings,
                                  struct models *models, int64_t *documents,
                                  struct problem *problem);

/* Builds the segments anew that are missing, damaged or of an older format, so that no question has
 * to wait for that; how many. */
MUST_CHECK enum error reindex_mend(struct db *db, const struct support_settings *settings,
                                   int64_t *rebuilt, struct problem *problem);

/* Merges the segments of every tenant that has many. A segment that cannot be read is built anew:
 * then the next call merges. */
MUST_CHECK enum error reindex_merge(struct db *db, const struct support_settings *settings,
                                    struct problem *problem);

/* Says in the log how many documents are not cut as the settings say now: they are found as before,
 * and stay as they are until they are indexed anew. */
MUST_CHECK enum error reindex_warn_mixed(struct db *db, const struct support_settings *settings,
                                         struct problem *problem);

/* Removes files of indexes that nothing names and that are older than an hour. */
MUST_CHECK enum error reindex_sweep(struct db *db, const struct support_settings *settings,
                                    struct problem *problem);

#endif
