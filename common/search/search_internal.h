/* Private to common/search: the members of an index. */
#ifndef ASSAY_SEARCH_SEARCH_INTERNAL_H
#define ASSAY_SEARCH_SEARCH_INTERNAL_H

#include "search/rank.h"
#include "search/search.h"
#include "search/search_backend.h"
#include "search/segment.h"

struct search_index {
    const struct search_backend *backend; /* asked instead of segments; NULL = none */
    void *engine;                         /* its argument */
    char directory[512];
    struct segment **segments;
    size_t count;
    struct search_totals totals;
    struct rank_lengths lengths;
};

#endif
