/* Ranking: cursors over postings, and the loop that leaves out what cannot win. */
#include "search/rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CURSORS_MAX = 512, END = UINT32_MAX };

struct cursor {
    const struct segment_term *term;
    const struct segment_block *blocks;
    double weight;
    double most; /* weight times the term's bound */
    uint32_t block, block_count;
    uint32_t chunk; /* where it stands; END behind the last */
    uint32_t at, count;
    bool decoded;
    uint32_t chunks[SEGMENT_BLOCK_POSTINGS], frequencies[SEGMENT_BLOCK_POSTINGS];
};

struct ranking {
    const struct segment *segment;
    struct cursor *cursors; /* in falling order of `most` */
    size_t count;
    double *rest; /* rest[i] = the sum of `most` from i on */
    double average;
    int step; /* of the ladder of averages */
    struct rank_heap *heap;
};

static bool is_worse(const struct rank_hit *a, const struct rank_hit *b)
{
    return a->score < b->score || (a->score == b->score && a->chunk > b->chunk);
}

static void sift_down(struct rank_heap *heap, size_t i)
{
    for (;;) {
        size_t child = 2 * i + 1;
        struct rank_hit hit = heap->hits[i];

        if (child >= heap->count)
            return;
        if (child + 1 < heap->count && is_worse(&heap->hits[child + 1], &heap->hits[child]))
            child++;
        if (!is_worse(&heap->hits[child], &hit))
            return;
        heap->hits[i] = heap->hits[child];
        heap->hits[child] = hit;
        i = child;
    }
}

void rank_heap_offer(struct rank_heap *heap, const struct rank_hit *hit)
{
    if (heap->count < heap->most) {
        size_t i = heap->count++;

        heap->hits[i] = *hit;
        while (i && is_worse(&heap->hits[i], &heap->hits[(i - 1) / 2])) {
            struct rank_hit other = heap->hits[(i - 1) / 2];

            heap->hits[(i - 1) / 2] = heap->hits[i];
            heap->hits[i] = other;
            i = (i - 1) / 2;
        }
    } else if (is_worse(&heap->hits[0], hit)) {
        heap->hits[0] = *hit;
        sift_down(heap, 0);
    }
}

static int best_first(const void *a, const void *b)
{
    return is_worse(a, b) ? 1 : -1;
}

void rank_heap_sort(struct rank_heap *heap)
{
    qsort(heap->hits, heap->count, sizeof heap->hits[0], best_first);
}

/* What a chunk must reach, a little less, for bounds and scores are rounded differently. */
static double threshold(const struct rank_heap *heap)
{
    double reached = heap->count < heap->most ? 0 : heap->hits[0].score;

    return (reached > heap->floor ? reached : heap->floor) * (1 - 1e-9);
}

static void decode(const struct segment *segment, struct cursor *cursor)
{
    cursor->count = (uint32_t)segment_read_block(segment, cursor->term, cursor->block,
                                                 cursor->chunks, cursor->frequencies);
    cursor->decoded = true;
    cursor->at = 0;
}

/* Moves to the block that may hold `chunk`, without reading it. */
static void seek_block(struct cursor *cursor, uint32_t chunk)
{
    uint32_t step = 1, low = cursor->block;

    if (cursor->block >= cursor->block_count || cursor->blocks[low].last_chunk >= chunk)
        return;
    while (low + step < cursor->block_count && cursor->blocks[low + step].last_chunk < chunk) {
        low += step;
        step *= 2;
    }
    cursor->decoded = false;
    for (low++; low < cursor->block_count && cursor->blocks[low].last_chunk < chunk;) {
        uint32_t half = step / 2 ? step / 2 : 1;

        if (low + half < cursor->block_count && cursor->blocks[low + half].last_chunk < chunk)
            low += half;
        else if (half == 1)
            low++;
        step = half;
    }
    cursor->block = low;
}

/* Moves to the first posting at or behind `chunk`. */
static void seek(const struct segment *segment, struct cursor *cursor, uint32_t chunk)
{
    if (cursor->chunk >= chunk)
        return;
    seek_block(cursor, chunk);
    if (cursor->block >= cursor->block_count) {
        cursor->chunk = END;
        return;
    }
    if (!cursor->decoded)
        decode(segment, cursor);
    while (cursor->chunks[cursor->at] < chunk)
        cursor->at++;
    cursor->chunk = cursor->chunks[cursor->at];
}

static void advance(const struct segment *segment, struct cursor *cursor)
{
    if (cursor->at + 1 < cursor->count) {
        cursor->chunk = cursor->chunks[++cursor->at];
        return;
    }
    if (++cursor->block >= cursor->block_count) {
        cursor->chunk = END;
        return;
    }
    decode(segment, cursor);
    cursor->chunk = cursor->chunks[0];
}

