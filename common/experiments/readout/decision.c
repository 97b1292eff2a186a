/* Words and parameters for what the policy has decided. */
#include "experiments/readout/decision.h"

#include "base/number.h"
#include "experiments/readout/policy.h"
#include "experiments/readout/what_if.h"

#include <string.h>

enum { PARAMS_BYTES_MAX = 4096 };

static const char policy_version[] = "practical_v1";

static const char *evidence_fields[] = {"analysis.is_significant",
                                        "analysis.observed_effect",
                                        "analysis.ci_lower",
                                        "analysis.ci_upper",
                                        "probability_treatment_beats_control",
                                        "sequential_significant",
                                        "always_valid.is_significant"};

/* Parameters of a reason, in the order in which they are told. */
enum parameter {
    PARAMETER_END,
    PARAMETER_ARM,
    PARAMETER_EFFECT_RELATIVE,
    PARAMETER_P_VALUE,
    PARAMETER_MWE,
    PARAMETER_CI_LOWER,
    PARAMETER_CI_UPPER,
    PARAMETER_PROBABILITY,
    PARAMETER_INFORMATION_FRACTION,
    PARAMETER_METRIC,
    PARAMETER_SRM_P_VALUE,
    PARAMETER__MAX
};

static const char *const parameter_names[PARAMETER__MAX] = {
    NULL,       "arm",         "effect_relative",      "p_value", "mwe",    "ci_lower",
    "ci_upper", "probability", "information_fraction", "metric",  "p_value"};

static const enum parameter parameters_of[REASON__MAX][6] = {
    [REASON_SRM_MISMATCH] = {PARAMETER_SRM_P_VALUE},
    [REASON_GUARDRAIL_BREACH] = {PARAMETER_METRIC},
    [REASON_SIGNIFICANT_WIN] = {PARAMETER_ARM, PARAMETER_EFFECT_RELATIVE, PARAMETER_P_VALUE},
    [REASON_SIGNIFICANT_LOSS] = {PARAMETER_ARM, PARAMETER_EFFECT_RELATIVE},
    [REASON_THRESHOLD_MET] = {PARAMETER_ARM, PARAMETER_MWE, PARAMETER_CI_LOWER},
    [REASON_THRESHOLD_UNCERTAIN] = {PARAMETER_ARM, PARAMETER_MWE, PARAMETER_CI_LOWER,
                                    PARAMETER_CI_UPPER},
    [REASON_BELOW_THRESHOLD_PROVEN] = {PARAMETER_ARM, PARAMETER_MWE, PARAMETER_CI_UPPER},
    [REASON_BAYESIAN_WIN] = {PARAMETER_ARM, PARAMETER_PROBABILITY},
    [REASON_SEQUENTIAL_CROSSED] = {PARAMETER_ARM},
    [REASON_SEQUENTIAL_NOT_CROSSED] = {PARAMETER_ARM},
    [REASON_ANYTIME_CONFIRMED] = {PARAMETER_ARM},
    [REASON_INCONCLUSIVE_CI] = {PARAMETER_ARM},
    [REASON_BEFORE_PLANNED_READ] = {PARAMETER_ARM, PARAMETER_INFORMATION_FRACTION},
    [REASON_INFO_INCOMPLETE] = {PARAMETER_INFORMATION_FRACTION},
};

static const char *const reason_texts[REASON__MAX] = {
    [REASON_SRM_MISMATCH] = "live.reasons.srm_mismatch",
    [REASON_GUARDRAIL_BREACH] = "live.reasons.guardrail_breach",
    [REASON_NO_EXPOSURES] = "live.reasons.no_exposures",
    [REASON_INSUFFICIENT_PER_ARM] = "live.reasons.insufficient_per_arm",
    [REASON_THRESHOLD_UNAVAILABLE] = "live.reasons.practical_threshold_unavailable",
    [REASON_BLOCKED_UNTRUSTWORTHY] = "live.reasons.blocked_untrustworthy",
    [REASON_GUARDRAIL_VETOED] = "live.reasons.guardrail_vetoed",
    [REASON_POSITIVE_BELOW_THRESHOLD] =
        "live.reasons.statistically_positive_but_below_practical_threshold",
    [REASON_COMPLETE_NO_EFFECT] = "live.reasons.info_fraction_complete_no_effect",
    [REASON_SIGNIFICANT_WIN] = "live.reasons.significant_win",
    [REASON_SIGNIFICANT_LOSS] = "live.reasons.significant_loss",
    [REASON_THRESHOLD_MET] = "live.reasons.practical_threshold_met",
    [REASON_THRESHOLD_UNCERTAIN] = "live.reasons.practical_threshold_uncertain",
    [REASON_BELOW_THRESHOLD_PROVEN] = "live.reasons.below_practical_threshold_proven",
    [REASON_BAYESIAN_WIN] = "live.reasons.bayesian_win",
    [REASON_SEQUENTIAL_CROSSED] = "live.reasons.sequential_crossed",
    [REASON_SEQUENTIAL_NOT_CROSSED] = "live.reasons.sequential_not_crossed",
    [REASON_ANYTIME_CONFIRMED] = "live.reasons.anytime_valid_confirmed",
    [REASON_INCONCLUSIVE_CI] = "live.reasons.inconclusive_ci",
    [REASON_BEFORE_PLANNED_READ] = "live.reasons.fixed_horizon_before_planned_read",
    [REASON_INFO_INCOMPLETE] = "live.reasons.info_fraction_incomplete",
};

