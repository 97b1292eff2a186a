/* Merges several segments into one: documents in order, without dead ones; terms by a parallel walk
 * over all sorted lists. */
#include "search/search.h"
#include "search/segment.h"
#include "search/segment_write.h"

#include <stdlib.h>
#include <string.h>

enum { GONE = UINT32_MAX };

struct source {
    struct segment segment;
    uint32_t *numbers; /* the new number of each chunk; GONE for dead ones */
    uint32_t term;     /* the current term */
    bool at_same;      /* its current term is the one that is being merged */
};

struct merge {
    struct source *sources;
    size_t count, open;
    struct segment_writer *writer;
};

static const struct segment_term *current(const struct source *source)
{
    return source->term < source->segment.header->terms ? &source->segment.terms[source->term]
                                                        : NULL;
}

static int compare(const struct source *a, const struct source *b)
{
    const struct segment_term *x = current(a), *y = current(b);
    uint32_t shorter = x->name_length < y->name_length ? x->name_length : y->name_length;
    int order = memcmp(a->segment.names + x->name_at, b->segment.names + y->name_at, shorter);

    return order ? order : (x->name_length > y->name_length) - (x->name_length < y->name_length);
}

/* The source with the smallest current term; NULL at the end of all. */
static struct source *smallest(struct merge *merge)
{
    struct source *best = NULL;

    for (size_t i = 0; i < merge->count; i++) {
        if (current(&merge->sources[i]) && (!best || compare(&merge->sources[i], best) < 0))
            best = &merge->sources[i];
    }
    return best;
}

static const uint8_t *skip_varints(const uint8_t *at, uint32_t count)
{
    uint32_t value;

    while (count--)
        at = varint_get(at, &value);
    return at;
}

/* Copies the term's postings with new numbers. Returns the number of live postings. */
static uint32_t copy_postings(const struct merge *merge, const struct source *source,
                              const struct segment_term *term)
{
    uint32_t chunks[SEGMENT_BLOCK_POSTINGS], kept = 0;
    struct segment_frequencies frequencies;
    bool placed = term->positions_at != UINT64_MAX;
    const uint8_t *positions =
        placed ? source->segment.bytes + source->segment.header->positions_at + term->positions_at
               : NULL;

    for (uint32_t block = 0; block < segment_block_count(term); block++) {
        size_t count = segment_read_block(&source->segment, term, block, chunks, &frequencies);

        for (uint32_t i = 0; i < count; i++) {
            uint32_t frequency = segment_frequency(&frequencies, i);
            const uint8_t *start = positions;

            if (placed)
                positions = skip_varints(positions, frequency);
            if (source->numbers[chunks[i]] == GONE)
                continue;
            kept++;
            if (merge->writer)
                segment_writer_posting(merge->writer, source->numbers[chunks[i]], frequency, start,
                                       (size_t)(positions - start));
        }
    }
    return kept;
}

/* The exact number of passages in dead chunks is unknown, so it is estimated in proportion. */
static uint32_t live_passages(const struct merge *merge, const struct source *source,
                              const struct segment_term *term)
{
    const struct merge counting = {.sources = merge->sources, .count = merge->count};
    uint32_t kept;

    if (!source->segment.dead)
        return term->passages + !term->passages; /* a chunk may consist of a heading alone */
    kept = copy_postings(&counting, source, term);
    return kept ? (uint32_t)((uint64_t)term->passages * kept / term->chunks) + 1 : 0;
}

static void merge_terms(struct merge *merge)
{
    struct source *first;

    while ((first = smallest(merge))) {
        const struct segment_term *term = current(first);
        const char *name = first->segment.names + term->name_at;
        uint32_t length = term->name_length, passages = 0;

        for (size_t i = 0; i < merge->count; i++) {
            struct source *source = &merge->sources[i];

            source->at_same = current(source) && (source == first || compare(source, first) == 0);
            if (source->at_same)
                passages += live_passages(merge, source, current(source));
        }
        if (passages)
            segment_writer_term(merge->writer, name, length, passages,
                                term->positions_at != UINT64_MAX);
        for (size_t i = 0; i < merge->count; i++) {
            if (merge->sources[i].at_same && passages)
                copy_postings(merge, &merge->sources[i], current(&merge->sources[i]));
        }
        for (size_t i = 0; i < merge->count; i++)
            merge->sources[i].term += merge->sources[i].at_same;
    }
}

