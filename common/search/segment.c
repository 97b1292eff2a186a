/* Maps, checks and reads segments. */
#include "search/segment.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static enum error damaged(const char *name, const char *why, struct problem *problem)
{
    return problem_set(problem, ERROR_NOT_FOUND, "segment_damaged", "search segment %s %s", name,
                       why);
}

/* The file's bytes, NULL when it does not exist or has another length. */
static const uint8_t *map_file(const char *path, int64_t bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    void *mapped = MAP_FAILED;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == bytes &&
        bytes >= (int64_t)sizeof(struct segment_header))
        mapped = mmap(NULL, (size_t)bytes, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    return mapped == MAP_FAILED ? NULL : mapped;
}

/* Whether a section of `count` items of `size` bytes lies within the file, aligned. */
static bool lies_within(const struct segment_header *header, uint64_t at, uint64_t count,
                        uint64_t size)
{
    return at % 8 == 0 && at >= sizeof *header && at <= header->bytes &&
           count <= (header->bytes - at) / size;
}

static bool header_is_sound(const struct segment_header *header, int64_t bytes)
{
    return header->magic == SEGMENT_MAGIC && header->version == SEGMENT_VERSION &&
           header->bytes == (uint64_t)bytes &&
           lies_within(header, header->chunks_at, header->chunks, sizeof(struct segment_chunk)) &&
           lies_within(header, header->documents_at, header->documents,
                       sizeof(struct segment_document)) &&
           lies_within(header, header->terms_at, header->terms, sizeof(struct segment_term)) &&
           lies_within(header, header->blocks_at, header->blocks, sizeof(struct segment_block)) &&
           lies_within(header, header->names_at, header->names_bytes, 1) &&
           lies_within(header, header->lengths_at, header->chunks, sizeof(uint32_t)) &&
           lies_within(header, header->buckets_at, header->buckets, sizeof(uint32_t)) &&
           header->buckets > header->terms && !(header->buckets & (header->buckets - 1)) &&
           lies_within(header, header->vectors_at, header->dimension ? header->chunks : 0,
                       search_vector_bytes(header->dimension)) &&
           lies_within(header, header->postings_at, 0, 1) &&
           lies_within(header, header->positions_at, 0, 1);
}

enum error segment_open(struct segment *segment, const char *directory, const char *name,
                        int64_t bytes, struct problem *problem)
{
    char path[700];
    const struct segment_header *header;

    *segment = (struct segment){.dead = NULL};
    if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path ||
        snprintf(segment->name, sizeof segment->name, "%s", name) >= (int)sizeof segment->name)
        return damaged(name, "has too long a name", problem);
    segment->bytes = map_file(path, bytes);
    if (!segment->bytes)
        return damaged(name, "is missing or has another length", problem);
    header = segment->header = (const struct segment_header *)(const void *)segment->bytes;
    if (!header_is_sound(header, bytes) ||
        segment_file_checksum(header, segment->bytes + sizeof *header) != header->checksum) {
        munmap((void *)(uintptr_t)segment->bytes, (size_t)bytes);
        segment->bytes = NULL;
        return damaged(name, "does not hold what was written", problem);
    }
    segment->chunks = (const void *)(segment->bytes + header->chunks_at);
    segment->documents = (const void *)(segment->bytes + header->documents_at);
    segment->terms = (const void *)(segment->bytes + header->terms_at);
    segment->blocks = (const void *)(segment->bytes + header->blocks_at);
    segment->names = (const char *)(segment->bytes + header->names_at);
    segment->lengths = (const void *)(segment->bytes + header->lengths_at);
    segment->buckets = (const void *)(segment->bytes + header->buckets_at);
    if (header->dimension)
        segment->vectors = segment->bytes + header->vectors_at;
    segment->vector_bytes = search_vector_bytes(header->dimension);
    return ERROR_NONE;
}

void segment_close(struct segment *segment)
{
    if (segment->bytes)
        munmap((void *)(uintptr_t)segment->bytes, segment->header->bytes);
    free(segment->dead);
    *segment = (struct segment){.dead = NULL};
}

void segment_set_dead(struct segment *segment, const uint32_t *documents, size_t count)
{
    free(segment->dead);
    segment->dead = NULL;
    segment->dead_count = count;
    if (!count)
        return;
    segment->dead = calloc(segment->header->documents / 8 + 1, 1);
    if (!segment->dead)
        abort(); /* allocating a few bytes failed: no recovery is possible */
    for (size_t i = 0; i < count; i++) {
        if (documents[i] < segment->header->documents)
            segment->dead[documents[i] >> 3] |= (uint8_t)(1 << (documents[i] & 7));
    }
}

