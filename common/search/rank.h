/*
 * Private to common/search: the best chunks of one segment for weighted terms, by BM25. The result
 * is exact: MaxScore (Turtle and Flood 1995) with block maxima (Ding and Suel 2011) skips only
 * chunks that cannot be among the best.
 */
#ifndef ASSAY_SEARCH_RANK_H
#define ASSAY_SEARCH_RANK_H

#include "search/segment.h"

struct rank_term {
    const struct segment_term *term;
    double weight; /* the term's weight times idf, times k1 + 1 */
};

enum { RANK_LENGTHS = 1024 };

/* Values for lengths and bounds that depend on the mean chunk length of the whole index. */
struct rank_lengths {
    double average;
    int step;     /* index in the ladder of averages: the step at or above the average */
    double share; /* weight of the step below in the interpolated bound */
    double norms[RANK_LENGTHS];  /* what BM25 adds to the frequency, by length */
    double single[RANK_LENGTHS]; /* the impact of frequency 1 */
};

struct rank_hit {
    double score;
    int64_t chunk, document; /* keys */
    const struct segment *segment;
    uint32_t place; /* index of the chunk in the segment */
};

/* The best hits so far, over all segments: a heap with the worst on top. Equal scores are ordered
 * by the chunk's key, the smaller first. */
struct rank_heap {
    struct rank_hit *hits;
    size_t count, most;
    double floor;            /* a known lower bound of the last of the best; 0 = none */
    struct rank_hit waiting; /* the best child so far of the key that was offered last */
    bool has_waiting;
};

/* Adds a hit if it is among the best. Children of one key are offered one after the other; the best
 * of them is added when another key is offered or rank_heap_settle() is called. */
void rank_heap_offer(struct rank_heap *heap, const struct rank_hit *hit);
void rank_heap_settle(struct rank_heap *heap);

/* Sorts the hits, best first. */
void rank_heap_sort(struct rank_heap *heap);

/* Does nothing if the average is unchanged. */
void rank_lengths_set(struct rank_lengths *lengths, double average);

void rank_segment(const struct segment *segment, const struct rank_term *terms, size_t count,
                  const struct rank_lengths *lengths, struct rank_heap *heap);

/* The score of one chunk. */
double rank_chunk(const struct segment *segment, const struct rank_term *terms, size_t count,
                  const struct rank_lengths *lengths, uint32_t chunk);

#endif
