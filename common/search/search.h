/*
 * The inverted index of one tenant as a worker sees it: a list of immutable segments, mapped and
 * shared by all workers of the host through the page cache, with the dead documents of each. The
 * caller decides which segments are current (a database row per segment); this module finds the
 * best chunks for weighted terms. docs/develop/search.md describes the method.
 */
#ifndef ASSAY_SEARCH_SEARCH_H
#define ASSAY_SEARCH_SEARCH_H

#include "base/arena.h"
#include "base/error.h"
#include "search/vector.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct search_index;

/* An empty index over the segments of a directory. NULL when out of memory; the caller owns it. */
struct search_index *search_index_create(const char *directory);
void search_index_destroy(struct search_index *index);

struct search_segment {
    const char *name;
    int64_t bytes;
    const uint32_t *dead; /* positions of documents that were replaced or deleted */
    size_t dead_count;
};

/* Makes the index hold exactly these segments; loaded ones are not read again. After
 * ERROR_NOT_FOUND `segment_damaged`, `damaged` identifies the lost segment: the caller rebuilds it
 * and calls again. After an error the index is as before. */
MUST_CHECK enum error search_index_update(struct search_index *index,
                                          const struct search_segment *segments, size_t count,
                                          size_t *damaged, struct problem *problem);

struct search_totals {
    int64_t documents, chunks, words, passages; /* live and dead; children are chunks */
    uint64_t languages;                         /* bits 1 << enum text_language */
};
struct search_totals search_index_totals(const struct search_index *index);

/* The number of chunks that can be found, with the children of one counted once; at most `most`. */
int search_index_count(const struct search_index *index, int most);

/* The number of chunks and passages that contain a term. */
struct search_frequency {
    int64_t chunks, passages;
};
struct search_frequency search_index_frequency(const struct search_index *index, const char *name,
                                               size_t length);

struct search_term {
    const char *name;
    size_t length;
    double weight; /* multiplied by the term's idf; terms of weight 0 are skipped */
};

/* Whether an engine behind the index answers (search_backend.h): then each lookup is a call. */
bool search_index_is_remote(const struct search_index *index);

/* Says which terms will be asked for, so that such an engine looks them up together. Does nothing
 * for segments. */
void search_index_expect(const struct search_index *index, const struct search_term *terms,
                         size_t count);

struct search_hit {
    int64_t chunk, document; /* the keys given at indexing */
    double score;
};

/* Writes the `most` best chunks, best first, to `hits`; returns their number. The score is BM25 (k1
 * 1.2, b .75) with idf ln(1 + (N - n + .5) / (n + .5)) times each term's weight; equal scores by
 * chunk key. */
size_t search_index_best(const struct search_index *index, struct arena *arena,
                         const struct search_term *terms, size_t count, struct search_hit *hits,
                         size_t most);

/* The number by which segments identify an embedding model of that name; never 0. */
uint64_t search_vector_model(const char *name);

/* The model of which every live chunk has a vector, and the vectors' length; 0 when there is none,
 * or no chunk. */
uint64_t search_index_vector_model(const struct search_index *index, uint32_t *dimension);

/* Whether every live chunk has a vector of that model; `dimension` receives its length. False
 * without chunks. */
bool search_index_has_vectors(const struct search_index *index, uint64_t model,
                              uint32_t *dimension);

/* How near a chunk is to a vector: by its text (its best child) and by its nearest title. */
struct search_nearness {
    double text;    /* a cosine; -1 when the chunk is not in the index */
    double title;   /* the same; -1 = it has no title */
    uint32_t place; /* of that title among the chunk's, from 0 */
};

/* Both together: the text's cosine, or that of the middle between text and title, and .01, if that
 * is more. */
double search_nearness_both(const struct search_nearness *nearness);

/* search_nearness_both() of all chunks with a vector. */
struct search_spread {
    double mean, deviation;
};

/* Writes the `most` chunks whose vectors are nearest to a packed vector of the index's dimension;
 * returns their number. All are compared, by search_nearness_both(); equal scores by chunk key. */
size_t search_index_nearest(const struct search_index *index, struct arena *arena,
                            const uint8_t *vector, struct search_hit *hits, size_t most,
                            struct search_spread *spread);

/* How near single chunks are to a packed vector. */
void search_index_nearness(const struct search_index *index, const uint8_t *vector,
                           const int64_t *keys, size_t count, struct search_nearness *nearness);

/* The text that a vector belongs to: a chunk, or a child or title of it by its index. */
struct search_wanted {
    int64_t chunk;
    uint32_t child; /* from 0 */
};

/* Computes the vectors of `count` chunks: `rows` has a packed row of `*dimension` values for each,
 * and stays valid until the next call. False ends the filling; vectors filled in before are kept.
 */
struct search_embedder {
    uint64_t model;
    uint32_t dimension; /* vectors of another one are made again; 0 = any */
    size_t batch;       /* chunks per call */
    bool (*embed)(void *context, const struct search_wanted *wanted, size_t count,
                  const uint8_t **rows, uint32_t *dimension);
    void *context;
};

/* Writes a copy of a segment in which live chunks without a vector of that model get one: `name`,
 * of `bytes` bytes. `whole` is true if all have one. */
MUST_CHECK enum error search_fill_vectors(const char *directory,
                                          const struct search_segment *segment,
                                          const struct search_embedder *embedder, const char *name,
                                          int64_t *bytes, bool *whole, struct problem *problem);

/* Writes the live documents of these segments of `directory`, in their order, as one new segment:
 * `name`, of `bytes` bytes. The old files stay. */
MUST_CHECK enum error search_merge(const char *directory, const struct search_segment *segments,
                                   size_t count, const char *name, int64_t *bytes,
                                   struct problem *problem);

/* The keys of a segment's documents, in their order. ERROR_NOT_FOUND `segment_damaged`. */
MUST_CHECK enum error search_segment_documents(const char *directory,
                                               const struct search_segment *segment,
                                               struct arena *arena, int64_t **keys, size_t *count,
                                               struct problem *problem);

#endif
