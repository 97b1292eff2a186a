/* Writes segments. Postings, the bulk, are streamed into the file; the other sections are collected
 * in memory and written after them. Errors are remembered and returned at the end. */
#include "search/segment_write.h"
#include "base/disk.h"
#include "search/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct buffer {
    uint8_t *bytes;
    size_t length, capacity;
};

/* The shortest chunk for each frequency: all that a bound needs of a block's postings. */
enum { FREQUENCIES = 16 };

struct extremes {
    uint32_t shortest[FREQUENCIES]; /* by frequency - 1; the last one covers all higher ones */
    uint32_t most;                  /* highest frequency */
};

struct segment_writer {
    char directory[512], name[128], temporary[700];
    FILE *file;
    bool failed;
    struct segment_header header;
    struct buffer positions, chunks, lengths, documents, terms, blocks, names, vectors, buckets;
    uint64_t postings_bytes;
    struct segment_term term;
    struct extremes in_term, in_block;
    uint32_t block_chunks[SEGMENT_BLOCK_POSTINGS], block_frequencies[SEGMENT_BLOCK_POSTINGS];
    uint32_t in_block_count, last_chunk;
    bool term_open;
};

uint64_t segment_checksum(const void *bytes, uint64_t length)
{
    static const uint64_t prime = 0x9e3779b97f4a7c15u;
    const uint8_t *at = bytes;
    uint64_t lanes[4] = {1, 2, 3, 4}, word, result = length;

    while (length >= 32) {
        for (int i = 0; i < 4; i++) {
            memcpy(&word, at + 8 * i, 8);
            lanes[i] = (lanes[i] ^ word) * prime;
            lanes[i] ^= lanes[i] >> 29;
        }
        at += 32;
        length -= 32;
    }
    for (int i = 0; i < 4; i++)
        result = ((result ^ lanes[i]) * prime) ^ (result >> 31);
    for (; length; length--)
        result = (result ^ *at++) * prime;
    return result ^ result >> 32;
}

uint64_t segment_file_checksum(const struct segment_header *header, const void *behind)
{
    struct segment_header head = *header;

    head.checksum = segment_checksum(behind, header->bytes - sizeof head);
    return segment_checksum(&head, sizeof head);
}

static void *buffer_room(struct segment_writer *writer, struct buffer *buffer, size_t more)
{
    if (writer->failed)
        return NULL;
    if (buffer->capacity - buffer->length < more) {
        size_t capacity = buffer->capacity ? buffer->capacity : 4096;
        uint8_t *bytes;

        while (capacity - buffer->length < more)
            capacity *= 2;
        bytes = realloc(buffer->bytes, capacity);
        if (!bytes) {
            writer->failed = true;
            return NULL;
        }
        buffer->bytes = bytes;
        buffer->capacity = capacity;
    }
    return buffer->bytes + buffer->length;
}

static void buffer_add(struct segment_writer *writer, struct buffer *buffer, const void *bytes,
                       size_t length)
{
    void *room = buffer_room(writer, buffer, length);

    if (room && length)
        memcpy(room, bytes, length);
    if (room)
        buffer->length += length;
}

static void extremes_clear(struct extremes *extremes)
{
    memset(extremes->shortest, 0xff, sizeof extremes->shortest);
    extremes->most = 0;
}

static void extremes_note(struct extremes *extremes, uint32_t frequency, uint32_t length)
{
    size_t i = frequency < FREQUENCIES ? frequency - 1 : FREQUENCIES - 1;

    if (length < extremes->shortest[i])
        extremes->shortest[i] = length;
    if (frequency > extremes->most)
        extremes->most = frequency;
}

/* A frequency and the shortest chunk that has it or a higher one. */
struct extreme {
    double frequency, length;
};

/* The postings that can give the highest impact: those for which no higher frequency occurs in a
 * chunk of the same length or a shorter one. Mostly one or two. */
static size_t extremes_list(const struct extremes *extremes, struct extreme list[FREQUENCIES])
{
    uint32_t shortest = UINT32_MAX;
    size_t count = 0;

    for (uint32_t i = FREQUENCIES; i-- > 0;) {
        if (extremes->shortest[i] >= shortest)
            continue;
        shortest = extremes->shortest[i];
        list[count++] = (struct extreme){i + 1 < FREQUENCIES ? i + 1 : extremes->most, shortest};
    }
    return count;
}

