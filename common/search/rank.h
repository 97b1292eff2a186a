/*
 * Private to common/search: the best chunks of one segment for weighted terms, by BM25, exactly:
 * MaxScore (Turtle and Flood 1995) with block maxima (Ding and Suel 2011) skips what cannot be
 * among the best without changing which they are.
 */
#ifndef ASSAY_SEARCH_RANK_H
#define ASSAY_SEARCH_RANK_H

#include "search/segment.h"

struct rank_term {
    const struct segment_term *term;
    double weight; /* times idf, times k1 + 1 */
};

enum { RANK_LENGTHS = 1024 };

/* What the mean chunk length of the whole index makes of lengths and of bounds. */
struct rank_lengths {
    double average;
    int step;                    /* of the ladder of averages: the one at or above */
    double share;                /* of the step below, in a bound at this average */
    double norms[RANK_LENGTHS];  /* what BM25 adds to the frequency, by length */
    double single[RANK_LENGTHS]; /* the impact of frequency 1 */
};

struct rank_hit {
    double score;
    int64_t chunk, document; /* keys */
    const struct segment *segment;
    uint32_t place; /* of the chunk in the segment */
};

/* The best so far, over all segments: a heap with the worst on top. Equal scores are ordered by
 * the chunk's key, the smaller first. */
struct rank_heap {
    struct rank_hit *hits;
    size_t count, most;
    double floor;            /* what the last of the best is known to reach; 0 = nothing is known */
    struct rank_hit waiting; /* the best child so far of the key that was offered last */
    bool has_waiting;
};

/* Takes a hit when it is among the best: of children of one key, which come one after the other,
 * the best one, when another key comes or rank_heap_settle() is called. */
void rank_heap_offer(struct rank_heap *heap, const struct rank_hit *hit);
void rank_heap_settle(struct rank_heap *heap);

/* Puts the hits in order, best first. */
void rank_heap_sort(struct rank_heap *heap);

/* Does nothing when they are of that average already. */
void rank_lengths_set(struct rank_lengths *lengths, double average);

void rank_segment(const struct segment *segment, const struct rank_term *terms, size_t count,
                  const struct rank_lengths *lengths, struct rank_heap *heap);

/* The score of one chunk. */
double rank_chunk(const struct segment *segment, const struct rank_term *terms, size_t count,
                  const struct rank_lengths *lengths, uint32_t chunk);

#endif
