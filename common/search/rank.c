/* Ranking: cursors over postings, and a loop that skips chunks that cannot be among the best. */
#include "search/rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CURSORS_MAX = 512, WINDOW = 2048, END = UINT32_MAX };

struct cursor {
    const struct segment_term *term;
    const struct segment_block *blocks;
    double weight;
    double most; /* weight times the term's bound */
    uint32_t block, block_count;
    int64_t chunk; /* current chunk: -1 before the first, END after the last */
    uint32_t at, count;
    double block_most; /* weight times the bound of the block of `bounded` */
    uint32_t bounded;
    uint32_t asked; /* the last block that was searched without being decoded */
    bool decoded;
    struct segment_frequencies frequencies;
    uint32_t chunks[SEGMENT_BLOCK_POSTINGS];
};

struct candidate {
    uint32_t chunk;
    double score;
};

struct ranking {
    const struct segment *segment;
    const struct rank_lengths *lengths;
    struct cursor *cursors; /* in falling order of `most` */
    size_t count;
    double *rest; /* rest[i] = the sum of `most` from i on */
    struct rank_heap *heap;
};

/* One window of chunks: their scores by the leading terms, and which chunks contain these terms. */
static struct {
    double scores[WINDOW];
    uint64_t held[WINDOW / 64];
    struct candidate candidates[WINDOW];
} window;

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

static void take(struct rank_heap *heap, const struct rank_hit *hit)
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

void rank_heap_settle(struct rank_heap *heap)
{
    if (heap->has_waiting)
        take(heap, &heap->waiting);
    heap->has_waiting = false;
}

void rank_heap_offer(struct rank_heap *heap, const struct rank_hit *hit)
{
    if (heap->has_waiting && heap->waiting.chunk == hit->chunk) {
        if (heap->waiting.score < hit->score)
            heap->waiting = *hit;
        return;
    }
    rank_heap_settle(heap);
    heap->waiting = *hit;
    heap->has_waiting = true;
}

static int best_first(const void *a, const void *b)
{
    return is_worse(a, b) ? 1 : -1;
}

void rank_heap_sort(struct rank_heap *heap)
{
    qsort(heap->hits, heap->count, sizeof heap->hits[0], best_first);
}

/* The score that a chunk must reach, slightly reduced, because bounds and scores are rounded
 * differently. */
static double threshold(const struct rank_heap *heap)
{
    double reached = heap->count < heap->most ? 0 : heap->hits[0].score;

    return (reached > heap->floor ? reached : heap->floor) * (1 - 1e-9);
}

