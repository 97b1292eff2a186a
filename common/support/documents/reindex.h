/* Reindexes all knowledge bases, and deletes unreferenced files. */
#ifndef ASSAY_SUPPORT_DOCUMENTS_REINDEX_H
#define ASSAY_SUPPORT_DOCUMENTS_REINDEX_H

#include "support/documents/ingest.h"

/* Ingests every document of every tenant again from its stored file; returns how many. Skips
 * documents whose file is missing, unreadable or not that of the indexed version. `models` are
 * those of struct ingest_request. */
MUST_CHECK enum error reindex_all(struct db *db, const struct support_settings *settings,
                                  struct models *models, int64_t *documents,
                                  struct problem *problem);

/* Rebuilds segments that are missing, damaged or of an older format, so that no question waits for
 * it; returns how many. */
MUST_CHECK enum error reindex_mend(struct db *db, const struct support_settings *settings,
                                   int64_t *rebuilt, struct problem *problem);

/* Merges the segments of every tenant with many segments. Rebuilds a segment that cannot be read;
 * the next call then merges. */
MUST_CHECK enum error reindex_merge(struct db *db, const struct support_settings *settings,
                                    struct problem *problem);

/* Logs the number of documents that were not split by the current settings. They remain searchable,
 * and keep their chunks until they are ingested again. */
MUST_CHECK enum error reindex_warn_mixed(struct db *db, const struct support_settings *settings,
                                         struct problem *problem);

/* Deletes unreferenced index files older than an hour. */
MUST_CHECK enum error reindex_sweep(struct db *db, const struct support_settings *settings,
                                    struct problem *problem);

#endif
