/* Private to support/documents: a round of bringing the search engine up to the database. */
#ifndef ASSAY_SUPPORT_DOCUMENTS_SEARCH_ENGINE_INTERNAL_H
#define ASSAY_SUPPORT_DOCUMENTS_SEARCH_ENGINE_INTERNAL_H

#include "search/opensearch_vectors.h"
#include "support/documents/search_engine.h"
#include "support/documents/search_engine_store.h"

enum { SEARCH_BATCH_DOCUMENTS = 50 /* that are made findable together */ };

struct search_round {
    struct db *db;
    struct arena *arena;
    const struct support_settings *settings;
    struct opensearch server;
    int64_t until; /* monotonic microseconds */
    bool worked;
    struct problem *problem;
};

struct document_call search_round_call(const struct search_round *round, struct arena *arena,
                                       const char *tenant);
bool search_round_is_over(const struct search_round *round);

/* search_engine_vectors.c */

/* Makes the index of vectors when it is missing, and writes what the database has and the engine
 * lacks. An engine that refuses to keep vectors is no error. */
MUST_CHECK enum error search_round_write_vectors(struct search_round *round,
                                                 struct search_engine_feed *feed);

/* Deletes the vectors of a version. */
MUST_CHECK enum error search_round_remove_vectors(const struct search_round *round,
                                                  const struct search_engine_feed *feed,
                                                  const struct search_document *gone);

/* Deletes those of versions that the database does not know. */
MUST_CHECK enum error search_round_remove_unknown_vectors(const struct search_round *round,
                                                          const struct search_engine_feed *feed,
                                                          const char *tenant);

/* Compares how many chunks have vectors in both, and writes the tenant's anew if they differ. */
MUST_CHECK enum error search_round_compare_vectors(struct search_round *round,
                                                   const struct search_engine_feed *feed,
                                                   const char *tenant);

/* Whether the engine has vectors of any document, and how many documents are not indexed yet. */
MUST_CHECK enum error search_engine_vectors_used(struct db *db, struct arena *arena, bool *used,
                                                 int64_t *lag, struct problem *problem);

#endif