static const char *const verdict_texts[VERDICT__MAX] = {
    "live.verdicts.ship", "live.verdicts.no_ship", "live.verdicts.keep_running"};

struct telling {
    const struct readout_call *call;
    const struct live_stats *stats;
    const struct payload_metrics *design;
    int interval_decimals;
};

static void write_parameter(struct json_writer *writer, const struct telling *telling,
                            const struct policy_reason *reason, enum parameter parameter)
{
    const struct live_stats *stats = telling->stats;
    const struct live_comparison *comparison =
        (const struct live_comparison *)stats->comparisons.items +
        (reason->comparison < 0 ? 0 : reason->comparison);
    const struct live_guardrail_metric *metrics = stats->guardrail->metrics.items;

    writer_key(writer, parameter_names[parameter]);
    switch (parameter) {
    case PARAMETER_ARM:
        writer_integer(writer, comparison->treatment_index);
        break;
    case PARAMETER_EFFECT_RELATIVE:
        if (results_relative_effect(&comparison->test).given)
            writer_number(writer, number_round_figure(comparison->test.effect_relative_pct, 2));
        else
            writer_null(writer);
        break;
    case PARAMETER_P_VALUE:
        writer_number(writer, number_round_figure(comparison->test.p_value, 6));
        break;
    case PARAMETER_MWE:
        writer_number(writer, policy_worthwhile_effect(telling->design).value);
        break;
    case PARAMETER_CI_LOWER:
        writer_number(writer,
                      number_round_figure(comparison->test.ci_lower, telling->interval_decimals));
        break;
    case PARAMETER_CI_UPPER:
        writer_number(writer,
                      number_round_figure(comparison->test.ci_upper, telling->interval_decimals));
        break;
    case PARAMETER_PROBABILITY:
        writer_number(
            writer, number_round_figure(comparison->probability_treatment_beats_control.value, 3));
        break;
    case PARAMETER_INFORMATION_FRACTION:
        writer_number(writer,
                      number_round_figure(stats->sequential->information_fraction.value, 4));
        break;
    case PARAMETER_METRIC:
        writer_string(writer, metrics[reason->guardrail].name);
        break;
    default:
        writer_number(writer, number_round_figure(stats->srm->p_value.value, 6));
    }
}

