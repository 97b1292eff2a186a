/*
 * Private to common/search: writes one segment. Chunks and documents first, in any order of keys;
 * then the terms in the order of their bytes, each with its postings in the order of chunks. The
 * file gets its name when it is complete.
 */
#ifndef ASSAY_SEARCH_SEGMENT_WRITE_H
#define ASSAY_SEARCH_SEGMENT_WRITE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct segment_writer;
struct segment;

/* NULL when out of memory. The caller ends it with segment_writer_finish() or _drop(). */
struct segment_writer *segment_writer_open(const char *directory, const char *name);

void segment_writer_document(struct segment_writer *writer, int64_t key);
/* Adds a chunk of the last document; `length` in words. Its number is the count of chunks before
 * it. */
void segment_writer_chunk(struct segment_writer *writer, int64_t key, uint32_t length,
                          uint32_t passages);
/* Sets the vector of the last chunk, packed. All vectors have the model and dimension of the first.
 */
void segment_writer_vector(struct segment_writer *writer, uint64_t model, uint32_t dimension,
                           const uint8_t *row);
void segment_writer_languages(struct segment_writer *writer, uint64_t languages);

void segment_writer_term(struct segment_writer *writer, const char *name, size_t length,
                         uint32_t passages, bool with_positions);
/* `positions` are varint differences, `position_bytes` long; ignored for terms without
 * positions. */
void segment_writer_posting(struct segment_writer *writer, uint32_t chunk, uint32_t frequency,
                            const uint8_t *positions, size_t position_bytes);

/* Completes the file, syncs it and gives it its name; frees the writer in any case. `bytes`
 * receives the size of the file. ERROR_UNAVAILABLE `disk_full`, `segment_not_written`. */
MUST_CHECK enum error segment_writer_finish(struct segment_writer *writer, int64_t *bytes,
                                            struct problem *problem);
/* The vectors of a segment. */
struct segment_vectors {
    uint64_t model;
    uint32_t dimension; /* 0 = unknown */
    uint32_t missing;
    const uint8_t *rows; /* one packed row per chunk */
};

/* Copies an open segment under another name with these vectors instead of its own. Errors as
 * above. */
MUST_CHECK enum error segment_copy_with_vectors(const struct segment *segment,
                                                const char *directory, const char *name,
                                                const struct segment_vectors *vectors,
                                                int64_t *bytes, struct problem *problem);

void segment_writer_drop(struct segment_writer *writer);

#endif
