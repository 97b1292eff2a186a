/*
 * Private to common/search: the file format of a segment. All numbers are little-endian, which this
 * machine must be. Sections follow the header in the order of their offsets. A file is written
 * once, checked by its checksum when it is mapped, and never changed.
 *
 * postings: per term, blocks of up to 128. A block is a byte of enum segment_width; the chunks, as
 * differences to the chunk before (in the first block from 0), in 1, 2 or 4 bytes each; then the
 * frequencies in a half, 1 or 4 bytes each, none when all are 1. No bits are packed across bytes,
 * so that a block is read in a few wide instructions.
 *
 * positions: per term that has them, per posting: the positions of the term in the chunk, as varint
 * differences.
 *
 * chunks: struct segment_chunk. One without words and passages is a title of the chunk before it
 * with the same key: it has a vector only, and does not count among the chunks that words rank.
 *
 * lengths: of the chunks in words, uint32 each; ranking reads them close together.
 *
 * documents: struct segment_document.
 *
 * terms: struct segment_term, sorted by name bytewise.
 *
 * blocks: struct segment_block.
 *
 * names: the bytes of the terms.
 *
 * buckets: uint32 each, a power of two of them: 1 + the index of a term, 0 when empty. A term is in
 * the first free bucket from that of its name's segment_checksum() on.
 *
 * vectors: where an embedding model is used, per chunk in their order a row as search_vector_pack()
 * writes it: 8 bits for each of `dimension` values; all zeros where there is none. Last, so that
 * they can be appended to a segment that is complete without them.
 */
#ifndef ASSAY_SEARCH_SEGMENT_FORMAT_H
#define ASSAY_SEARCH_SEGMENT_FORMAT_H

#include <stdint.h>

enum {
    SEGMENT_MAGIC = 0x47455341, /* "ASEG" */
    SEGMENT_VERSION = 8,        /* others are rebuilt; raise it when words or terms change */
    SEGMENT_BLOCK_POSTINGS = 128,
    SEGMENT_LENGTH_STEPS = 16
};

/*
 * The average chunk length is known only at query time, and the bound of a block's score depends on
 * it. So a bound is stored for a ladder of averages: SEGMENT_LENGTH_FIRST times the powers of the
 * square root of two. The step at or above the true average gives a valid bound, since scores grow
 * with the average. 255 means 1.
 */
#define SEGMENT_LENGTH_FIRST 8.0

struct segment_header {
    uint32_t magic, version;
    uint64_t bytes;    /* of the whole file */
    uint64_t checksum; /* segment_file_checksum() */
    uint32_t chunks, documents, terms, blocks;
    uint64_t words;     /* of all chunks */
    uint64_t passages;  /* of all chunks */
    uint64_t languages; /* bit 1 << enum text_language of every document */
    uint64_t postings_at, positions_at, chunks_at, documents_at, terms_at, blocks_at, names_at;
    uint64_t names_bytes;
    uint64_t lengths_at, buckets_at;
    uint32_t buckets, titles; /* chunks of titles */
    uint64_t vectors_at;
    uint64_t vector_model; /* search_vector_model() of the model's name; 0 = no vectors */
    uint32_t dimension;
    uint32_t vectors_missing; /* live chunks without a vector when the file was written */
};

struct segment_chunk {
    int64_t key;
    uint32_t document; /* its index in `documents` */
    uint32_t passages;
};

struct segment_document {
    int64_t key;
    uint32_t first_chunk, chunk_count;
};

struct segment_term {
    uint64_t postings_at;  /* offset from the header's postings_at */
    uint64_t positions_at; /* the same; UINT64_MAX without positions */
    uint32_t name_at;
    uint32_t name_length;
    uint32_t chunks; /* number of chunks that contain it */
    uint32_t passages;
    uint32_t first_block;
    uint8_t bound[SEGMENT_LENGTH_STEPS];
    uint32_t spare;
};

struct segment_block {
    uint32_t last_chunk;
    uint32_t at; /* offset in the term's postings */
    uint8_t bound[SEGMENT_LENGTH_STEPS];
};

/* Bytes per chunk in the low bits, half bytes per frequency in the high ones. */
enum segment_width { SEGMENT_CHUNK_BYTES = 0x0f, SEGMENT_FREQUENCY_SHIFT = 4 };

/* BM25's parameters; the bounds in the file depend on them. */
#define SEARCH_K1 1.2
#define SEARCH_B 0.75

static inline double bm25_impact(double frequency, double length, double average)
{
    return frequency / (frequency + SEARCH_K1 * (1 - SEARCH_B + SEARCH_B * length / average));
}

static inline uint8_t *varint_put(uint8_t *at, uint32_t value)
{
    while (value >= 0x80) {
        *at++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *at++ = (uint8_t)value;
    return at;
}

static inline const uint8_t *varint_get(const uint8_t *at, uint32_t *value)
{
    uint32_t byte = *at++, result = byte & 0x7f;

    for (int shift = 7; byte & 0x80 && shift < 35; shift += 7) {
        byte = *at++;
        result |= (byte & 0x7f) << shift;
    }
    *value = result;
    return at;
}

/* Detects damage, not forgery. */
uint64_t segment_checksum(const void *bytes, uint64_t length);
/* Of a whole file, except the checksum itself. */
uint64_t segment_file_checksum(const struct segment_header *header, const void *behind);

#endif
