/* Reciprocal rank fusion: merges lists of hits by rank (Cormack, Clarke and Buettcher 2009). */
#ifndef ASSAY_SUPPORT_ANSWER_FUSION_H
#define ASSAY_SUPPORT_ANSWER_FUSION_H

#include "search/search.h"

struct fused_hit {
    int64_t chunk, document;
    double score;   /* sum of 1 / (k + rank) over the lists, ranks from 0 */
    double lexical; /* score in the first list; 0 when it is not in that list */
    size_t nearest; /* rank in the second list, from 1; 0 = not in that list */
};

/* Writes the merged list into `fused` (with space for both lists), best first, equal scores in
 * input order; returns how many. */
size_t fusion_by_rank(const struct search_hit *first, size_t first_count,
                      const struct search_hit *second, size_t second_count, double k,
                      struct fused_hit *fused);

#endif