static json_t *params_of(const struct telling *telling, const struct policy_reason *reason)
{
    struct arena *arena = telling->call->arena;
    struct json_writer writer;
    struct json_fault fault;
    struct text text;
    json_t *params;

    text_start(&text, arena, PARAMS_BYTES_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    for (int i = 0; parameters_of[reason->reason][i] != PARAMETER_END; i++)
        write_parameter(&writer, telling, reason, parameters_of[reason->reason][i]);
    writer_close_object(&writer);
    return json_read(arena, text.bytes, text.length, 2, &params, &fault) ? NULL : params;
}

/* The sentence of a reason, its parameters filled in. */
static const char *words_of(const struct telling *telling, const struct policy_reason *reason,
                            json_t *params)
{
    struct arena *arena = telling->call->arena;
    struct text_argument arguments[PARAMETER__MAX];
    size_t count = 0;

    for (void *at = json_object_iter(params); at; at = json_object_iter_next(params, at)) {
        const json_t *value = json_object_iter_value(at);
        char *text = arena_alloc(arena, NUMBER_TEXT_MAX);

        if (json_is_integer(value))
            integer_format(json_integer_value(value), text);
        else if (json_is_real(value))
            number_format(json_real_value(value), text);
        arguments[count++] = (struct text_argument){
            json_object_iter_key(at), json_is_string(value) ? json_string_value(value) : text};
    }
    return locale_format(telling->call->locale, arena, reason_texts[reason->reason], arguments,
                         count);
}

static struct object_list tell(const struct telling *telling, const struct policy_reason *reasons,
                               size_t count)
{
    struct decision_reason *told = ARENA_ARRAY(telling->call->arena, struct decision_reason, count);

    for (size_t i = 0; i < count; i++) {
        told[i].code = reason_codes[reasons[i].reason];
        told[i].params = params_of(telling, &reasons[i]);
        told[i].text = words_of(telling, &reasons[i], told[i].params);
    }
    return (struct object_list){count, told};
}

static const struct decision_policy *policy_of(const struct telling *telling)
{
    struct decision_policy *policy = ARENA_NEW(telling->call->arena, struct decision_policy);
    const struct payload_metrics *design = telling->design;
    struct optional_number mwe = policy_worthwhile_effect(design);

    *policy = (struct decision_policy){
        .version = policy_version,
        .require_practical_evidence = mwe.given,
        .practical_rule = "ci_lower_above",
        .mwe_scale = "absolute_analysis_units",
        .minimum_worthwhile_effect = mwe,
        .minimum_worthwhile_effect_relative_pct = GIVEN_NUMBER(design->mde_pct),
        .mwe_source = mwe.given ? "design_mde_pct" : "unavailable",
        .metric_type = metric_type_names[design->metric_type],
        .baseline_value = GIVEN_NUMBER(design->baseline_value),
        .planned_power = GIVEN_NUMBER(design->power),
        .evidence_fields = {sizeof evidence_fields / sizeof evidence_fields[0], evidence_fields}};
    return policy;
}

static const struct decision_practical *practical_of(const struct telling *telling,
                                                     const struct policy_outcome *outcome,
                                                     const struct policy_winner *winner)
{
    struct decision_practical *practical =
        ARENA_NEW(telling->call->arena, struct decision_practical);
    const struct live_comparison *comparison =
        (const struct live_comparison *)telling->stats->comparisons.items + winner->comparison;

    *practical = (struct decision_practical){
        .status = practical_names[winner->practical],
        .mwe = policy_worthwhile_effect(telling->design),
        .ci_lower = GIVEN_NUMBER(
            number_round_figure(comparison->test.ci_lower, telling->interval_decimals)),
        .ci_upper = GIVEN_NUMBER(
            number_round_figure(comparison->test.ci_upper, telling->interval_decimals)),
        .sample_complete = outcome->complete};
    return practical;
}

static const struct decision_evidence *evidence_of(const struct telling *telling,
                                                   const struct policy_outcome *outcome,
                                                   const struct decision_policy *policy)
{
    struct arena *arena = telling->call->arena;
    struct decision_evidence *evidence = ARENA_NEW(arena, struct decision_evidence);
    struct decision_arm *arms = ARENA_ARRAY(arena, struct decision_arm, outcome->winner_count);
    const struct live_comparison *comparisons = telling->stats->comparisons.items;

    for (size_t i = 0; i < outcome->winner_count; i++) {
        const struct policy_winner *winner = &outcome->winners[i];
        const struct live_comparison *comparison = &comparisons[winner->comparison];

        arms[i] = (struct decision_arm){comparison->treatment_index,
                                        results_relative_effect(&comparison->test),
                                        comparison->test.p_value, NULL};
        if (winner->practical_known)
            arms[i].practical = practical_of(telling, outcome, winner);
    }
    *evidence =
        (struct decision_evidence){.policy_version = policy_version,
                                   .minimum_worthwhile_effect = policy->minimum_worthwhile_effect,
                                   .mwe_source = policy->mwe_source,
                                   .planned_power = policy->planned_power,
                                   .require_practical_evidence = policy->require_practical_evidence,
                                   .winning_arms = {outcome->winner_count, arms},
                                   .power_achieved_not_used = true};
    return evidence;
}

void readout_decision(const struct readout_call *call, const struct live_view *view,
                      struct live_decision *decision)
{
    struct live_stats *stats = ARENA_NEW(call->arena, struct live_stats);
    struct policy_outcome outcome;
    struct telling telling = {.call = call,
                              .stats = stats,
                              .design = view->design->metrics,
                              .interval_decimals =
                                  view->design->metrics->metric_type == METRIC_RATIO ? 6 : 4};

    readout_statistics(call, view, stats);
    policy_decide(stats, telling.design, &outcome);
    *decision = (struct live_decision){
        .experiment_id = view->experiment.id,
        .verdict = verdict_names[outcome.verdict],
        .confidence = confidence_names[outcome.confidence],
        .summary = locale_format(call->locale, call->arena, verdict_texts[outcome.verdict],
                                 NO_TEXT_ARGUMENTS),
        .reasons = tell(&telling, outcome.reasons, outcome.reason_count),
        .blockers = tell(&telling, outcome.blockers, outcome.blocker_count),
        .policy = policy_of(&telling)};
    decision->evidence = evidence_of(&telling, &outcome, decision->policy);
    decision->what_would_change = what_if_changes(call, view, stats, outcome.verdict);
}
