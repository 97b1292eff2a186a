/*
 * Private to common/search: a segment for reading. The file is mapped, so that all workers of a
 * host share one copy in the page cache.
 */
#ifndef ASSAY_SEARCH_SEGMENT_H
#define ASSAY_SEARCH_SEGMENT_H

#include "base/error.h"
#include "search/segment_format.h"
#include "search/vector.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct segment {
    char name[128];
    const uint8_t *bytes; /* the whole file */
    const struct segment_header *header;
    const struct segment_chunk *chunks;
    const struct segment_document *documents;
    const struct segment_term *terms;
    const struct segment_block *blocks;
    const char *names;
    const uint32_t *lengths; /* of the chunks, in words */
    const uint32_t *buckets; /* hash table of the terms by name */
    const uint8_t *vectors;  /* a row for each chunk; NULL = none */
    size_t vector_bytes;     /* of a row */
    uint8_t *dead;           /* a bit per document; NULL = all live */
    size_t dead_count;
};

/* Maps `directory`/`name`, which must be `bytes` long, and checks every byte of it once.
 * ERROR_NOT_FOUND `segment_damaged` when it is missing or its checksum is wrong. */
MUST_CHECK enum error segment_open(struct segment *segment, const char *directory, const char *name,
                                   int64_t bytes, struct problem *problem);
void segment_close(struct segment *segment);

/* Sets the deleted documents, by their positions, replacing those set before. */
void segment_set_dead(struct segment *segment, const uint32_t *documents, size_t count);

static inline bool segment_is_dead(const struct segment *segment, uint32_t chunk)
{
    uint32_t document = segment->chunks[chunk].document;

    return segment->dead && segment->dead[document >> 3] >> (document & 7) & 1;
}

/* Which child of its key a chunk is, from 0: the number of chunks before it with the same key. */
static inline uint32_t segment_child_of(const struct segment *segment, uint32_t chunk)
{
    uint32_t child = 0;

    while (child < chunk && segment->chunks[chunk - child - 1].key == segment->chunks[chunk].key)
        child++;
    return child;
}

/* Whether a chunk is a title, which is found by its vector alone. */
static inline bool segment_is_title(const struct segment *segment, uint32_t chunk)
{
    return !segment->lengths[chunk] && !segment->chunks[chunk].passages;
}

static inline const uint8_t *segment_vector(const struct segment *segment, uint32_t chunk)
{
    return segment->vectors + (size_t)chunk * segment->vector_bytes;
}

/* Whether a chunk has a vector: then its scale is not 0. */
bool segment_has_vector(const struct segment *segment, uint32_t chunk);

/* NULL when no chunk contains the term. */
const struct segment_term *segment_find(const struct segment *segment, const char *name,
                                        size_t length);

/* The number of blocks of the term's postings. */
static inline uint32_t segment_block_count(const struct segment_term *term)
{
    return (term->chunks + SEGMENT_BLOCK_POSTINGS - 1) / SEGMENT_BLOCK_POSTINGS;
}

/* The frequencies of a block as stored in the file. */
struct segment_frequencies {
    const uint8_t *bytes;
    unsigned halves; /* bytes each, times two; 0 = all frequencies are 1 */
};

static inline uint32_t segment_frequency(const struct segment_frequencies *frequencies, uint32_t at)
{
    uint32_t frequency;

    switch (frequencies->halves) {
    case 0:
        return 1;
    case 1:
        return frequencies->bytes[at >> 1] >> (at & 1) * 4 & 15;
    case 2:
        return frequencies->bytes[at];
    default:
        memcpy(&frequency, frequencies->bytes + (size_t)at * 4, sizeof frequency);
        return frequency;
    }
}

/* Reads the chunks of one block; returns their number. `block` counts within the term. */
size_t segment_read_block(const struct segment *segment, const struct segment_term *term,
                          uint32_t block, uint32_t chunks[SEGMENT_BLOCK_POSTINGS],
                          struct segment_frequencies *frequencies);

/* The frequency of the term in a chunk, which must not be after the block: 0 = the chunk does not
 * contain it. Reads few postings of the block. */
uint32_t segment_block_frequency(const struct segment *segment, const struct segment_term *term,
                                 uint32_t block, uint32_t chunk);

#endif
