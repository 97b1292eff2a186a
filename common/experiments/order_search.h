/*
 * The k-th smallest member of a set too large to list, all sums or differences of pairs for one,
 * when its members can be counted up to a limit. Private to common/experiments.
 */
#ifndef ASSAY_EXPERIMENTS_ORDER_SEARCH_H
#define ASSAY_EXPERIMENTS_ORDER_SEARCH_H

#include <stddef.h>
#include <stdint.h>

enum { ORDER_SEARCH_FEW = 64 };

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

/* The rank-th smallest member, 1 <= rank <= count; exact. Counts some ten times for most data and
 * 200 times at most. */
double order_search(const struct order_source *source, int64_t rank);

#endif
