/* Merges the hits of a search by words and of one by meaning. */
#ifndef ASSAY_SUPPORT_MATCHING_FUSION_H
#define ASSAY_SUPPORT_MATCHING_FUSION_H

#include "search/search.h"

struct fused_hit {
    int64_t chunk, document;
    double score;   /* of both lists together */
    double lexical; /* score in the first list; 0 when it is not in that list */
    size_t nearest; /* rank in the second list, from 1; 0 = not in that list */
    double meaning; /* of text and title, standardized over the index */
    struct search_nearness near;
};

/* A search by meaning. */
struct nearest_hits {
    const struct search_hit *hits;
    size_t count;
    struct search_spread spread;
    const struct search_nearness *near; /* of the hits by words, then of these */
};

/* A cosine in standard deviations above the mean of the index. */
double fusion_meaning(const struct search_spread *spread, double cosine);

/* Searches by meaning: writes the nearest to `found` (space for `most`), and how near these and the
 * `count` hits by words are. */
struct nearest_hits fusion_search(const struct search_index *index, struct arena *arena,
                                  const uint8_t *vector, const struct search_hit *words,
                                  size_t count, size_t most);

/* Merges by score: the score by words, relative to the best, and FUSION_WEIGHT standardized
 * cosines. `fused` has space for both lists; best first, equal scores in input order. Returns how
 * many. */
#define FUSION_WEIGHT 0.35
size_t fusion_by_score(const struct search_hit *words, size_t count,
                       const struct nearest_hits *nearest, struct fused_hit *fused);

/* Reciprocal rank fusion (Cormack, Clarke and Buettcher 2009): the sum of 1 / (k + rank) over the
 * lists, ranks from 0. Writes the merged list into `fused` (with space for both lists), best first,
 * equal scores in input order; returns how many. */
size_t fusion_by_rank(const struct search_hit *first, size_t first_count,
                      const struct search_hit *second, size_t second_count, double k,
                      struct fused_hit *fused);

#endif