static void decode(const struct segment *segment, struct cursor *cursor)
{
    cursor->count = (uint32_t)segment_read_block(segment, cursor->term, cursor->block,
                                                 cursor->chunks, &cursor->frequencies);
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

/* Moves to the first posting at or after `chunk`. */
static void seek(const struct segment *segment, struct cursor *cursor, uint32_t chunk)
{
    uint32_t at;

    if (cursor->chunk >= chunk)
        return;
    seek_block(cursor, chunk);
    if (cursor->block >= cursor->block_count) {
        cursor->chunk = END;
        return;
    }
    if (!cursor->decoded)
        decode(segment, cursor);
    at = cursor->at;
    while (at + 8 < cursor->count && cursor->chunks[at + 7] < chunk)
        at += 8;
    while (cursor->chunks[at] < chunk)
        at++;
    cursor->at = at;
    cursor->chunk = cursor->chunks[at];
}

static double norm_of(uint32_t length, double average)
{
    return SEARCH_K1 * (1 - SEARCH_B + SEARCH_B * length / average);
}

void rank_lengths_set(struct rank_lengths *lengths, double average)
{
    double at = SEGMENT_LENGTH_FIRST, before = at;

    if (lengths->average == average) /* NOLINT(clang-diagnostic-float-equal): nothing changed */
        return;
    *lengths = (struct rank_lengths){.average = average};
    while (lengths->step < SEGMENT_LENGTH_STEPS - 1 && at < average) {
        before = at;
        at *= M_SQRT2;
        lengths->step++;
    }
    if (lengths->step && at > average)
        lengths->share = (1 / average - 1 / at) / (1 / before - 1 / at);
    for (uint32_t i = 0; i < RANK_LENGTHS; i++) {
        lengths->norms[i] = norm_of(i, average);
        lengths->single[i] = 1 / (1 + lengths->norms[i]);
    }
}

/* A bound is interpolated between those of the two steps around the average: impacts are convex in
 * the reciprocal of the average, so the straight line between two of their values is above them. */
static double bound_at(const struct rank_lengths *lengths, const uint8_t *bound)
{
    double upper = bound[lengths->step];

    if (lengths->step)
        upper -= lengths->share * (upper - bound[lengths->step - 1]);
    return upper / 255;
}

/* bm25_impact() of a term with that frequency in the chunk, with the known lengths. */
static double impact(const struct segment *segment, const struct rank_lengths *lengths,
                     double weight, uint32_t chunk, uint32_t frequency)
{
    uint32_t length = segment->lengths[chunk];

    if (length >= RANK_LENGTHS)
        return weight * bm25_impact(frequency, length, lengths->average);
    if (frequency == 1)
        return weight * lengths->single[length];
    return weight * (frequency / (frequency + lengths->norms[length]));
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

/* The number of strongest cursors that are needed to reach the threshold: chunks that contain only
 * the other terms cannot win. */
static size_t needed(const struct ranking *ranking)
{
    double wanted = threshold(ranking->heap);
    size_t count = ranking->count;

    while (count > 0 && ranking->rest[count - 1] < wanted)
        count--;
    return count;
}

/* Adds the scores of a leading term over the window from `first` to before `end`. */
static void add_up(const struct ranking *ranking, struct cursor *cursor, uint32_t first,
                   uint32_t end)
{
    seek(ranking->segment, cursor, first);
    while (cursor->chunk < end) {
        uint32_t i = cursor->at;

        for (; i < cursor->count && cursor->chunks[i] < end; i++) {
            uint32_t place = cursor->chunks[i] - first;

            window.scores[place] +=
                impact(ranking->segment, ranking->lengths, cursor->weight, cursor->chunks[i],
                       segment_frequency(&cursor->frequencies, i));
            window.held[place >> 6] |= UINT64_C(1) << (place & 63);
        }
        if (i < cursor->count) {
            cursor->at = i;
            cursor->chunk = cursor->chunks[i];
        } else if (++cursor->block < cursor->block_count) {
            decode(ranking->segment, cursor);
            cursor->chunk = cursor->chunks[0];
        } else {
            cursor->chunk = END;
        }
    }
}

/* The chunks of the window that can still win, if the other terms add `rest` at most. Clears the
 * window. */
static size_t gather(uint32_t first, double rest, double wanted)
{
    size_t count = 0;

    for (uint32_t word = 0; word < WINDOW / 64; word++) {
        for (uint64_t left = window.held[word]; left; left &= left - 1) {
            uint32_t place = word * 64 + (uint32_t)__builtin_ctzll(left);

            window.candidates[count] = (struct candidate){first + place, window.scores[place]};
            count += window.scores[place] + rest >= wanted;
            window.scores[place] = 0;
        }
        window.held[word] = 0;
    }
    return count;
}

static double block_most(const struct ranking *ranking, struct cursor *cursor)
{
    if (cursor->bounded != cursor->block) {
        cursor->bounded = cursor->block;
        cursor->block_most =
            cursor->weight * bound_at(ranking->lengths, cursor->blocks[cursor->block].bound);
    }
    return cursor->block_most;
}

/* The frequency of the cursor's term in a chunk of its block. The first lookup in a block searches
 * only a few postings; the second decodes the block. */
static uint32_t find_term(const struct ranking *ranking, struct cursor *cursor, uint32_t chunk)
{
    if (!cursor->decoded && cursor->asked != cursor->block) {
        cursor->asked = cursor->block;
        return segment_block_frequency(ranking->segment, cursor->term, cursor->block, chunk);
    }
    seek(ranking->segment, cursor, chunk);
    return cursor->chunk == chunk ? segment_frequency(&cursor->frequencies, cursor->at) : 0;
}

/* The score that a further term adds to a candidate. Negative when the candidate cannot win,
 * because the terms after it add `rest` at most. */
static double add_to(const struct ranking *ranking, struct cursor *cursor,
                     const struct candidate *candidate, double rest, double wanted)
{
    uint32_t frequency;

    if (cursor->chunk > candidate->chunk)
        return 0;
    seek_block(cursor, candidate->chunk);
    if (cursor->block >= cursor->block_count) {
        cursor->chunk = END;
        return 0;
    }
    if (candidate->score + rest + block_most(ranking, cursor) < wanted)
        return -1;
    frequency = find_term(ranking, cursor, candidate->chunk);
    return frequency ? impact(ranking->segment, ranking->lengths, cursor->weight, candidate->chunk,
                              frequency)
                     : 0;
}

/* Completes the candidates term by term, and drops those that cannot win any more. */
static size_t complete(const struct ranking *ranking, size_t count, size_t leading, double wanted)
{
    for (size_t i = leading; i < ranking->count && count; i++) {
        size_t kept = 0;

        for (size_t c = 0; c < count; c++) {
            struct candidate candidate = window.candidates[c];
            double more =
                add_to(ranking, &ranking->cursors[i], &candidate, ranking->rest[i + 1], wanted);

            candidate.score += more;
            window.candidates[kept] = candidate;
            kept += more >= 0 && candidate.score + ranking->rest[i + 1] >= wanted;
        }
        count = kept;
    }
    return count;
}

static void offer(const struct ranking *ranking, const struct candidate *candidate)
{
    const struct segment *segment = ranking->segment;
    const struct segment_chunk *row = &segment->chunks[candidate->chunk];

    if (candidate->score > 0 && !segment_is_dead(segment, candidate->chunk))
        rank_heap_offer(ranking->heap, &(struct rank_hit){candidate->score, row->key,
                                                          segment->documents[row->document].key,
                                                          segment, candidate->chunk});
}

/* The first chunk at or after `chunk` that contains one of the leading terms. */
static uint32_t next_held(const struct ranking *ranking, size_t leading, uint32_t chunk)
{
    int64_t next = END;

    for (size_t i = 0; i < leading; i++) {
        seek(ranking->segment, &ranking->cursors[i], chunk);
        if (ranking->cursors[i].chunk < next)
            next = ranking->cursors[i].chunk;
    }
    return (uint32_t)next;
}

static void run(const struct ranking *ranking)
{
    size_t leading = needed(ranking), count;
    uint32_t first = next_held(ranking, leading, 0);

    while (first != END) {
        uint32_t end = first + WINDOW;
        double wanted = threshold(ranking->heap);

        for (size_t i = 0; i < leading; i++)
            add_up(ranking, &ranking->cursors[i], first, end);
        count = gather(first, ranking->rest[leading], wanted);
        count = complete(ranking, count, leading, wanted);
        for (size_t i = 0; i < count; i++)
            offer(ranking, &window.candidates[i]);
        leading = needed(ranking);
        first = next_held(ranking, leading, end);
    }
    rank_heap_settle(ranking->heap);
}

static void cursor_open(const struct segment *segment, struct cursor *cursor,
                        const struct rank_term *term, double most)
{
    cursor->term = term->term;
    cursor->blocks = segment->blocks + cursor->term->first_block;
    cursor->weight = term->weight;
    cursor->most = most;
    cursor->block_count = segment_block_count(cursor->term);
    cursor->block = 0;
    cursor->at = 0;
    cursor->bounded = cursor->asked = UINT32_MAX;
    cursor->decoded = false;
    cursor->chunk = -1;
}

void rank_segment(const struct segment *segment, const struct rank_term *terms, size_t count,
                  const struct rank_lengths *lengths, struct rank_heap *heap)
{
    static struct cursor cursors[CURSORS_MAX];
    struct strength order[CURSORS_MAX];
    double rest[CURSORS_MAX + 1];
    const struct ranking ranking = {.segment = segment,
                                    .lengths = lengths,
                                    .cursors = cursors,
                                    .count = count < CURSORS_MAX ? count : CURSORS_MAX,
                                    .rest = rest,
                                    .heap = heap};

    for (size_t i = 0; i < ranking.count; i++)
        order[i] = (struct strength){terms[i].weight * bound_at(lengths, terms[i].term->bound), i};
    qsort(order, ranking.count, sizeof order[0], strongest_first);
    rest[ranking.count] = 0;
    for (size_t i = ranking.count; i-- > 0;)
        rest[i] = rest[i + 1] + order[i].most;
    for (size_t i = 0; i < ranking.count; i++)
        cursor_open(segment, &cursors[i], &terms[order[i].term], order[i].most);
    run(&ranking);
}

/* The first block of a term that ends at or after the chunk. */
static uint32_t block_of(const struct segment *segment, const struct segment_term *term,
                         uint32_t chunk)
{
    const struct segment_block *blocks = segment->blocks + term->first_block;
    uint32_t low = 0;

    for (uint32_t left = segment_block_count(term); left > 0;) {
        uint32_t half = left / 2;

        if (blocks[low + half].last_chunk < chunk) {
            low += half + 1;
            left -= half + 1;
        } else {
            left = half;
        }
    }
    return low;
}

double rank_chunk(const struct segment *segment, const struct rank_term *terms, size_t count,
                  const struct rank_lengths *lengths, uint32_t chunk)
{
    double score = 0;

    for (size_t i = 0; i < count; i++) {
        uint32_t block = block_of(segment, terms[i].term, chunk), frequency = 0;

        if (block < segment_block_count(terms[i].term))
            frequency = segment_block_frequency(segment, terms[i].term, block, chunk);
        if (frequency)
            score += impact(segment, lengths, terms[i].weight, chunk, frequency);
    }
    return score;
}