static void extremes_bound(const struct extremes *extremes, uint8_t bound[SEGMENT_LENGTH_STEPS])
{
    struct extreme list[FREQUENCIES];
    size_t count = extremes_list(extremes, list);
    double average = SEGMENT_LENGTH_FIRST;

    for (int step = 0; step < SEGMENT_LENGTH_STEPS; step++, average *= M_SQRT2) {
        double best = 0;
        int whole;

        for (size_t i = 0; i < count; i++) {
            double impact = bm25_impact(list[i].frequency, list[i].length, average);

            best = impact > best ? impact : best;
        }
        whole = (int)(best * 255);
        bound[step] = (uint8_t)(whole + (best * 255 > whole)); /* rounded up; impacts are below 1 */
    }
    bound[SEGMENT_LENGTH_STEPS - 1] = 255; /* beyond the ladder there is no bound */
}

struct segment_writer *segment_writer_open(const char *directory, const char *name)
{
    struct segment_writer *writer = calloc(1, sizeof *writer);

    if (!writer)
        return NULL;
    snprintf(writer->directory, sizeof writer->directory, "%s", directory);
    snprintf(writer->name, sizeof writer->name, "%s", name);
    snprintf(writer->temporary, sizeof writer->temporary, "%s/%s.%ld.new", directory, name,
             (long)getpid());
    writer->file = fopen(writer->temporary, "w+be");
    writer->failed =
        !writer->file || fwrite(&writer->header, sizeof writer->header, 1, writer->file) != 1;
    return writer;
}

void segment_writer_languages(struct segment_writer *writer, uint64_t languages)
{
    writer->header.languages |= languages;
}

void segment_writer_document(struct segment_writer *writer, int64_t key)
{
    struct segment_document document = {.key = key, .first_chunk = writer->header.chunks};

    buffer_add(writer, &writer->documents, &document, sizeof document);
    writer->header.documents++;
}

void segment_writer_chunk(struct segment_writer *writer, int64_t key, uint32_t length,
                          uint32_t passages)
{
    struct segment_chunk chunk = {
        .key = key, .document = writer->header.documents - 1, .passages = passages};

    buffer_add(writer, &writer->chunks, &chunk, sizeof chunk);
    buffer_add(writer, &writer->lengths, &length, sizeof length);
    if (!writer->failed)
        ((struct segment_document *)(void *)writer->documents.bytes)[chunk.document].chunk_count++;
    writer->header.chunks++;
    writer->header.titles += !length && !passages;
    writer->header.words += length;
    writer->header.passages += passages;
}

/* Writes zero vectors until there are `chunks` rows. */
static void fill_vectors(struct segment_writer *writer, uint32_t chunks)
{
    size_t row = search_vector_bytes(writer->header.dimension), length = chunks * row, more;
    uint8_t *room;

    if (writer->vectors.length >= length)
        return;
    more = length - writer->vectors.length;
    writer->header.vectors_missing += (uint32_t)(more / row);
    room = buffer_room(writer, &writer->vectors, more);
    if (room)
        memset(room, 0, more);
    if (room)
        writer->vectors.length = length;
}

void segment_writer_vector(struct segment_writer *writer, uint64_t model, uint32_t dimension,
                           const uint8_t *row)
{
    writer->header.vector_model = model;
    writer->header.dimension = dimension;
    fill_vectors(writer, writer->header.chunks - 1);
    buffer_add(writer, &writer->vectors, row, search_vector_bytes(dimension));
}

/* Writes numbers of `width` bytes each; returns the position after the last. */
static uint8_t *put_numbers(uint8_t *at, const uint32_t *numbers, uint32_t count, uint32_t less,
                            unsigned width)
{
    for (uint32_t i = 0; i < count && width; i++, at += width) {
        uint32_t number = numbers[i] - less; /* little-endian: its low bytes come first */

        memcpy(at, &number, width);
    }
    return at;
}

/* The same in half a byte each, the first in the low bits. */
static uint8_t *put_halves(uint8_t *at, const uint32_t *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i += 2)
        *at++ = (uint8_t)(numbers[i] | (i + 1 < count ? numbers[i + 1] << 4 : 0));
    return at;
}

static unsigned width_of(uint32_t most)
{
    return most <= 0xff ? 1 : most <= 0xffff ? 2 : 4;
}

/* `before` is the last chunk of the previous block. */
static void put_block(struct segment_writer *writer, uint32_t before)
{
    uint8_t bytes[1 + 8 * SEGMENT_BLOCK_POSTINGS], *at = bytes;
    uint32_t count = writer->in_block_count, most = writer->in_block.most;
    unsigned width = width_of(writer->last_chunk - before);
    unsigned halves = most == 1 ? 0 : most <= 0xf ? 1 : most <= 0xff ? 2 : 8;

    *at++ = (uint8_t)(width | halves << SEGMENT_FREQUENCY_SHIFT);
    at = put_numbers(at, writer->block_chunks, count, before, width);
    if (halves == 1)
        at = put_halves(at, writer->block_frequencies, count);
    else
        at = put_numbers(at, writer->block_frequencies, count, 0, halves / 2);
    writer->failed |= fwrite(bytes, (size_t)(at - bytes), 1, writer->file) != 1;
    writer->postings_bytes += (uint64_t)(at - bytes);
}