static bool is_dead(const struct segment *segment, uint32_t document)
{
    return segment->dead && segment->dead[document >> 3] >> (document & 7) & 1;
}

/* The model whose vectors are kept: that of the first source with vectors. */
static const struct segment_header *kept_vectors(const struct merge *merge)
{
    for (size_t i = 0; i < merge->count; i++)
        if (merge->sources[i].segment.vectors)
            return merge->sources[i].segment.header;
    return NULL;
}

static void copy_vector(const struct merge *merge, const struct segment *segment, uint32_t chunk,
                        const struct segment_header *kept)
{
    const struct segment_header *header = segment->header;

    if (kept && segment->vectors && header->vector_model == kept->vector_model &&
        header->dimension == kept->dimension && segment_has_vector(segment, chunk))
        segment_writer_vector(merge->writer, header->vector_model, header->dimension,
                              segment_vector(segment, chunk));
}

static bool number_chunks(struct merge *merge)
{
    const struct segment_header *kept = kept_vectors(merge);
    uint32_t next = 0;

    for (size_t i = 0; i < merge->count; i++) {
        struct source *source = &merge->sources[i];
        const struct segment *segment = &source->segment;

        source->numbers = malloc((segment->header->chunks + 1) * sizeof *source->numbers);
        if (!source->numbers)
            return false;
        segment_writer_languages(merge->writer, segment->header->languages);
        for (uint32_t d = 0; d < segment->header->documents; d++) {
            const struct segment_document *document = &segment->documents[d];

            if (!is_dead(segment, d))
                segment_writer_document(merge->writer, document->key);
            for (uint32_t c = document->first_chunk;
                 c < document->first_chunk + document->chunk_count; c++) {
                source->numbers[c] = is_dead(segment, d) ? (uint32_t)GONE : next++;
                if (source->numbers[c] == GONE)
                    continue;
                segment_writer_chunk(merge->writer, segment->chunks[c].key, segment->lengths[c],
                                     segment->chunks[c].passages);
                copy_vector(merge, segment, c, kept);
            }
        }
    }
    return true;
}

static enum error open_sources(struct merge *merge, const char *directory,
                               const struct search_segment *segments, struct problem *problem)
{
    for (; merge->open < merge->count; merge->open++) {
        struct source *source = &merge->sources[merge->open];
        const struct search_segment *segment = &segments[merge->open];
        enum error error =
            segment_open(&source->segment, directory, segment->name, segment->bytes, problem);

        if (error)
            return error;
        segment_set_dead(&source->segment, segment->dead, segment->dead_count);
    }
    return ERROR_NONE;
}

static enum error no_memory(struct problem *problem)
{
    return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory to merge the index");
}

enum error search_merge(const char *directory, const struct search_segment *segments, size_t count,
                        const char *name, int64_t *bytes, struct problem *problem)
{
    struct merge merge = {.count = count};
    enum error error;

    merge.sources = calloc(count + 1, sizeof *merge.sources);
    if (!merge.sources)
        return no_memory(problem);
    error = open_sources(&merge, directory, segments, problem);
    if (!error) {
        merge.writer = segment_writer_open(directory, name);
        if (!merge.writer || !number_chunks(&merge)) {
            segment_writer_drop(merge.writer);
            error = no_memory(problem);
        } else {
            merge_terms(&merge);
            error = segment_writer_finish(merge.writer, bytes, problem);
        }
    }
    for (size_t i = 0; i < merge.open; i++) {
        free(merge.sources[i].numbers);
        segment_close(&merge.sources[i].segment);
    }
    free(merge.sources);
    return error;
}

enum error search_segment_documents(const char *directory, const struct search_segment *wanted,
                                    struct arena *arena, int64_t **keys, size_t *count,
                                    struct problem *problem)
{
    struct segment segment;
    enum error error = segment_open(&segment, directory, wanted->name, wanted->bytes, problem);

    if (error)
        return error;
    *count = segment.header->documents;
    *keys = ARENA_ARRAY(arena, int64_t, *count + 1);
    for (size_t i = 0; i < *count; i++)
        (*keys)[i] = segment.documents[i].key;
    segment_close(&segment);
    return ERROR_NONE;
}
