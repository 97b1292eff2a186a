/*
 * The k-th smallest member of a set too large to list (all sums or differences of pairs, for
 * example), if its members up to a limit can be counted.
 */
#ifndef ASSAY_STATS_ORDER_SEARCH_H
#define ASSAY_STATS_ORDER_SEARCH_H

#include <stddef.h>
#include <stdint.h>

enum { ORDER_SEARCH_FEW = 64, ORDER_SEARCH_RANKS_MAX = 4 };

struct order_source {
    const void *data;
    int64_t count;      /* members */
    double least, most; /* the smallest and the largest member */
    int64_t (*count_up_to)(const void *data, double limit);
    /* Writes the members from `least` to `most`, never more than a few, in any order, and returns
     * their number. */
    size_t (*list_between)(const void *data, double least, double most,
                           double few[ORDER_SEARCH_FEW]);
};

/* The members of these ranks, each 1 <= rank <= count; exact. Every count narrows the bracket of
 * all ranks: for most data some ten counts for the first rank and fewer for further ones near it,
 * at most 200 each. */
void order_search(const struct order_source *source, const int64_t *ranks, size_t rank_count,
                  double *members);

#endif