bool segment_has_vector(const struct segment *segment, uint32_t chunk)
{
    return segment->vectors && search_vector_present(segment_vector(segment, chunk));
}

const struct segment_term *segment_find(const struct segment *segment, const char *name,
                                        size_t length)
{
    uint32_t mask = segment->header->buckets - 1;
    uint32_t at = (uint32_t)segment_checksum(name, length) & mask;

    for (; segment->buckets[at]; at = (at + 1) & mask) {
        const struct segment_term *term = &segment->terms[segment->buckets[at] - 1];

        if (term->name_length == length &&
            memcmp(segment->names + term->name_at, name, length) == 0)
            return term;
    }
    return NULL;
}

/* Widens the numbers of a block. Nearly all blocks have the fixed count, which compiles to a few
 * wide instructions. */
static inline void widen(const uint8_t *at, unsigned width, uint32_t base, uint32_t *chunks,
                         size_t count)
{
    if (width == 1) {
        for (size_t i = 0; i < count; i++)
            chunks[i] = base + at[i];
    } else if (width == 2) {
        for (size_t i = 0; i < count; i++) {
            uint16_t value;

            memcpy(&value, at + 2 * i, sizeof value);
            chunks[i] = base + value;
        }
    } else {
        for (size_t i = 0; i < count; i++) {
            uint32_t value;

            memcpy(&value, at + 4 * i, sizeof value);
            chunks[i] = base + value;
        }
    }
}

/* A block as stored in the file. */
struct rows {
    const uint8_t *at; /* of the chunks */
    unsigned width;
    size_t count;
    uint32_t base;
    struct segment_frequencies frequencies;
};

static inline struct rows rows_of(const struct segment *segment, const struct segment_term *term,
                                  uint32_t block)
{
    const struct segment_block *blocks = segment->blocks + term->first_block;
    const uint8_t *at =
        segment->bytes + segment->header->postings_at + term->postings_at + blocks[block].at;
    struct rows rows = {.at = at + 1,
                        .width = *at & SEGMENT_CHUNK_BYTES,
                        .count = term->chunks - (size_t)block * SEGMENT_BLOCK_POSTINGS,
                        .base = block ? blocks[block - 1].last_chunk : 0};

    if (rows.count > SEGMENT_BLOCK_POSTINGS)
        rows.count = SEGMENT_BLOCK_POSTINGS;
    rows.frequencies = (struct segment_frequencies){rows.at + rows.count * rows.width,
                                                    *at >> SEGMENT_FREQUENCY_SHIFT};
    return rows;
}

size_t segment_read_block(const struct segment *segment, const struct segment_term *term,
                          uint32_t block, uint32_t chunks[SEGMENT_BLOCK_POSTINGS],
                          struct segment_frequencies *frequencies)
{
    struct rows rows = rows_of(segment, term, block);

    if (rows.count == SEGMENT_BLOCK_POSTINGS)
        widen(rows.at, rows.width, rows.base, chunks, SEGMENT_BLOCK_POSTINGS);
    else
        widen(rows.at, rows.width, rows.base, chunks, rows.count);
    *frequencies = rows.frequencies;
    return rows.count;
}

static inline uint32_t row(const struct rows *rows, size_t place)
{
    uint16_t half;
    uint32_t whole;

    if (rows->width == 1)
        return rows->at[place];
    if (rows->width == 2) {
        memcpy(&half, rows->at + 2 * place, sizeof half);
        return half;
    }
    memcpy(&whole, rows->at + 4 * place, sizeof whole);
    return whole;
}

uint32_t segment_block_frequency(const struct segment *segment, const struct segment_term *term,
                                 uint32_t block, uint32_t chunk)
{
    struct rows rows = rows_of(segment, term, block);
    uint32_t wanted = chunk - rows.base;
    size_t low = 0;

    for (size_t count = rows.count; count > 1;) {
        size_t half = count / 2;

        low += row(&rows, low + half - 1) < wanted ? half : 0;
        count -= half;
    }
    return row(&rows, low) == wanted ? segment_frequency(&rows.frequencies, (uint32_t)low) : 0;
}
