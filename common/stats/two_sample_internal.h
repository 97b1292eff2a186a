/*
 * Declarations that the files of two-sample methods share. Private to common/stats: the methods
 * themselves are in two_sample.h and the headers that it names.
 */
#ifndef ASSAY_STATS_TWO_SAMPLE_INTERNAL_H
#define ASSAY_STATS_TWO_SAMPLE_INTERNAL_H

#include "stats/two_sample.h"

/* JSON has no infinity; it becomes the largest number. */
double finite_value(double value);

/* Limits a probability to 1, which the rounded sum of two tails may exceed. */
double probability_value(double probability);

/* The result without a standard error: no effect, no interval, p = 1. */
struct test_result degenerate_result(double alpha);

/* A difference in percent of the magnitude of the control value, which is not 0; infinite beyond
 * the largest double. Multiplying by 100 before the division keeps hundredths exact. */
double relative_percent(double difference, double control);

/* Two rates. */
struct proportions {
    double control, treatment;           /* rates */
    double control_rest, treatment_rest; /* 1 - rate */
    double difference;
    double relative_pct; /* in percent of the control's; 0 when that is 0 */
};

struct proportions make_proportions(const struct binary_observation *observed);
double unpooled_standard_error(const struct binary_observation *observed,
                               const struct proportions *rates);

/* Newcombe 1998, method 10: the distances of the Wilson limits from the two rates, squared and
 * added. In percentage points; `z` is the two-sided normal quantile. */
void newcombe_interval(const struct binary_observation *observed, const struct proportions *rates,
                       double z, double *lower, double *upper);

/* The mean of an arm, however it was estimated: its standard error is spread / sqrt(weight). */
struct mean_estimate {
    double mean;
    double rest; /* the rounding error of the mean, where it is known */
    double spread;
    double weight;
    double df;
};

/* The estimates from the summaries; false when no test is possible: no variance, or an arm of fewer
 * than two. */
bool continuous_estimates(const struct continuous_observation *observed,
                          struct mean_estimate *control, struct mean_estimate *treatment);

/* The difference of two means, with its standard error in units of `scale`, so that squares stay in
 * the range of doubles. One of the spreads must be positive. */
struct mean_comparison {
    double difference;
    double scale;
    double standard_error;
    double df; /* Satterthwaite 1946 */
};

double mean_difference(const struct mean_estimate *control, const struct mean_estimate *treatment);

struct mean_comparison compare_means(const struct mean_estimate *control,
                                     const struct mean_estimate *treatment);

/* Sets the compared values, their difference, and the difference in percent of the control's. */
void set_effect(double control, double treatment, double difference, struct test_result *result);

/* difference -+ critical * standard error */
void set_mean_interval(const struct mean_comparison *means, double critical,
                       struct test_result *result);

/* The difference in standard errors; 0 when both spreads are 0. */
double welch_statistic(const struct mean_estimate *control, const struct mean_estimate *treatment);

/* Student's t-test of a difference with a known standard error and degrees of freedom. */
void mean_comparison_test(const struct mean_comparison *means, double control, double treatment,
                          double alpha, struct test_result *result);

/* Welch 1947 on any two estimates, one of which has a positive spread. */
void welch_test(const struct mean_estimate *control, const struct mean_estimate *treatment,
                double alpha, struct test_result *result);

/* Makes the interval of the effect also the test interval. */
void set_effect_as_test_interval(struct test_result *result);

/* Sets the relative lift of two means from their standard errors (relative_lift.h); call it after
 * the effect is set. */
void set_relative_means(const struct mean_estimate *control, const struct mean_estimate *treatment,
                        double critical, struct test_result *result);

/* Sets the relative effect of two rates with its score interval (ratio_score.h). */
void set_relative_rates(const struct binary_observation *observed, const struct proportions *rates,
                        struct test_result *result);

/* The difference divided by the pooled standard deviation (Cohen 1988); spreads are standard
 * deviations. Absent when both are 0. */
struct optional_number cohens_d(double difference, const struct mean_estimate *control,
                                const struct mean_estimate *treatment);

#endif
