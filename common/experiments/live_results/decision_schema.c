/* Schemas of the decision. */
#include "experiments/live_results/decision_schema.h"

#define OWNER struct decision_reason
static const struct field reason_fields[] = {
    STRING(OWNER, code),
    JSON_OBJECT(OWNER, params),
    STRING(OWNER, text, .help = "The reason in the reader's language."),
};
#undef OWNER
static SCHEMA(reason_schema, struct decision_reason, "DecisionReason", reason_fields);

#define OWNER struct decision_policy
static const struct field policy_fields[] = {
    STRING(OWNER, version),
    BOOLEAN(OWNER, require_practical_evidence),
    STRING(OWNER, practical_rule),
    STRING(OWNER, mwe_scale),
    NULLABLE_NUMBER(OWNER, minimum_worthwhile_effect, ROUNDED(6),
                    .help = "In the unit of the analysis; percentage points for binary metrics."),
    NULLABLE_NUMBER(OWNER, minimum_worthwhile_effect_relative_pct),
    STRING(OWNER, mwe_source),
    STRING(OWNER, metric_type),
    NULLABLE_NUMBER(OWNER, baseline_value),
    NULLABLE_NUMBER(OWNER, planned_power),
    STRING(OWNER, direction,
           .help = "increase or decrease. The worthwhile effect is a size in this direction; "
                   "intervals and effects keep their sign."),
    STRING(OWNER, conversion_window, .help = "all or after_exposure."),
    NULLABLE_NUMBER(OWNER, conversion_window_days),
    STRINGS(OWNER, evidence_fields),
};
#undef OWNER
static SCHEMA(policy_schema, struct decision_policy, "DecisionPolicy", policy_fields);

#define OWNER struct decision_practical
static const struct field practical_fields[] = {
    STRING(OWNER, status, .help = "met, uncertain, proven_below or unavailable."),
    NULLABLE_NUMBER(OWNER, mwe, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, ci_lower, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, ci_upper, ROUNDED(6)),
    BOOLEAN(OWNER, sample_complete),
};
#undef OWNER
static SCHEMA(practical_schema, struct decision_practical, "DecisionPractical", practical_fields);

#define OWNER struct decision_arm
static const struct field arm_fields[] = {
    INTEGER(OWNER, arm),
    NULLABLE_NUMBER(OWNER, effect_relative, ROUNDED(2)),
    NUMBER(OWNER, p_value, ROUNDED(6)),
    OBJECT(OWNER, practical, practical_schema, .nullable = true),
};
#undef OWNER
static SCHEMA(decision_arm_schema, struct decision_arm, "DecisionArm", arm_fields);

#define OWNER struct decision_evidence
static const struct field evidence_fields[] = {
    STRING(OWNER, policy_version),
    NULLABLE_NUMBER(OWNER, minimum_worthwhile_effect, ROUNDED(6)),
    STRING(OWNER, mwe_source),
    NULLABLE_NUMBER(OWNER, planned_power),
    BOOLEAN(OWNER, require_practical_evidence),
    OBJECTS(OWNER, winning_arms, decision_arm_schema),
    BOOLEAN(OWNER, power_achieved_not_used),
};
#undef OWNER
static SCHEMA(evidence_schema, struct decision_evidence, "DecisionEvidence", evidence_fields);

#define OWNER struct decision_change
static const struct field change_fields[] = {
    STRING(OWNER, change,
           .help = "effect, error (of the difference) or sample (people in all arms)."),
    STRING(OWNER, verdict, .help = "What the verdict would be."),
    NUMBER(OWNER, from, ROUNDED(6)),
    NUMBER(OWNER, to, ROUNDED(6)),
    STRING(OWNER, unit, .help = "percentage_points, metric_units or people."),
    STRING(OWNER, text),
};
#undef OWNER
static SCHEMA(change_schema, struct decision_change, "DecisionChange", change_fields);

#define OWNER struct decision_margin
static const struct field margin_fields[] = {
    STRING(OWNER, status, .help = "close (less than a standard error of the effect) or clear."),
    NUMBER(OWNER, distance, ROUNDED(6), .help = "By how much the effect would have to differ."),
    STRING(OWNER, unit, .help = "percentage_points or metric_units."),
    STRING(OWNER, verdict, .help = "What the verdict would be then."),
    STRING(OWNER, text),
};
#undef OWNER
static SCHEMA(margin_schema, struct decision_margin, "DecisionMargin", margin_fields);

#define OWNER struct live_decision
static const struct field decision_fields[] = {
    STRING(OWNER, experiment_id),
    STRING(OWNER, verdict, .help = "ship, no_ship or keep_running."),
    STRING(OWNER, confidence, .help = "high, medium or low."),
    STRING(OWNER, headline,
           .help = "The situation, finer than the verdict: not_started, too_early, keep_running, "
                   "promising, ship, gain_not_proven, gain_too_small, no_worthwhile_effect, "
                   "no_effect, no_clear_result, worse, guardrail or untrustworthy."),
    STRING(OWNER, summary, .help = "The verdict in a sentence."),
    OBJECTS(OWNER, reasons, reason_schema),
    OBJECTS(OWNER, blockers, reason_schema),
    OBJECT(OWNER, policy, policy_schema),
    OBJECT(OWNER, evidence, evidence_schema),
    OBJECTS(OWNER, what_would_change, change_schema,
            .help = "The smallest changes, one at a time, that would give another verdict."),
    OBJECT(OWNER, margin, margin_schema, .nullable = true,
           .help = "How far the effect is from another verdict. The confidence says how sure the "
                   "direction of the effect is, this how near the threshold is."),
    OBJECT(OWNER, error_rates, measured_error_rates_schema, .nullable = true,
           .help = "How often the statistics err on these users; null until it was measured."),
    OBJECT(OWNER, adaptive, live_adaptive_schema, .nullable = true, .omit_if_null = true),
    OBJECT(OWNER, livedata, live_source_schema, .nullable = true, .omit_if_null = true),
    OBJECT(OWNER, hybrid, live_hybrid_schema, .nullable = true, .omit_if_null = true,
           .help = "The boundary that decided, what alpha was used up to the end, and the constant "
                   "of the test there."),
    OBJECTS(OWNER, alarms, experiment_alarm_schema, .nullable = true, .omit_if_null = true,
            .help = "Guardrail alarms of the experiment. A raised one stands in the summary, and "
                    "changes no verdict."),
};
#undef OWNER
SCHEMA(live_decision_schema, struct live_decision, "LiveDecision", decision_fields,
       .help = "What to do, by the policy practical_v1.");
