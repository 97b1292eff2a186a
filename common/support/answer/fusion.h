/* Lists of hits made into one by their ranks (Cormack, Clarke and Buettcher 2009). */
#ifndef ASSAY_SUPPORT_ANSWER_FUSION_H
#define ASSAY_SUPPORT_ANSWER_FUSION_H

#include "search/search.h"

struct fused_hit {
    int64_t chunk, document;
    double score;   /* sum of 1 / (k + place) over the lists, places from 0 */
    double lexical; /* its score in the first list; 0 when it is not in it */
    size_t nearest; /* its place in the second list, from 1; 0 = it is not in it */
};

/* Into `fused` (room for both lists), best first, equal scores in the order in which they came; how
 * many. */
size_t fusion_by_rank(const struct search_hit *first, size_t first_count,
                      const struct search_hit *second, size_t second_count, double k,
                      struct fused_hit *fused);

#endif