static struct segment_block *last_block(struct segment_writer *writer)
{
    return (struct segment_block *)(void *)writer->blocks.bytes + writer->header.blocks - 1;
}

static void close_block(struct segment_writer *writer)
{
    struct segment_block *block;
    bool first = writer->term.chunks <= SEGMENT_BLOCK_POSTINGS;

    if (!writer->in_block_count || writer->failed)
        return;
    block = last_block(writer);
    put_block(writer, first ? 0 : block[-1].last_chunk);
    block->last_chunk = writer->last_chunk;
    extremes_bound(&writer->in_block, block->bound);
    writer->in_block_count = 0;
}

static void open_block(struct segment_writer *writer)
{
    struct segment_block block = {
        .at = (uint32_t)(writer->postings_bytes - writer->term.postings_at)};

    buffer_add(writer, &writer->blocks, &block, sizeof block);
    writer->header.blocks++;
    extremes_clear(&writer->in_block);
}

static void close_term(struct segment_writer *writer)
{
    if (!writer->term_open)
        return;
    close_block(writer);
    if (writer->failed)
        return;
    if (writer->header.blocks - writer->term.first_block == 1) /* nearly all: the same postings */
        memcpy(writer->term.bound, last_block(writer)->bound, sizeof writer->term.bound);
    else
        extremes_bound(&writer->in_term, writer->term.bound);
    buffer_add(writer, &writer->terms, &writer->term, sizeof writer->term);
    writer->header.terms++;
    writer->term_open = false;
}

void segment_writer_term(struct segment_writer *writer, const char *name, size_t length,
                         uint32_t passages, bool with_positions)
{
    close_term(writer);
    writer->term = (struct segment_term){
        .postings_at = writer->postings_bytes,
        .positions_at = with_positions ? writer->positions.length : UINT64_MAX,
        .name_at = (uint32_t)writer->names.length,
        .name_length = (uint32_t)length,
        .passages = passages,
        .first_block = writer->header.blocks,
    };
    buffer_add(writer, &writer->names, name, length);
    extremes_clear(&writer->in_term);
    writer->in_block_count = 0;
    writer->last_chunk = 0;
    writer->term_open = true;
}

void segment_writer_posting(struct segment_writer *writer, uint32_t chunk, uint32_t frequency,
                            const uint8_t *positions, size_t position_bytes)
{
    uint32_t length;

    if (writer->failed)
        return;
    if (!writer->in_block_count)
        open_block(writer);
    if (writer->failed)
        return;
    length = ((uint32_t *)(void *)writer->lengths.bytes)[chunk];
    writer->block_chunks[writer->in_block_count] = chunk;
    writer->block_frequencies[writer->in_block_count] = frequency;
    extremes_note(&writer->in_block, frequency, length);
    extremes_note(&writer->in_term, frequency, length);
    writer->last_chunk = chunk;
    writer->term.chunks++;
    if (writer->term.positions_at != UINT64_MAX)
        buffer_add(writer, &writer->positions, positions, position_bytes);
    if (++writer->in_block_count == SEGMENT_BLOCK_POSTINGS)
        close_block(writer);
}

/* Fills the hash table of terms by name. */
static void fill_buckets(struct segment_writer *writer)
{
    uint32_t count = 2, mask, *buckets;

    while (count < writer->header.terms + writer->header.terms / 2)
        count *= 2;
    mask = count - 1;
    buckets = buffer_room(writer, &writer->buckets, count * sizeof *buckets);
    if (!buckets)
        return;
    memset(buckets, 0, count * sizeof *buckets);
    for (uint32_t i = 0; i < writer->header.terms; i++) {
        const struct segment_term *term = (struct segment_term *)(void *)writer->terms.bytes + i;
        uint32_t at =
            (uint32_t)segment_checksum(writer->names.bytes + term->name_at, term->name_length);

        while (buckets[at & mask])
            at++;
        buckets[at & mask] = i + 1;
    }
    writer->header.buckets = count;
    writer->buckets.length = count * sizeof *buckets;
}

static uint64_t put_section(struct segment_writer *writer, uint64_t *at,
                            const struct buffer *buffer)
{
    static const uint8_t zeros[8];
    uint64_t start = *at, padding = (8 - buffer->length % 8) % 8;

    if (buffer->length)
        writer->failed |= fwrite(buffer->bytes, buffer->length, 1, writer->file) != 1;
    if (padding)
        writer->failed |= fwrite(zeros, padding, 1, writer->file) != 1;
    *at += buffer->length + padding;
    return start;
}

