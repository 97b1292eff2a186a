/*
 * The decision policy practical_v1: from statistics to a verdict. Pure rules; no texts.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_RESULTS_POLICY_H
#define ASSAY_EXPERIMENTS_LIVE_RESULTS_POLICY_H

#include "experiments/live/view.h"
#include "experiments/live_results/live_schema.h"
#include "experiments/payloads/payload.h"

enum verdict { VERDICT_SHIP, VERDICT_NO_SHIP, VERDICT_KEEP_RUNNING, VERDICT__MAX };
enum confidence { CONFIDENCE_HIGH, CONFIDENCE_MEDIUM, CONFIDENCE_LOW, CONFIDENCE__MAX };

extern const char *const verdict_names[VERDICT__MAX];
extern const char *const confidence_names[CONFIDENCE__MAX];

enum reason {
    REASON_SRM_MISMATCH,
    REASON_GUARDRAIL_BREACH,
    REASON_NO_EXPOSURES,
    REASON_INSUFFICIENT_PER_ARM,
    REASON_THRESHOLD_UNAVAILABLE,
    REASON_BLOCKED_UNTRUSTWORTHY,
    REASON_GUARDRAIL_VETOED,
    REASON_POSITIVE_BELOW_THRESHOLD,
    REASON_COMPLETE_NO_EFFECT,
    REASON_SIGNIFICANT_WIN,
    REASON_SIGNIFICANT_LOSS,
    REASON_THRESHOLD_MET,
    REASON_THRESHOLD_UNCERTAIN,
    REASON_BELOW_THRESHOLD_PROVEN,
    REASON_BAYESIAN_WIN,
    REASON_SEQUENTIAL_CROSSED,
    REASON_SEQUENTIAL_NOT_CROSSED,
    REASON_ANYTIME_CONFIRMED,
    REASON_INCONCLUSIVE_CI,
    REASON_BEFORE_PLANNED_READ,
    REASON_INFO_INCOMPLETE,
    REASON_WORTHWHILE_EXCLUDED,
    REASON_TWICE_THE_PLAN,
    REASON_STRATIFIED_CONTRADICTION,
    REASON_STRATUM_SRM,
    REASON_EARLY_EVENTS,
    REASON_MULTIPLE_EXPOSURE,
    REASON_GOAL_PROVEN,
    REASON_GOAL_WORSE,
    REASON_GOALS_UNCERTAIN,
    REASON_GOALS_TOO_SMALL,
    REASON_GOALS_EXCLUDED,
    REASON_GOALS_OPEN,
    REASON_LOOKS_FUTILE,
    REASON_LOOKS_CHANGED,
    REASON_SOURCE_STALE,
    REASON_SOURCE_UNREAD,
    REASON__MAX
};

extern const char *const reason_codes[REASON__MAX];

enum practical {
    PRACTICAL_UNAVAILABLE,
    PRACTICAL_MET,
    PRACTICAL_UNCERTAIN,
    PRACTICAL_PROVEN_BELOW,
    PRACTICAL__MAX
};

extern const char *const practical_names[PRACTICAL__MAX];

/* The smallest relevant effect, in the direction of the goal, in units of the analysis; absent when
 * the design does not give one. */
struct optional_number policy_worthwhile_effect(const struct payload_metrics *design);

/* The interval and p-value that decide, in units of the analysis: those adjusted for the looks that
 * were taken once planned looks have ended the test, else those of all data. */
struct policy_figures {
    double lower, upper, p_value;
};
struct policy_figures policy_figures_of(const struct live_comparison *comparison);

/* `comparison` is the index of the comparison that a reason concerns, `part` the index of the
 * guardrail metric, stratum or goal; -1 = neither. */
struct policy_reason {
    enum reason reason;
    int comparison;
    int part;
};

enum {
    POLICY_REASONS_MAX = 64,
    POLICY_ARMS_MAX = 10,
    /* All that there can be: certificates have each of them. */
    POLICY_BLOCKERS_MAX = 2 + LIVE_STRATA_MAX + POLICY_ARMS_MAX + LIVE_GUARDRAILS_MAX
};

/* From this share of events or users on, the decision lists data problems. */
extern const double policy_anomaly_share;

struct policy_winner {
    int comparison;
    bool practical_known;
    enum practical practical;
};

struct policy_outcome {
    enum verdict verdict;
    enum confidence confidence;
    size_t reason_count;
    struct policy_reason reasons[POLICY_REASONS_MAX];
    size_t blocker_count;
    struct policy_reason blockers[POLICY_BLOCKERS_MAX];
    size_t winner_count;
    struct policy_winner winners[POLICY_ARMS_MAX];
    bool complete; /* the planned sample is reached */
};

/* Adds a reason, as long as there is room. */
void policy_give(struct policy_outcome *outcome, enum reason reason, int comparison, int part);

/* Whether the planned sample is there: the planned read of one look, the last of several. */
bool policy_sample_complete(const struct live_sequential *sequential);

void policy_decide(const struct live_stats *stats, const struct payload_metrics *design,
                   struct policy_outcome *outcome);

#endif
