/*
 * A tenant's documents in the search engine, as questions see them. What the database says of them
 * is kept per tenant and reader until its version changes.
 */
#ifndef ASSAY_SUPPORT_DOCUMENTS_SEARCH_ENGINE_VIEW_H
#define ASSAY_SUPPORT_DOCUMENTS_SEARCH_ENGINE_VIEW_H

#include "support/documents/search_engine.h"

struct engine_cache;

/* NULL when out of memory; the caller owns it. */
struct engine_cache *engine_cache_create(void);
void engine_cache_destroy(struct engine_cache *cache);

/* Valid until the arena of the call is reset. */
struct engine_view {
    struct opensearch_view *view; /* NULL = not all documents of the tenant are in the engine */
    int64_t version;              /* of the knowledge base */
};

/* Opens them for one question, under the name of tenant and reader. ERROR_UNAVAILABLE
 * `retrieval_unavailable`. */
MUST_CHECK enum error engine_view_open(struct engine_cache *cache, const char *name,
                                       const struct document_call *call,
                                       const struct support_settings *settings,
                                       struct shm_region *region, struct engine_view *opened);

/* The error of a search of that question. */
MUST_CHECK enum error engine_view_error(const struct opensearch_view *view,
                                        struct problem *problem);

#endif