static void put_sections(struct segment_writer *writer)
{
    static uint8_t guard[16]; /* a truncated last varint may be read past its end */
    struct segment_header *header = &writer->header;
    struct buffer padding = {guard, 8 + (8 - writer->postings_bytes % 8) % 8, sizeof guard};
    uint64_t at = sizeof *header + writer->postings_bytes;

    header->magic = SEGMENT_MAGIC;
    header->version = SEGMENT_VERSION;
    header->postings_at = sizeof *header;
    writer->failed |= fwrite(padding.bytes, padding.length, 1, writer->file) != 1;
    at += padding.length;
    header->positions_at = put_section(writer, &at, &writer->positions);
    header->chunks_at = put_section(writer, &at, &writer->chunks);
    header->lengths_at = put_section(writer, &at, &writer->lengths);
    header->documents_at = put_section(writer, &at, &writer->documents);
    header->terms_at = put_section(writer, &at, &writer->terms);
    header->blocks_at = put_section(writer, &at, &writer->blocks);
    header->names_at = put_section(writer, &at, &writer->names);
    header->names_bytes = writer->names.length;
    fill_buckets(writer);
    header->buckets_at = put_section(writer, &at, &writer->buckets);
    if (header->dimension)
        fill_vectors(writer, header->chunks);
    header->vectors_at = put_section(writer, &at, &writer->vectors);
    header->bytes = at;
}

/* The checksum is computed from the file as read back; then the header is written. */
static bool seal(struct segment_writer *writer)
{
    struct segment_header *header = &writer->header;
    int fd = fileno(writer->file);
    uint8_t *bytes;

    if (fflush(writer->file) != 0)
        return false;
    bytes = mmap(NULL, header->bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED)
        return false;
    header->checksum = segment_file_checksum(header, bytes + sizeof *header);
    munmap(bytes, header->bytes);
    return pwrite(fd, header, sizeof *header, 0) == (ssize_t)sizeof *header && fsync(fd) == 0;
}

static bool give_name(struct segment_writer *writer)
{
    char path[700];
    int directory;
    bool fine;

    snprintf(path, sizeof path, "%s/%s", writer->directory, writer->name);
    if (rename(writer->temporary, path) != 0)
        return false;
    directory = open(writer->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return false;
    fine = fsync(directory) == 0;
    close(directory);
    return fine;
}

static void writer_free(struct segment_writer *writer)
{
    free(writer->positions.bytes);
    free(writer->chunks.bytes);
    free(writer->lengths.bytes);
    free(writer->documents.bytes);
    free(writer->terms.bytes);
    free(writer->blocks.bytes);
    free(writer->names.bytes);
    free(writer->vectors.bytes);
    free(writer->buckets.bytes);
    free(writer);
}

/* Completes the file: seals, closes and renames it; frees the writer. */
static enum error complete(struct segment_writer *writer, int64_t *bytes, struct problem *problem)
{
    enum error error = ERROR_NONE;
    bool fine = writer->file && !writer->failed && seal(writer);

    if (writer->file && fclose(writer->file) != 0)
        fine = false;
    fine = fine && give_name(writer);
    *bytes = (int64_t)writer->header.bytes;
    if (!fine) {
        error = problem_set(problem, ERROR_UNAVAILABLE, disk_reason(errno, "segment_not_written"),
                            "the search index could not be written: %s", strerror(errno));
        unlink(writer->temporary);
    }
    writer_free(writer);
    return error;
}

enum error segment_writer_finish(struct segment_writer *writer, int64_t *bytes,
                                 struct problem *problem)
{
    close_term(writer);
    if (writer->file && !writer->failed)
        put_sections(writer);
    return complete(writer, bytes, problem);
}

enum error segment_copy_with_vectors(const struct segment *segment, const char *directory,
                                     const char *name, const struct segment_vectors *vectors,
                                     int64_t *bytes, struct problem *problem)
{
    struct segment_writer *writer = segment_writer_open(directory, name);
    const size_t start = sizeof *segment->header, length = segment->header->vectors_at - start;
    size_t more;

    if (!writer)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for the index");
    writer->header = *segment->header;
    writer->header.vector_model = vectors->dimension ? vectors->model : 0;
    writer->header.dimension = vectors->dimension;
    writer->header.vectors_missing = vectors->missing;
    more =
        vectors->dimension ? search_vector_bytes(vectors->dimension) * segment->header->chunks : 0;
    if (!writer->failed)
        writer->failed = fwrite(segment->bytes + start, length, 1, writer->file) != 1 ||
                         (more && fwrite(vectors->rows, more, 1, writer->file) != 1);
    writer->header.bytes = segment->header->vectors_at + more;
    return complete(writer, bytes, problem);
}

void segment_writer_drop(struct segment_writer *writer)
{
    if (!writer)
        return;
    if (writer->file)
        fclose(writer->file);
    unlink(writer->temporary);
    writer_free(writer);
}
