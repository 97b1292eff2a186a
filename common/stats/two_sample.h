/*
 * The results of a two-arm test: difference, interval, p-value and descriptive power. Numbers only;
 * report_text.h has the texts. Differences are treatment minus control. Besides the two methods
 * here, each family has its own file: equivalence.h, rank_sum.h, resampling.h, trimmed_mean.h,
 * fisher_exact.h, unconditional_exact.h, poisson_rates.h, paired.h, ratio_metric.h.
 */
#ifndef ASSAY_STATS_TWO_SAMPLE_H
#define ASSAY_STATS_TWO_SAMPLE_H

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
    double alpha;                              /* two-sided */
    struct optional_number equivalence_margin; /* used by the equivalence test only */
};

/* All values of both arms. */
struct ranked_observation {
    struct number_list control_values;
    struct number_list treatment_values;
    double alpha;    /* two-sided */
    double quantile; /* 0..1, for the quantile test */
    double trim;     /* below 1/2, the share that the trimmed test cuts off each end */
};

/* Events and exposure of each arm, in the same unit for both. */
struct count_observation {
    int64_t control_events;
    double control_exposure;
    int64_t treatment_events;
    double treatment_exposure;
    double alpha; /* two-sided */
};

enum effect_size {
    EFFECT_SIZE_NONE,
    EFFECT_SIZE_COHENS_D,
    EFFECT_SIZE_COHENS_DZ, /* of paired differences */
    EFFECT_SIZE_RANK_BISERIAL,
    EFFECT_SIZE_ODDS_RATIO, /* of control against treatment */
    EFFECT_SIZE_RATE_RATIO, /* of treatment against control */
    EFFECT_SIZE__MAX
};

/* The interval that matches a p-value: the values that the same test does not reject at alpha. It
 * excludes "no effect" exactly when p < alpha, unless said otherwise. */
enum test_interval_kind {
    TEST_INTERVAL_NONE,        /* the test is not inverted */
    TEST_INTERVAL_EFFECT,      /* the same as ci_lower..ci_upper */
    TEST_INTERVAL_SCORE,       /* of a difference of rates, percentage points (score_interval.h) */
    TEST_INTERVAL_RANKS,       /* of a shift (rank_sum.h); ties may leave an end at 0 */
    TEST_INTERVAL_PERMUTATION, /* of a shift (resampling.h) */
    TEST_INTERVAL_ODDS_RATIO,  /* of control against treatment (fisher_exact.h) */
    TEST_INTERVAL_RATE_RATIO,  /* of treatment against control (poisson_rates.h) */
    TEST_INTERVAL__MAX
};

/* An end is absent where the interval is unbounded. The two intervals of ratios have alpha / 2
 * beyond each end; they may disagree with a p-value that sums the less likely outcomes of both
 * sides. */
struct test_interval {
    enum test_interval_kind kind;
    struct optional_number lower;
    struct optional_number upper;
};

/* How the interval of a relative effect was computed, or why there is none. */
enum relative_interval {
    RELATIVE_NOT_COMPUTED, /* medians and quantiles, or no test at all */
    RELATIVE_DELTA,        /* delta method */
    RELATIVE_FIELLER,      /* for a less certain control value; relative_lift.h */
    RELATIVE_LOG_DELTA,    /* delta method on the log scale; relative_lift.h */
    RELATIVE_SCORE,        /* of two rates; ratio_score.h */
    RELATIVE_CONDITIONAL,  /* exact, from the ratio of two event rates */
    RELATIVE_OF_ZERO,      /* the control value is 0 */
    RELATIVE_UNBOUNDED,    /* the control value may be 0: the interval is unbounded */
    RELATIVE_TOO_LARGE,    /* beyond the largest number */
    RELATIVE__MAX
};

struct relative_lift {
    enum relative_interval interval;
    double lower_pct, upper_pct; /* in percent of |control|; 0 where there is no interval */
};

/* The result of every two-sample analyzer. Effects of binary metrics are in percentage points. */
struct test_result {
    /* Standard error 0, or an arm too small for one: effect, interval and power are 0 and p is 1.
     * Rates and score interval of a binary metric are given where its arms have users. */
    bool degenerate;
    bool lower_is_better; /* for the verdict; set by the caller that knows the goal */
    double effect;
    double effect_relative_pct; /* in percent of |control|; may be infinite */
    bool control_is_zero;       /* there is no relative effect; the one above is 0 */
    double control_value;       /* the two compared values: means, medians, quantiles, event */
    double treatment_value;     /* rates; 0 for binary metrics, which have the rates below */
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
    enum effect_size effect_size_kind;
    struct optional_number effect_size; /* absent where undefined */
    struct optional_number effect_size_lower;
    struct optional_number effect_size_upper; /* absent when the lower end is present: infinite */
    struct test_interval test_interval;
    struct relative_lift relative_lift;
};

/* Two-proportion z-test on the pooled standard error; Wald interval on the difference (unpooled).
 * Results are not rounded. */
void two_sample_binary(const struct binary_observation *observed, struct test_result *result);

/* Welch's t-test (Welch 1947) with Satterthwaite degrees of freedom. Finite for all finite input:
 * larger results become the largest double. */
void two_sample_continuous(const struct continuous_observation *observed,
                           struct test_result *result);

/* Sets an effect, and the ends of its intervals, to 0 if the rounding of the values alone explains
 * them: 0.3 - 0.2 and 0.1 - 0.2 do not cancel to the last bit. For effects in the unit of the
 * values. */
void two_sample_settle(const struct number_list *control, const struct number_list *treatment,
                       struct test_result *result);

/* Large-sample power PW(s, zc) = Phi(|s| - zc) + Phi(-zc - |s|). */
double two_sample_normal_power(double statistic, double critical);

#endif
