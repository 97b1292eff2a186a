/*
 * Exact comparison of two event rates, conditional on the total number of events.
 */
#ifndef ASSAY_STATS_POISSON_RATES_H
#define ASSAY_STATS_POISSON_RATES_H

#include "stats/two_sample.h"

/* The conditional binomial test (Przyborowski and Wilenski 1940): two-sided by summing the outcomes
 * at most as likely as the observed one, those within 1e-7 of it counting as equal. Interval of the
 * rate difference by Wald; statistic and effect size are the rate ratio, 0 and absent when control
 * has no events. Degenerate when neither arm has events. Does not enumerate the events; up to 2^53
 * of them. */
void poisson_rates_test(const struct count_observation *observed, struct test_result *result);

/* The exact conditional interval of treatment's rate over control's, alpha / 2 beyond either end
 * (Clopper and Pearson 1934 for treatment's share of the events; R's poisson.test), which also
 * gives the interval of the relative lift. Needs an event. */
struct test_interval rate_ratio_interval(const struct count_observation *observed);

#endif
