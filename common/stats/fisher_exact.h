/*
 * Exact comparison of two proportions, conditional on the total number of conversions: Fisher's
 * test, and the mid-p interval of the odds ratio.
 */
#ifndef ASSAY_STATS_FISHER_EXACT_H
#define ASSAY_STATS_FISHER_EXACT_H

#include "stats/two_sample.h"

/* Results contain the interval of the odds ratio if at most this many tables have the same
 * totals. */
enum { ODDS_RATIO_INTERVAL_TABLES_MAX = 20000 };

/* The two-sided p-value: the sum of all tables with the same totals that are at most as likely as
 * the observed one (Fisher 1935; tables within 1e-7 of its probability count as equal). The
 * function computes both tails directly, without enumerating tables, for up to 2^50 users. */
double fisher_exact_p_value(const struct binary_observation *observed);

/* Fisher's test; the result is described below. */
void fisher_exact_test(const struct binary_observation *observed, struct test_result *result);

/* All results of a two-by-two table for the caller's p-value: rates, their difference with
 * Newcombe's interval in ci_lower and ci_upper, descriptive power by the unpooled standard error,
 * and as effect size the odds ratio of control against treatment with its mid-p interval (below).
 * The statistic is the odds ratio, 0 where it is not defined. */
void exact_table_result(const struct binary_observation *observed, double p_value,
                        struct test_result *result);

struct odds_ratio_interval {
    bool given;     /* false when the totals leave only one table possible */
    double lower;   /* 0 when control has as few conversions as the totals allow */
    bool has_upper; /* false = infinite: control has as many as they allow */
    double upper;
};

/* The conditional exact interval of the odds ratio of control against treatment, alpha / 2 beyond
 * either end (Cornfield 1956; R's fisher.test). Of the kind TEST_INTERVAL_ODDS_RATIO; none when the
 * totals allow only one table, or more than ODDS_RATIO_INTERVAL_TABLES_MAX. A lower end of 0 is
 * present. */
struct test_interval odds_ratio_exact_interval(const struct binary_observation *observed);

/* The odds ratios that P(A > a) + P(A = a) / 2 and its mirror do not reject (Berry and Armitage
 * 1995), where A is noncentral hypergeometric. */
struct odds_ratio_interval odds_ratio_interval(const struct binary_observation *observed);

/* The number of tables with the same totals. */
int64_t fisher_exact_tables(const struct binary_observation *observed);

#endif
