/*
 * Vectors of chunks in OpenSearch, where its k-NN plugin is: an index of their own for each model,
 * beside that of the words. It has a row per chunk, with the packed vectors of its texts and
 * titles. The plugin (Lucene's engine) chooses candidates by the nearest of them; how near they are
 * is computed here, as for the embedded index. The mean and the deviation of all chunks are those
 * of a sample, which holds all chunks of a tenant that has few.
 *
 * ERROR_INVALID `search_vectors_refused`: it cannot make such an index; the plugin is not there.
 */
#ifndef ASSAY_SEARCH_OPENSEARCH_VECTORS_H
#define ASSAY_SEARCH_OPENSEARCH_VECTORS_H

#include "search/opensearch.h"

/* The name of the index for vectors of a model (search_vector_model()); it begins with the name of
 * the words' index and with that of the model. */
const char *opensearch_vectors_name(struct arena *arena, const struct opensearch *server,
                                    uint64_t model, uint32_t dimension);

/* The beginning that names for other dimensions of the model share. */
const char *opensearch_vectors_prefix(struct arena *arena, const struct opensearch *server,
                                      uint64_t model);

/* The model and the dimension in a name; false when it is none of ours. */
bool opensearch_vectors_parse(const char *name, uint64_t *model, uint32_t *dimension);

/* The same server with the index of that name: for opensearch_check(), opensearch_refresh(),
 * opensearch_remove() and opensearch_remove_others(). */
struct opensearch opensearch_vectors_of(const struct opensearch *server, const char *name);

/* The functions below want a server from opensearch_vectors_of(). */

/* As opensearch_create(). */
MUST_CHECK enum error opensearch_vectors_create(const struct opensearch *server,
                                                struct arena *arena, int64_t shards, int64_t copies,
                                                struct problem *problem);

/* The vectors of a chunk: packed rows, those of its texts first, then those of its titles. */
struct opensearch_vectors {
    int64_t chunk;
    uint32_t texts, count;
    const uint8_t *rows;
};

/* Writes vectors of some chunks of a document; found after opensearch_refresh(). */
MUST_CHECK enum error opensearch_vectors_put(const struct opensearch *server, struct arena *arena,
                                             const char *tenant, int64_t document,
                                             const struct opensearch_vectors *chunks, size_t count,
                                             struct problem *problem);

/* Chunks of the scope with a row. */
MUST_CHECK enum error opensearch_vectors_count(const struct opensearch *server, struct arena *arena,
                                               const struct opensearch_scope *scope,
                                               int64_t *chunks, struct problem *problem);

#endif
