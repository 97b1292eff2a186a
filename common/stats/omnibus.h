/*
 * Tests whether several groups differ at all: Welch's analysis of variance for means and the
 * Kruskal-Wallis test for ranks. To find which of them differ, use pairwise tests with a correction
 * (multiple_testing.h).
 */
#ifndef ASSAY_STATS_OMNIBUS_H
#define ASSAY_STATS_OMNIBUS_H

#include "base/arena.h"
#include "base/error.h"
#include "base/optional.h"

enum { OMNIBUS_GROUPS_MAX = 50 };

/* Two to OMNIBUS_GROUPS_MAX groups of at least two finite values. */
struct omnibus_groups {
    size_t count;
    const struct number_list *items;
};

/* Of one group: mean and std (divisor n - 1) from Welch's test, median and mean_rank among all
 * values from that of Kruskal and Wallis. */
struct omnibus_group {
    int64_t n;
    struct optional_number mean;
    struct optional_number std;
    struct optional_number median;
    struct optional_number mean_rank;
};

struct omnibus_result {
    double statistic; /* F, or H with its tie correction */
    double df_numerator;
    struct optional_number df_denominator; /* of F */
    double p_value;
    bool is_significant;
    double
        effect_size; /* eta squared of unweighted sums of squares, or epsilon squared H/(N - 1) */
    int64_t total;
    struct omnibus_group *groups; /* one per input group, in the arena */
};

/* Welch 1951, "On the comparison of several mean values". False, with nothing filled in, when a
 * group has no variance, or one that cannot be distinguished from rounding of its largest value. */
MUST_CHECK bool omnibus_welch(const struct omnibus_groups *groups, double alpha,
                              struct arena *arena, struct omnibus_result *result);

/* Kruskal and Wallis 1952, with midranks; p from chi-square. False when all values are equal. */
MUST_CHECK bool omnibus_kruskal(const struct omnibus_groups *groups, double alpha,
                                struct arena *arena, struct omnibus_result *result);

#endif
