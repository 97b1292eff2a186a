/*
 * A worker's view of a tenant's knowledge base: the mapped index, updated to the database's version
 * before every question, and access to the chunks.
 */
#ifndef ASSAY_SUPPORT_ANSWER_KNOWLEDGE_H
#define ASSAY_SUPPORT_ANSWER_KNOWLEDGE_H

#include "support/answer/evidence.h"
#include "support/documents/document_store.h"
#include "support/settings.h"

struct knowledge_cache;
struct opensearch_view;
struct shm_region;

/* Caches the indexes of the most recently used tenants. NULL when out of memory; the caller owns
 * it. */
struct knowledge_cache *knowledge_cache_create(void);

/* The region that holds the breaker of the search engine; without it there is none. */
void knowledge_cache_share(struct knowledge_cache *cache, struct shm_region *region);
void knowledge_cache_destroy(struct knowledge_cache *cache);

/* Valid until the arena of the call is reset. While a question waits for a model, another one of
 * the process may bring the index up to date: what was read of it before may then differ. */
struct knowledge {
    const struct document_call *call;
    const struct search_index *index; /* owned by the cache */
    int64_t version;                  /* when it was opened */
    struct opensearch_view *view;     /* of a search engine; NULL = the embedded index */
};

/* The tenant's current knowledge base, without what the call's reader may not read: of the search
 * engine of SEARCH_URL, or the embedded index, whose missing segments are rebuilt. While the engine
 * does not have all documents, the embedded index answers if it was whole when the setting was
 * made. ERROR_UNAVAILABLE `retrieval_unavailable`, also by knowledge_error() later. */
MUST_CHECK enum error knowledge_open(struct knowledge_cache *cache,
                                     const struct document_call *call,
                                     const struct support_settings *settings,
                                     struct knowledge *knowledge);

/* The first error of searches in it, which then have found less than there is. Ask before an answer
 * is used. ERROR_UNAVAILABLE `retrieval_unavailable`. */
MUST_CHECK enum error knowledge_error(const struct knowledge *knowledge);

/* The chunk of a hit; `found` is false when it was replaced meanwhile. */
MUST_CHECK enum error knowledge_read(const struct knowledge *knowledge, int64_t chunk_key,
                                     struct knowledge_chunk *chunk, bool *found);

struct expansion {
    int window; /* chunks before and after */
    int most;   /* code points of the whole text */
};

/* Texts of chunks extended by their neighbors, up to the limit and without using a neighbor twice:
 * `texts[i]` for `chunks[i]`; `expanded[i]` says whether anything was added. */
MUST_CHECK enum error knowledge_expand(const struct knowledge *knowledge,
                                       const struct found_chunk *const *chunks, size_t count,
                                       const struct expansion *expansion, const char **texts,
                                       bool *expanded);

#endif
