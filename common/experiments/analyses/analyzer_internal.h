/* Private to common/experiments/analyses: shared by the rows of several analyzers. */
#ifndef ASSAY_EXPERIMENTS_ANALYSES_ANALYZER_INTERNAL_H
#define ASSAY_EXPERIMENTS_ANALYSES_ANALYZER_INTERNAL_H

#include "experiments/analyses/analyzer.h"
#include "experiments/analyses/report_print.h"
#include "experiments/analyses/report_text.h"

/* Decimals of effect and interval for event rates, which are small numbers. */
enum { EFFECT_DECIMALS = 4, RATE_DECIMALS = 6 };

/* Below these limits an approximation gives a warning. */
enum {
    EXPECTED_MIN = 5,   /* expected conversions, and expected users without one, per arm (Cochran
                           1954); values beyond a quantile */
    EVENTS_MIN = 10,    /* users per arm, for Wald's interval of rates */
    VALUES_MIN = 30,    /* users per arm, for a t-test of values that are not normal */
    RESAMPLED_MIN = 20, /* users per arm, for bootstrap percentiles */
    RANKS_MIN = 10      /* users per arm, for the normal distribution of U */
};

/* work / share, rounded up, but at least `least`. */
int64_t analyzer_units(int64_t least, int64_t work, int64_t share);

/* Number of values in both arms, and in the smaller arm. */
int64_t ranked_values(const struct ranked_observation *observed);
int64_t ranked_smaller_arm(const struct ranked_observation *observed);

/* Users of both arms. */
int64_t binary_users(const struct results_request *observed);

/* The key of the warning, or NULL: for analyzers of means and for resampling. */
const char *small_means(const struct continuous_observation *observed);
const char *small_resamples(const struct ranked_observation *observed);

/* Copies a test on all values of both arms into the finding (two_sample_settle). */
void ranked_finding(const struct ranked_observation *observed, const struct test_result *test,
                    struct results_finding *finding);

#endif
