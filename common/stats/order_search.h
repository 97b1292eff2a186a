/*
 * The k-th smallest member of a set too large to list, all sums or differences of pairs for one,
 * when its members can be counted up to a limit.
 */
#ifndef ASSAY_STATS_ORDER_SEARCH_H
#define ASSAY_STATS_ORDER_SEARCH_H

#include <stddef.h>
#include <stdint.h>

enum { ORDER_SEARCH_FEW = 64, ORDER_SEARCH_RANKS_MAX = 4 };

struct order_source {
    const void *data;
    int64_t count;      /* members */
    double least, most; /* the extreme ones */
    int64_t (*count_up_to)(const void *data, double limit);
    /* Writes the members from `least` to `most`, never more than a few, in any order, and gives
     * their number. */
    size_t (*list_between)(const void *data, double least, double most,
                           double few[ORDER_SEARCH_FEW]);
};

/* The members of these ranks, each 1 <= rank <= count; exact. Every count serves all ranks that it
 * narrows down: some ten counts for the first rank of most data and fewer for further ones near it,
 * 200 each at most. */
void order_search(const struct order_source *source, const int64_t *ranks, size_t rank_count,
                  double *members);

#endif
