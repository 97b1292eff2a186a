/* Vectors of chunks: finds the nearest by an exhaustive scan, and adds vectors to a segment. */
#include "search/rank.h"
#include "search/search.h"
#include "search/search_backend.h"
#include "search/search_internal.h"
#include "search/segment_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint64_t search_vector_model(const char *name)
{
    uint64_t hash = segment_checksum(name, strlen(name));

    return hash ? hash : 1;
}

uint64_t search_index_vector_model(const struct search_index *index, uint32_t *dimension)
{
    uint64_t model = 0;

    *dimension = 0;
    if (index->backend)
        return index->backend->vector_model(index->engine, dimension);
    for (size_t i = 0; i < index->count; i++) {
        const struct segment_header *header = index->segments[i]->header;

        if (index->segments[i]->dead_count >= header->documents)
            continue; /* no chunk of it can be found any more */
        if (header->vectors_missing ||
            (*dimension && (header->dimension != *dimension || header->vector_model != model)))
            return 0;
        *dimension = header->dimension;
        model = header->vector_model;
    }
    return *dimension > 0 ? model : 0;
}

bool search_index_has_vectors(const struct search_index *index, uint64_t model, uint32_t *dimension)
{
    return model && search_index_vector_model(index, dimension) == model;
}

double search_nearness_both(const struct search_nearness *nearness)
{
    if (nearness->title <= -1)
        return nearness->text;
    return fmax(nearness->text, (nearness->text + nearness->title) / 2 + 0.01);
}

/* Reads a chunk with its children and titles, from the first on; returns the chunk after them. */
static uint32_t read_chunk(const struct segment *segment, const uint8_t *vector, uint32_t chunk,
                           struct search_nearness *nearness)
{
    uint32_t first = chunk, titles = 0;

    *nearness = (struct search_nearness){-1, -1, 0};
    for (; chunk < segment->header->chunks &&
           segment->chunks[chunk].key == segment->chunks[first].key;
         chunk++) {
        double cosine = search_vector_cosine(vector, segment_vector(segment, chunk),
                                             segment->header->dimension);

        if (chunk == first || !segment_is_title(segment, chunk)) {
            nearness->text = fmax(nearness->text, cosine);
            continue;
        }
        if (cosine > nearness->title) {
            nearness->title = cosine;
            nearness->place = titles;
        }
        titles++;
    }
    return chunk;
}

size_t search_index_nearest(const struct search_index *index, struct arena *arena,
                            const uint8_t *vector, struct search_hit *hits, size_t most,
                            struct search_spread *spread)
{
    struct rank_heap heap = {.hits = ARENA_ARRAY(arena, struct rank_hit, most + 1), .most = most};
    double sum = 0, squares = 0;
    size_t compared = 0;

    if (index->backend)
        return index->backend->nearest(index->engine, arena, vector, hits, most, spread);
    for (size_t s = 0; s < index->count && most; s++) {
        const struct segment *segment = index->segments[s];

        for (uint32_t c = 0, next; segment->vectors && c < segment->header->chunks; c = next) {
            const struct segment_chunk *chunk = &segment->chunks[c];
            struct search_nearness nearness;
            double score;

            next = c + 1;
            if (segment_is_dead(segment, c))
                continue;
            next = read_chunk(segment, vector, c, &nearness);
            score = search_nearness_both(&nearness);
            sum += score;
            squares += score * score;
            compared++;
            rank_heap_offer(&heap, &(struct rank_hit){score, chunk->key,
                                                      segment->documents[chunk->document].key});
        }
    }
    spread->mean = compared ? sum / (double)compared : 0;
    spread->deviation =
        compared ? sqrt(fmax(0, squares / (double)compared - spread->mean * spread->mean)) : 0;
    rank_heap_settle(&heap);
    rank_heap_sort(&heap);
    for (size_t i = 0; i < heap.count; i++)
        hits[i] =
            (struct search_hit){heap.hits[i].chunk, heap.hits[i].document, heap.hits[i].score};
    return heap.count;
}

/* The place of a chunk among those asked for, or their number. */
static size_t place_of(int64_t key, const int64_t *keys, size_t count)
{
    size_t place = 0;

    while (place < count && keys[place] != key)
        place++;
    return place;
}