static double impact(const struct ranking *ranking, const struct cursor *cursor)
{
    return cursor->weight * bm25_impact(cursor->frequencies[cursor->at],
                                        ranking->segment->chunks[cursor->chunk].length,
                                        ranking->average);
}

struct strength {
    double most;
    size_t term;
};

static int strongest_first(const void *a, const void *b)
{
    const struct strength *x = a, *y = b;

    if (x->most < y->most || x->most > y->most)
        return x->most < y->most ? 1 : -1;
    return (x->term > y->term) - (x->term < y->term);
}

/* Completes the score of a chunk with the cursors from `first` on, giving up when it cannot reach
 * what it must. */
static void complete(struct ranking *ranking, uint32_t chunk, double score, size_t first)
{
    double wanted = threshold(ranking->heap);
    const struct segment_chunk *row = &ranking->segment->chunks[chunk];

    for (size_t i = first; i < ranking->count; i++) {
        struct cursor *cursor = &ranking->cursors[i];

        if (score + ranking->rest[i] < wanted)
            return;
        if (cursor->chunk < chunk) {
            seek_block(cursor, chunk);
            if (cursor->block >= cursor->block_count) {
                cursor->chunk = END;
                continue;
            }
            if (score + ranking->rest[i + 1] +
                    cursor->weight * cursor->blocks[cursor->block].bound[ranking->step] / 255 <
                wanted)
                return;
            seek(ranking->segment, cursor, chunk);
        }
        if (cursor->chunk == chunk)
            score += impact(ranking, cursor);
    }
    if (score > 0 && score >= wanted && !segment_is_dead(ranking->segment, chunk))
        rank_heap_offer(
            ranking->heap,
            &(struct rank_hit){score, row->key, ranking->segment->documents[row->document].key});
}

/* How many of the strongest cursors are needed to reach the threshold: chunks that only the others
 * hold cannot win. */
static size_t needed(const struct ranking *ranking)
{
    double wanted = threshold(ranking->heap);
    size_t count = ranking->count;

    while (count > 0 && ranking->rest[count - 1] < wanted)
        count--;
    return count;
}

static void run(struct ranking *ranking)
{
    size_t leading = needed(ranking);

    while (leading) {
        uint32_t chunk = END;
        double score = 0;

        for (size_t i = 0; i < leading; i++) {
            if (ranking->cursors[i].chunk < chunk)
                chunk = ranking->cursors[i].chunk;
        }
        if (chunk == END)
            return;
        for (size_t i = 0; i < leading; i++) {
            struct cursor *cursor = &ranking->cursors[i];

            if (cursor->chunk == chunk) {
                score += impact(ranking, cursor);
                advance(ranking->segment, cursor);
            }
        }
        complete(ranking, chunk, score, leading);
        leading = needed(ranking);
    }
}

static int ladder_step(double average)
{
    double at = SEGMENT_LENGTH_FIRST;
    int step = 0;

    while (step < SEGMENT_LENGTH_STEPS - 1 && at < average) {
        at *= M_SQRT2;
        step++;
    }
    return step;
}

static void cursor_open(const struct ranking *ranking, struct cursor *cursor,
                        const struct rank_term *term, double most)
{
    cursor->term = term->term;
    cursor->blocks = ranking->segment->blocks + cursor->term->first_block;
    cursor->weight = term->weight;
    cursor->most = most;
    cursor->block_count = segment_block_count(cursor->term);
    cursor->block = 0;
    decode(ranking->segment, cursor);
    cursor->chunk = cursor->chunks[0];
}

void rank_segment(const struct segment *segment, const struct rank_term *terms, size_t count,
                  double average, struct rank_heap *heap)
{
    static struct cursor cursors[CURSORS_MAX];
    struct strength order[CURSORS_MAX];
    double rest[CURSORS_MAX + 1];
    struct ranking ranking = {.segment = segment,
                              .cursors = cursors,
                              .count = count < CURSORS_MAX ? count : CURSORS_MAX,
                              .rest = rest,
                              .average = average,
                              .step = ladder_step(average),
                              .heap = heap};

    for (size_t i = 0; i < ranking.count; i++)
        order[i] = (struct strength){terms[i].weight * terms[i].term->bound[ranking.step] / 255, i};
    qsort(order, ranking.count, sizeof order[0], strongest_first);
    rest[ranking.count] = 0;
    for (size_t i = ranking.count; i-- > 0;)
        rest[i] = rest[i + 1] + order[i].most;
    for (size_t i = 0; i < ranking.count; i++)
        cursor_open(&ranking, &cursors[i], &terms[order[i].term], order[i].most);
    run(&ranking);
}
