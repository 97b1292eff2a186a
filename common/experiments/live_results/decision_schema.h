/*
 * The schema of a decision: the verdict, its reasons, and the smallest changes that would give
 * another verdict.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_RESULTS_DECISION_SCHEMA_H
#define ASSAY_EXPERIMENTS_LIVE_RESULTS_DECISION_SCHEMA_H

#include "experiments/live_results/adaptive_schema.h"
#include "experiments/live_results/measured_rates.h"
#include "experiments/live_results/source.h"
#include "experiments/sequential/hybrid_block.h"

struct decision_reason {
    const char *code;
    json_t *params;
    const char *text; /* the same in the reader's language */
};

struct decision_policy {
    const char *version;
    bool require_practical_evidence;
    const char *practical_rule;
    const char *mwe_scale;
    struct optional_number minimum_worthwhile_effect;
    struct optional_number minimum_worthwhile_effect_relative_pct;
    const char *mwe_source;
    const char *metric_type;
    struct optional_number baseline_value;
    struct optional_number planned_power;
    const char *direction;
    const char *conversion_window;
    struct optional_number conversion_window_days;
    struct string_list evidence_fields;
};

struct decision_practical {
    const char *status;
    struct optional_number mwe;
    struct optional_number ci_lower;
    struct optional_number ci_upper;
    bool sample_complete;
};

struct decision_arm {
    int64_t arm;
    struct optional_number effect_relative; /* absent when it exceeds the largest number */
    double p_value;
    const struct decision_practical *practical;
};

struct decision_evidence {
    const char *policy_version;
    struct optional_number minimum_worthwhile_effect;
    const char *mwe_source;
    struct optional_number planned_power;
    bool require_practical_evidence;
    OBJECT_LIST(struct decision_arm, winning_arms);
    bool power_achieved_not_used;
};

/* The smallest change of one quantity, with all others unchanged, that gives another verdict. */
struct decision_change {
    const char *change; /* effect, error, sample */
    const char *verdict;
    double from;
    double to;
    const char *unit;
    const char *text;
};

/* How far the result is from another recommendation: the smaller of the changes of the effect. */
struct decision_margin {
    const char *status; /* close = less than a standard error, or clear */
    double distance;
    const char *unit;
    const char *verdict;
    const char *text;
};

struct live_decision {
    const char *experiment_id;
    const char *verdict;
    const char *confidence;
    const char *headline;
    const char *summary;
    OBJECT_LIST(struct decision_reason, reasons);
    OBJECT_LIST(struct decision_reason, blockers);
    const struct decision_policy *policy;
    const struct decision_evidence *evidence;
    OBJECT_LIST(struct decision_change, what_would_change);
    const struct decision_margin *margin; /* NULL while the test runs, and where no change of the
                                             effect gives another verdict */
    const struct measured_error_rates *error_rates; /* NULL = not measured; set by the caller */
    const struct live_adaptive *adaptive;
    const struct live_source_block *livedata; /* NULL = its events are sent by clients */
    const struct live_hybrid *hybrid;         /* NULL = it is not read by a hybrid test */
    OBJECT_LIST(struct alarm, alarms);        /* guardrail alarms */
};

SCHEMA_OF(live_decision_schema, struct live_decision);

#endif
