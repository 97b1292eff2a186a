/*
 * The analyzers of two arms, one row each: test function, convention of each number, data limit and
 * cost. To add one, write its pure function in common/stats, its row in a file of its own here, a
 * line of ANALYZER_LIST (results_schema.h), and its texts in the catalogs.
 */
#ifndef ASSAY_EXPERIMENTS_ANALYSES_ANALYZER_H
#define ASSAY_EXPERIMENTS_ANALYSES_ANALYZER_H

#include "experiments/analyses/results_schema.h"
#include "i18n/i18n.h"

struct results_call {
    const struct locale *locale; /* language of all texts, also of the problem */
    struct arena *arena;
    struct problem *problem;
};

/* The result of an analyzer. Texts belong to the arena. */
struct results_finding {
    struct test_result test;
    const char *verdict; /* NULL = the common convention */
    const char *interpretation;
    const char *p_value_convention; /* NULL = the convention of the row */
    const char *small_counts;       /* catalog key of the warning that the arms are too small for an
                                       approximation in use, or NULL */
};

/* An upper bound of the data, which keeps a request short. The functions of common/stats accept
 * more. */
struct results_limit {
    const char *reason; /* reason of the problem */
    const char *key;    /* catalog key of its text, with the placeholder {{limit}} */
    int64_t maximum;
    int64_t (*size)(const struct results_request *observed);
};

struct analyzer {
    const char *name; /* metric_type of request and answer */
    struct results_conventions conventions;
    int decimals;                      /* names of the effect and its interval */
    bool without_outcome;              /* the answer has no better or worse arm */
    const struct results_limit *limit; /* NULL = only the bounds of the schema */

    /* Fills in the zeroed finding. NULL for the ratio, which has a request of its own. */
    void (*run)(const struct results_call *call, const struct results_request *observed,
                struct results_finding *finding);

    /* Cost of a valid request in units of admission; NULL = 1. */
    int64_t (*cost)(const struct results_request *observed);

    /* Whether the interval agrees with the p-value. NULL = the interval agrees if it excludes 0
     * exactly when p is significant. */
    bool (*interval_agrees)(const struct results_request *observed, const struct test_result *test);
};

#define ANALYZER_DECLARE(id, name, ...) extern const struct analyzer name##_analyzer;
ANALYZER_LIST(ANALYZER_DECLARE)
#undef ANALYZER_DECLARE

/* A ratio of totals: /results/ratio and live experiments. */
extern const struct analyzer ratio_analyzer;

extern const struct analyzer *const analyzers[ANALYZER__MAX];

#endif
