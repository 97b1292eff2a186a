/* The index of a tenant: its segments, their total statistics, and the search. */
#include "search/search_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct search_index *search_index_create(const char *directory)
{
    struct search_index *index = calloc(1, sizeof *index);

    if (index)
        snprintf(index->directory, sizeof index->directory, "%s", directory);
    return index;
}

struct search_index *search_index_over(struct arena *arena, const struct search_backend *backend,
                                       void *engine)
{
    struct search_index *index = ARENA_NEW(arena, struct search_index);

    index->backend = backend;
    index->engine = engine;
    return index;
}

static void drop_segment(struct segment *segment)
{
    if (!segment)
        return;
    segment_close(segment);
    free(segment);
}

static void drop_all(struct segment **segments, size_t count)
{
    for (size_t i = 0; i < count; i++)
        drop_segment(segments[i]);
}

void search_index_destroy(struct search_index *index)
{
    if (!index)
        return;
    drop_all(index->segments, index->count);
    free(index->segments);
    free(index);
}

static enum error no_memory(struct problem *problem)
{
    return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for the index");
}

static enum error map_segment(const struct search_index *index, const struct search_segment *wanted,
                              struct segment **segment, struct problem *problem)
{
    enum error error;

    *segment = calloc(1, sizeof **segment);
    if (!*segment)
        return no_memory(problem);
    error = segment_open(*segment, index->directory, wanted->name, wanted->bytes, problem);
    if (error) {
        free(*segment);
        *segment = NULL;
    }
    return error;
}

/* Where the segment is loaded; NULL = nowhere. */
static struct segment **find_loaded(const struct search_index *index,
                                    const struct search_segment *wanted)
{
    for (size_t i = 0; i < index->count; i++) {
        const struct segment *segment = index->segments[i];

        if (segment && strcmp(segment->name, wanted->name) == 0 &&
            segment->header->bytes == (uint64_t)wanted->bytes)
            return &index->segments[i];
    }
    return NULL;
}

/* Maps those that are not loaded; NULL for the others. On an error nothing is left mapped, and
 * `damaged` is the one that could not be. */
static enum error map_missing(const struct search_index *index,
                              const struct search_segment *segments, size_t count,
                              struct segment **mapped, size_t *damaged, struct problem *problem)
{
    for (size_t i = 0; i < count; i++) {
        enum error error = find_loaded(index, &segments[i])
                               ? ERROR_NONE
                               : map_segment(index, &segments[i], &mapped[i], problem);

        if (error) {
            *damaged = i;
            drop_all(mapped, i);
            return error;
        }
    }
    return ERROR_NONE;
}

static void count_totals(struct search_index *index)
{
    struct search_totals *totals = &index->totals;

    *totals = (struct search_totals){.documents = 0};
    for (size_t i = 0; i < index->count; i++) {
        const struct segment *segment = index->segments[i];

        totals->documents += segment->header->documents;
        totals->chunks += segment->header->chunks - segment->header->titles;
        totals->words += (int64_t)segment->header->words;
        totals->passages += (int64_t)segment->header->passages;
        totals->languages |= segment->header->languages;
    }
    if (totals->chunks)
        rank_lengths_set(&index->lengths, fmax((double)totals->words / (double)totals->chunks, 1));
}

enum error search_index_update(struct search_index *index, const struct search_segment *segments,
                               size_t count, size_t *damaged, struct problem *problem)
{
    struct segment **current = calloc(count + 1, sizeof(struct segment *));
    enum error error;

    if (!current)
        return no_memory(problem);
    error = map_missing(index, segments, count, current, damaged, problem);
    if (error) {
        free(current);
        return error;
    }
    for (size_t i = 0; i < count; i++) {
        struct segment **loaded = current[i] ? NULL : find_loaded(index, &segments[i]);

        if (loaded) {
            current[i] = *loaded;
            *loaded = NULL;
        }
        segment_set_dead(current[i], segments[i].dead, segments[i].dead_count);
    }
    drop_all(index->segments, index->count);
    free(index->segments);
    index->segments = current;
    index->count = count;
    count_totals(index);
    return ERROR_NONE;
}

struct search_totals search_index_totals(const struct search_index *index)
{
    return index->backend ? index->backend->totals(index->engine) : index->totals;
}

bool search_index_is_remote(const struct search_index *index)
{
    return index->backend != NULL;
}

void search_index_expect(const struct search_index *index, const struct search_term *terms,
                         size_t count)
{
    if (index->backend)
        index->backend->expect(index->engine, terms, count);
}

