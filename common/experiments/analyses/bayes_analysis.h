/*
 * POST /api/v1/results/bayes: posteriors of two to ten arms, the probability of being best, the
 * expected loss, and whether to stop by it. Priors are given, or fitted to past experiments.
 */
#ifndef ASSAY_EXPERIMENTS_ANALYSES_BAYES_ANALYSIS_H
#define ASSAY_EXPERIMENTS_ANALYSES_BAYES_ANALYSIS_H

#include "experiments/analyses/results_analysis.h"
#include "stats/bayes/best_arm.h"
#include "stats/bayes/loss_stopping.h"

enum bayes_metric { BAYES_BINARY, BAYES_COUNT, BAYES_CONTINUOUS, BAYES_LOG_NORMAL, BAYES__MAX };

enum { BAYES_PAST_MAX = 200 };

/* Of one arm; which members count says the metric type. */
struct bayes_arm {
    struct optional_integer n, converted, events;
    struct optional_number exposure, mean, std;
};

/* Of a rate or count the first two, of a mean the others; absent = the default. */
struct bayes_prior {
    struct optional_number a, b, mean, n, std, degrees;
};

struct bayes_request {
    int metric_type;
    int direction;
    OBJECT_LIST(struct bayes_arm, arms);
    const struct bayes_prior *prior;
    OBJECT_LIST(struct bayes_arm, past);
    double credibility;
    struct optional_number loss_threshold;
    int64_t looks;
    struct optional_number worthwhile_effect;
};

struct bayes_prior_used {
    const char *source; /* default, given or past */
    int64_t experiments;
    struct optional_number a, b, mean, n, std, degrees;
};
struct bayes_arm_reply {
    int64_t index;
    double mean, ci_lower, ci_upper, probability_best;
    struct optional_number expected_loss;
};
struct bayes_comparison {
    int64_t treatment_index;
    double effect, ci_lower, ci_upper, probability_better;
};
struct bayes_rate {
    double rate, ci_lower, ci_upper;
};
struct bayes_measured {
    double effect;
    const struct bayes_rate *stopped, *chose_treatment, *chose_control;
};
struct bayes_stopping {
    double loss_threshold;
    bool stop;
    int64_t looks;
    int64_t runs;
    OBJECT_LIST(struct bayes_measured, measured);
};
struct bayes_reply {
    const char *metric_type;
    const char *direction;
    const char *scale;
    double credibility;
    const struct bayes_prior_used *prior;
    OBJECT_LIST(struct bayes_arm_reply, arms);
    OBJECT_LIST(struct bayes_comparison, comparisons);
    int64_t best_arm;
    const struct bayes_stopping *stopping;
};

SCHEMA_OF(bayes_prior_schema, struct bayes_prior);
SCHEMA_OF(bayes_request_schema, struct bayes_request);
SCHEMA_OF(bayes_reply_schema, struct bayes_reply);

/* Both parameters of a rate or count, or all four of a mean (enum bayes_metric). */
bool bayes_prior_fits(int metric_type, const struct bayes_prior *prior);

int64_t bayes_cost_units(const struct bayes_request *request);

/* ERROR_INVALID `bayes_improper` where a posterior is not proper or not finite, `bayes_past` where
 * past experiments give no prior. */
MUST_CHECK enum error bayes_analyze(const struct results_call *call,
                                    const struct bayes_request *request, struct bayes_reply *reply);

#endif
