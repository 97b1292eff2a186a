/*
 * Vectors of chunks in the database, which is authoritative: segments copy them, so that a merge, a
 * rebuild or another host never embeds a text again. A chunk of a document in parent-child mode has
 * a vector per child; every title of a chunk has one behind these. Vectors go with their chunk.
 */
#ifndef ASSAY_SUPPORT_DOCUMENTS_VECTOR_STORE_H
#define ASSAY_SUPPORT_DOCUMENTS_VECTOR_STORE_H

#include "support/documents/document_store.h"

/* The vector of a chunk, or of one of its children (from 0; 0 without children), or of a title
 * (counted on). */
struct chunk_vector {
    int64_t chunk;
    uint32_t child;
    uint32_t dimension;
    const uint8_t *row; /* packed, as in search/vector.h */
};

struct chunk_vectors {
    struct chunk_vector *items; /* by chunk and child */
    size_t count;
};

/* Stores vectors of that model, in place of older ones. A chunk that is gone is skipped. */
MUST_CHECK enum error vectors_write(const struct document_call *call, const char *model,
                                    const struct chunk_vector *vectors, size_t count);

/* The vectors of that model that the chunks with keys from `first` to `last` have. */
MUST_CHECK enum error vectors_read(const struct document_call *call, const char *model,
                                   int64_t first, int64_t last, struct chunk_vectors *vectors);

/* Notes that every chunk of a document version has a vector of that model ("" = not all have one).
 * Without effect when another version has replaced it. */
MUST_CHECK enum error vectors_complete(const struct document_call *call, const char *model,
                                       int64_t document_key);

/* A document of any tenant whose chunks have not all a vector of that model; `tenant` is NULL when
 * there is none. The newest first, so that an upload does not wait for a rebuild. */
MUST_CHECK enum error vectors_next_document(struct db *db, struct arena *arena, const char *model,
                                            const char **tenant, int64_t *document_key,
                                            struct problem *problem);

/* The dimension of a tenant's vectors of that model, 0 = there are none. */
MUST_CHECK enum error vectors_dimension(const struct document_call *call, const char *model,
                                        uint32_t *dimension);

/* Removes a tenant's vectors of that model if they have another dimension: its endpoint has come to
 * give this one under the same name. The vectors of documents and segments are then made again. */
MUST_CHECK enum error vectors_expect_dimension(const struct document_call *call, const char *model,
                                               uint32_t dimension);

/* A segment of any tenant that lacks vectors of that model, while all of its live documents have
 * them in the database; `tenant` is NULL when there is none. */
MUST_CHECK enum error vectors_next_segment(struct db *db, struct arena *arena, const char *model,
                                           const char **tenant, const char **segment,
                                           struct problem *problem);

/* Chunks of a tenant, or of all (NULL), and how many of them belong to documents that have all
 * vectors of that model. */
struct vector_progress {
    int64_t chunks, embedded;
};
MUST_CHECK enum error vectors_progress(struct db *db, const char *tenant, const char *model,
                                       struct vector_progress *progress, struct problem *problem);

#endif