int search_index_count(const struct search_index *index, int most)
{
    int count = 0;

    if (index->backend)
        return index->backend->count(index->engine, most);
    for (size_t s = 0; s < index->count; s++) {
        const struct segment *segment = index->segments[s];

        for (uint32_t c = 0; c < segment->header->chunks && count < most; c++)
            count += !segment_is_dead(segment, c) && !segment_child_of(segment, c);
    }
    return count;
}

struct search_frequency search_index_frequency(const struct search_index *index, const char *name,
                                               size_t length)
{
    struct search_frequency found = {0, 0};

    if (index->backend)
        return index->backend->frequency(index->engine, name, length);
    for (size_t i = 0; i < index->count; i++) {
        const struct segment_term *term = segment_find(index->segments[i], name, length);

        if (term) {
            found.chunks += term->chunks;
            found.passages += term->passages;
        }
    }
    return found;
}

/* Finds the terms in each segment. The weights include the idf over all segments. */
static double *term_weights(const struct search_index *index, struct arena *arena,
                            const struct search_term *terms, size_t count,
                            const struct segment_term **found)
{
    double *weights = ARENA_ARRAY(arena, double, count + 1);
    double chunks = (double)index->totals.chunks;

    for (size_t t = 0; t < count; t++) {
        double holding = 0;

        for (size_t s = 0; s < index->count; s++) {
            const struct segment_term *term =
                segment_find(index->segments[s], terms[t].name, terms[t].length);

            found[s * count + t] = term;
            holding += term ? term->chunks : 0;
        }
        weights[t] =
            terms[t].weight * (SEARCH_K1 + 1) * log1p((chunks - holding + 0.5) / (holding + 0.5));
    }
    return weights;
}

/* The state of one search. */
struct search {
    const struct search_index *index;
    const struct search_term *terms;
    size_t count;
    const struct segment_term **found;
    const double *weights;
    struct rank_term *here;
};

/* The terms of a segment whose weight is `least` or more. */
static size_t terms_here(const struct search *search, size_t segment, double least)
{
    size_t present = 0;

    for (size_t t = 0; t < search->count; t++) {
        const struct segment_term *term = search->found[segment * search->count + t];

        if (term && search->weights[t] > 0 && search->terms[t].weight >= least)
            search->here[present++] = (struct rank_term){term, search->weights[t]};
    }
    return present;
}

static void rank_all(const struct search *search, double least, struct rank_heap *heap)
{
    const struct search_index *index = search->index;

    for (size_t s = 0; s < index->count; s++)
        rank_segment(index->segments[s], search->here, terms_here(search, s, least),
                     &index->lengths, heap);
}

/* A lower bound of the last score among the best: the best hits by the heavy terms alone, which are
 * few and fast to rank, are scored by all terms. With this bound most postings of the light terms
 * are skipped. */
static double floor_of(const struct search *search, struct rank_heap *heap)
{
    const struct search_index *index = search->index;
    double heaviest = 0, floor = INFINITY;

    for (size_t t = 0; t < search->count; t++)
        heaviest = fmax(heaviest, search->terms[t].weight);
    rank_all(search, heaviest / 2, heap);
    if (heap->count < heap->most)
        floor = 0;
    for (size_t s = 0; s < index->count && floor > 0; s++) {
        size_t count = terms_here(search, s, 0);

        for (size_t i = 0; i < heap->count; i++) {
            if (heap->hits[i].segment == index->segments[s])
                floor = fmin(floor, rank_chunk(index->segments[s], search->here, count,
                                               &index->lengths, heap->hits[i].place));
        }
    }
    heap->count = 0;
    return floor;
}

size_t search_index_best(const struct search_index *index, struct arena *arena,
                         const struct search_term *terms, size_t count, struct search_hit *hits,
                         size_t most)
{
    struct search search = {.index = index, .terms = terms, .count = count};
    struct rank_heap heap = {.hits = ARENA_ARRAY(arena, struct rank_hit, most + 1), .most = most};

    if (index->backend)
        return index->backend->best(index->engine, arena, terms, count, hits, most);
    if (!most || !index->totals.chunks)
        return 0;
    search.found = ARENA_ARRAY(arena, const struct segment_term *, count * index->count + 1);
    search.here = ARENA_ARRAY(arena, struct rank_term, count + 1);
    search.weights = term_weights(index, arena, terms, count, search.found);
    heap.floor = floor_of(&search, &heap);
    rank_all(&search, 0, &heap);
    rank_heap_sort(&heap);
    for (size_t i = 0; i < heap.count; i++)
        hits[i] =
            (struct search_hit){heap.hits[i].chunk, heap.hits[i].document, heap.hits[i].score};
    return heap.count;
}
