/*
 * What a finished two-arm test showed: difference, interval, p-value and descriptive power. Pure
 * numbers; the words are in report_text.h. Differences are treatment minus control.
 */
#ifndef ASSAY_EXPERIMENTS_TWO_SAMPLE_H
#define ASSAY_EXPERIMENTS_TWO_SAMPLE_H

#include "base/optional.h"

struct binary_observation {
    int64_t control_conversions;
    int64_t control_users;
    int64_t treatment_conversions;
    int64_t treatment_users;
    double alpha; /* two-sided */
};

struct continuous_observation {
    double control_mean;
    double control_std;
    int64_t control_n;
    double treatment_mean;
    double treatment_std;
    int64_t treatment_n;
    double alpha; /* two-sided */
};

/* One shape for every two-sample analyzer. Effects of binary metrics are in percentage points. */
struct test_result {
    /* Standard error 0, or an arm too small to have one: effect, interval and power are 0 and p is
     * 1. Rates and score interval of a binary metric are told where its arms have users. */
    bool degenerate;
    double effect;
    double effect_relative_pct; /* of the control value; 0 when that is 0 */
    struct optional_number control_rate_pct;
    struct optional_number treatment_rate_pct;
    double ci_lower;
    double ci_upper;
    struct optional_number ci_score_lower; /* binary: Newcombe 1998, method 10 */
    struct optional_number ci_score_upper;
    double ci_level;
    double p_value;
    double statistic;
    double degrees_of_freedom; /* 0 for normal statistics */
    bool is_significant;       /* p < alpha, unrounded */
    double power;
    double alpha;
};

/* Two-proportion z-test on the pooled standard error; Wald interval on the difference (unpooled).
 * Nothing is rounded here. */
void two_sample_binary(const struct binary_observation *observed, struct test_result *result);

/* Welch's t-test (Welch 1947) with Satterthwaite degrees of freedom. Finite for all finite input:
 * what would pass the largest double is held there. */
void two_sample_continuous(const struct continuous_observation *observed,
                           struct test_result *result);

/* Wilson 1927 score interval of a proportion, `z` the two-sided normal quantile. */
void wilson_interval(int64_t successes, int64_t trials, double z, double *lower, double *upper);

/* Large-sample power PW(s, zc) = Phi(|s| - zc) + Phi(-zc - |s|). */
double two_sample_normal_power(double statistic, double critical);

#endif