void search_index_nearness(const struct search_index *index, const uint8_t *vector,
                           const int64_t *keys, size_t count, struct search_nearness *nearness)
{
    uint64_t marks = 0; /* a bit per key modulo 64: most chunks are none of them */

    if (index->backend) {
        index->backend->nearness(index->engine, vector, keys, count, nearness);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        marks |= (uint64_t)1 << (keys[i] & 63);
        nearness[i] = (struct search_nearness){-1, -1, 0};
    }
    for (size_t s = 0; s < index->count; s++) {
        const struct segment *segment = index->segments[s];

        for (uint32_t c = 0, next; segment->vectors && c < segment->header->chunks; c = next) {
            size_t place;

            next = c + 1;
            if (!(marks >> (segment->chunks[c].key & 63) & 1) || segment_is_dead(segment, c))
                continue;
            place = place_of(segment->chunks[c].key, keys, count);
            if (place < count)
                next = read_chunk(segment, vector, c, &nearness[place]);
        }
    }
}

/* A segment whose vectors are being filled in. */
struct filling {
    const struct segment *segment;
    const struct search_embedder *embedder;
    uint8_t *rows;      /* packed */
    uint32_t dimension; /* 0 = not known yet */
    uint32_t missing;
};

static bool make_room(struct filling *filling, uint32_t dimension)
{
    if (filling->rows)
        return filling->dimension == dimension;
    filling->dimension = dimension;
    filling->rows =
        calloc((size_t)filling->segment->header->chunks + 1, search_vector_bytes(dimension));
    return filling->rows != NULL;
}

static uint8_t *row_of(const struct filling *filling, uint32_t chunk)
{
    return filling->rows + chunk * search_vector_bytes(filling->dimension);
}

/* Copies the existing vectors of the same model. */
static bool take_old(struct filling *filling)
{
    const struct segment_header *header = filling->segment->header;

    if (!header->dimension || header->vector_model != filling->embedder->model ||
        (filling->embedder->dimension && filling->embedder->dimension != header->dimension))
        return true;
    if (!make_room(filling, header->dimension))
        return false;
    memcpy(filling->rows, filling->segment->vectors,
           header->chunks * search_vector_bytes(header->dimension));
    return true;
}

static bool has_vector(const struct filling *filling, uint32_t chunk)
{
    return filling->rows && search_vector_present(row_of(filling, chunk));
}

/* Computes the next batch from `chunk` on; returns the chunk after it, or 0 when the embedder
 * fails. */
static uint32_t fill_batch(struct filling *filling, uint32_t chunk, uint32_t *places,
                           struct search_wanted *wanted)
{
    const struct segment *segment = filling->segment;
    const uint8_t *rows;
    uint32_t dimension;
    size_t count = 0;

    for (; chunk < segment->header->chunks && count < filling->embedder->batch; chunk++) {
        if (segment_is_dead(segment, chunk) || has_vector(filling, chunk))
            continue;
        places[count] = chunk;
        wanted[count++] =
            (struct search_wanted){segment->chunks[chunk].key, segment_child_of(segment, chunk)};
    }
    if (!count)
        return chunk;
    if (!filling->embedder->embed(filling->embedder->context, wanted, count, &rows, &dimension) ||
        !make_room(filling, dimension))
        return 0;
    for (size_t i = 0; i < count; i++)
        memcpy(row_of(filling, places[i]), rows + i * search_vector_bytes(dimension),
               search_vector_bytes(dimension));
    return chunk;
}

static void count_missing(struct filling *filling)
{
    filling->missing = 0;
    for (uint32_t c = 0; c < filling->segment->header->chunks; c++)
        filling->missing += !segment_is_dead(filling->segment, c) && !has_vector(filling, c);
}

enum error search_fill_vectors(const char *directory, const struct search_segment *from,
                               const struct search_embedder *embedder, const char *name,
                               int64_t *bytes, bool *whole, struct problem *problem)
{
    uint32_t *places = calloc(embedder->batch + 1, sizeof *places);
    struct search_wanted *wanted = calloc(embedder->batch + 1, sizeof *wanted);
    struct segment segment;
    struct filling filling = {.segment = &segment, .embedder = embedder};
    enum error error = segment_open(&segment, directory, from->name, from->bytes, problem);

    *whole = false;
    if (!error) {
        segment_set_dead(&segment, from->dead, from->dead_count);
        if (places && wanted && take_old(&filling))
            for (uint32_t chunk = 0; chunk < segment.header->chunks;) {
                chunk = fill_batch(&filling, chunk, places, wanted);
                if (!chunk)
                    break;
            }
        count_missing(&filling);
        *whole = !filling.missing;
        error =
            segment_copy_with_vectors(&segment, directory, name,
                                      &(struct segment_vectors){embedder->model, filling.dimension,
                                                                filling.missing, filling.rows},
                                      bytes, problem);
        segment_close(&segment);
    }
    free(filling.rows);
    free(places);
    free(wanted);
    return error;
}
