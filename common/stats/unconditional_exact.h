/*
 * Unconditional exact comparison of two proportions: Boschloo's and Barnard's tests. The common
 * rate is unknown, so the p-value is the maximum over all rates.
 */
#ifndef ASSAY_STATS_UNCONDITIONAL_EXACT_H
#define ASSAY_STATS_UNCONDITIONAL_EXACT_H

#include "base/arena.h"
#include "stats/two_sample.h"

/* Users of both arms together. */
enum { UNCONDITIONAL_EXACT_MAX = 1 << 20 };

/* Boschloo 1970: tables are ordered by their one-sided Fisher p-value; twice the smaller of the two
 * sides. The result is that of exact_table_result() (fisher_exact.h). Scratch comes from the
 * arena. */
void boschloo_test(const struct binary_observation *observed, struct arena *arena,
                   struct test_result *result);

/* Barnard 1947 with the pooled z statistic of Suissa and Shuster (1985), two-sided. */
void barnard_test(const struct binary_observation *observed, struct arena *arena,
                  struct test_result *result);

#endif
