/*
 * The schemas of a results analysis: observed data and test result. For requests and answers over
 * HTTP; also stored with projects.
 */
#ifndef ASSAY_EXPERIMENTS_ANALYSES_RESULTS_SCHEMA_H
#define ASSAY_EXPERIMENTS_ANALYSES_RESULTS_SCHEMA_H

#include "base/schema.h"
#include "stats/two_sample.h"

/* The analyzers of two arms: identifier, name, the request block that it reads, and the three that
 * it refuses. Each has a row in analyzer.h and texts errors.schemas.<name>_requires_<block>_data
 * and errors.schemas.<name>_rejects_<block>_data. */
#define ANALYZER_LIST(ANALYZER)                                                                    \
    ANALYZER(BINARY, binary, binary, continuous, ranked, count)                                    \
    ANALYZER(CONTINUOUS, continuous, continuous, binary, ranked, count)                            \
    ANALYZER(EQUIVALENCE, equivalence, continuous, binary, ranked, count)                          \
    ANALYZER(MANN_WHITNEY, mann_whitney, ranked, binary, continuous, count)                        \
    ANALYZER(BOOTSTRAP, bootstrap, ranked, binary, continuous, count)                              \
    ANALYZER(QUANTILE, quantile, ranked, binary, continuous, count)                                \
    ANALYZER(TRIMMED_T, trimmed_t, ranked, binary, continuous, count)                              \
    ANALYZER(FISHER_EXACT, fisher_exact, binary, continuous, ranked, count)                        \
    ANALYZER(BOSCHLOO_EXACT, boschloo_exact, binary, continuous, ranked, count)                    \
    ANALYZER(BARNARD_EXACT, barnard_exact, binary, continuous, ranked, count)                      \
    ANALYZER(COUNT, count, count, binary, continuous, ranked)

#define ANALYZER_ID(id, ...) ANALYZER_##id,
enum analyzer_id { ANALYZER_LIST(ANALYZER_ID) ANALYZER__MAX };
#undef ANALYZER_ID

extern const char *const results_analyzer_names[ANALYZER__MAX];

/* Only the block that the analyzer reads is set; the others are NULL. */
struct results_request {
    int metric_type; /* enum analyzer_id */
    const struct binary_observation *binary;
    const struct continuous_observation *continuous;
    const struct ranked_observation *ranked;
    const struct count_observation *count;
    int direction; /* enum goal_direction */
};

/* The effect in percent of the control value; `reason` says why there is no interval. */
struct results_lift {
    struct optional_number value_pct; /* absent when the control value is 0 */
    struct optional_number ci_lower_pct;
    struct optional_number ci_upper_pct;
    const char *method;
    const char *reason;
};

/* The convention of each number, where several are usual; docs/use/statistics.md lists the
 * codes. */
struct results_conventions {
    const char *direction;
    const char *effect_unit;
    const char *test;
    const char *standard_error; /* NULL when the test has none */
    const char *p_value;
    const char *interval;
    const char *effect_size_direction;
};

/* The interval that belongs to the p-value; an unbounded end is null. */
struct results_test_interval {
    const char *of; /* NULL when there is none; the reason says why */
    struct optional_number lower;
    struct optional_number upper;
    struct optional_number no_effect;
    const char *method;
    struct optional_boolean agrees;
    const char *reason;
};

struct results_reply {
    const char *metric_type;
    double observed_effect;
    struct optional_number observed_effect_relative;
    struct optional_number control_rate;
    struct optional_number treatment_rate;
    double ci_lower;
    double ci_upper;
    struct optional_number ci_score_lower;
    struct optional_number ci_score_upper;
    double ci_level;
    double p_value;
    double test_statistic;
    bool is_significant;
    double power_achieved;
    const char *verdict;
    const char *interpretation;
    struct optional_number effect_size;
    const char *effect_size_label;
    struct optional_number effect_size_ci_lower;
    struct optional_number effect_size_ci_upper;
    const char *observed_effect_relative_reason; /* NULL when there is a number */

    /* Absent in documents of older versions. */
    const struct results_lift *relative_lift;
    const struct results_conventions *conventions;
    const struct results_test_interval *test_interval;
    struct optional_boolean interval_agrees;
    OBJECT_LIST(struct warning, warnings); /* struct warning */
    const char *direction;
    const char *outcome;
};

/* better, worse or inconclusive, in the direction of the goal. */
const char *results_outcome(const struct test_result *test);

/* Absent when the control value is 0 or the effect exceeds the largest number; the reason says
 * which. The reason is NULL when there is a number. */
struct optional_number results_relative_effect(const struct test_result *test);
const char *results_relative_effect_reason(const struct test_result *test);

SCHEMA_OF(results_lift_schema, struct results_lift);
SCHEMA_OF(results_request_schema, struct results_request);
SCHEMA_OF(results_reply_schema, struct results_reply);

#endif
