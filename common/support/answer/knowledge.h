/*
 * The knowledge base of a tenant as a worker holds it: the mapped index, brought up to the version
 * in the database before every question, and the chunks behind it.
 */
#ifndef ASSAY_SUPPORT_ANSWER_KNOWLEDGE_H
#define ASSAY_SUPPORT_ANSWER_KNOWLEDGE_H

#include "support/answer/evidence.h"
#include "support/documents/document_store.h"
#include "support/settings.h"

struct knowledge_cache;

/* Keeps the index of the last tenants that were asked. NULL when out of memory; the caller owns
 * it. */
struct knowledge_cache *knowledge_cache_create(void);
void knowledge_cache_destroy(struct knowledge_cache *cache);

struct knowledge {
    const struct document_call *call;
    const struct search_index *index; /* the cache's */
    int64_t version;
};

/* The tenant's knowledge base as it is now. A segment that is lost is built again on the way. */
MUST_CHECK enum error knowledge_open(struct knowledge_cache *cache,
                                     const struct document_call *call,
                                     const struct support_settings *settings,
                                     struct knowledge *knowledge);

/* The chunk that a hit stands for; `found` is false when it was replaced meanwhile. */
MUST_CHECK enum error knowledge_read(const struct knowledge *knowledge, int64_t chunk_key,
                                     struct knowledge_chunk *chunk, bool *found);

struct expansion {
    int window; /* chunks before and after */
    int most;   /* code points of the whole */
};

/* Texts of chunks with their neighbours, as far as they fit and none was used for another:
 * `texts[i]` for `chunks[i]`, `expanded[i]` says whether anything was added. */
MUST_CHECK enum error knowledge_expand(const struct knowledge *knowledge,
                                       const struct found_chunk *const *chunks, size_t count,
                                       const struct expansion *expansion, const char **texts,
                                       bool *expanded);

#endif
