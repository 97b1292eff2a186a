/* Texts and parameters of the policy's decision. */
#include "experiments/live_results/decision.h"

#include "base/number.h"
#include "experiments/analyses/report_print.h"
#include "experiments/live_results/decision_flip.h"
#include "experiments/live_results/headline.h"
#include "experiments/live_results/live_results_internal.h"
#include "experiments/live_results/policy.h"

#include <math.h>
#include <string.h>

enum { PARAMS_BYTES_MAX = 4096 };

static const char policy_version[] = "practical_v1", goals_version[] = "practical_goals_v1";
static const double percent = 100, one_percent = 0.01, almost_sure = 0.9995;

static const char *evidence_fields[] = {"analysis.is_significant",
                                        "analysis.observed_effect",
                                        "analysis.ci_lower",
                                        "analysis.ci_upper",
                                        "probability_treatment_beats_control",
                                        "sequential_significant",
                                        "always_valid.is_significant"};

/* Parameters of a reason, in the order in which they are listed. */
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
    PARAMETER_STRATUM,
    PARAMETER_STRATUM_P_VALUE,
    PARAMETER_POOLED_EFFECT,
    PARAMETER_STRATIFIED_EFFECT,
    PARAMETER_EVENTS,
    PARAMETER_EVENTS_TOTAL,
    PARAMETER_WINDOW,
    PARAMETER_USERS,
    PARAMETER_SHARE_PCT,
    PARAMETER_GOAL,
    PARAMETER_GOAL_P_VALUE,
    PARAMETER_SOURCE,
    PARAMETER__MAX
};

static const char *const parameter_names[PARAMETER__MAX] = {
    NULL,       "arm",           "effect_relative",
    "p_value",  "mwe",           "ci_lower",
    "ci_upper", "probability",   "information_fraction",
    "metric",   "p_value",       "stratum",
    "p_value",  "pooled_effect", "stratified_effect",
    "events",   "events_total",  "conversion_window",
    "users",    "share_pct",     "metric",
    "p_value",  "source"};

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
    [REASON_WORTHWHILE_EXCLUDED] = {PARAMETER_ARM, PARAMETER_MWE, PARAMETER_CI_UPPER},
    [REASON_STRATIFIED_CONTRADICTION] = {PARAMETER_ARM, PARAMETER_POOLED_EFFECT,
                                         PARAMETER_STRATIFIED_EFFECT},
    [REASON_STRATUM_SRM] = {PARAMETER_STRATUM, PARAMETER_STRATUM_P_VALUE},
    [REASON_EARLY_EVENTS] = {PARAMETER_EVENTS, PARAMETER_EVENTS_TOTAL, PARAMETER_WINDOW},
    [REASON_MULTIPLE_EXPOSURE] = {PARAMETER_USERS, PARAMETER_SHARE_PCT},
    [REASON_GOAL_PROVEN] = {PARAMETER_ARM, PARAMETER_GOAL, PARAMETER_GOAL_P_VALUE},
    [REASON_GOAL_WORSE] = {PARAMETER_ARM, PARAMETER_GOAL, PARAMETER_GOAL_P_VALUE},
    [REASON_GOALS_UNCERTAIN] = {PARAMETER_ARM},
    [REASON_GOALS_TOO_SMALL] = {PARAMETER_ARM},
    [REASON_GOALS_EXCLUDED] = {PARAMETER_ARM},
    [REASON_GOALS_OPEN] = {PARAMETER_ARM},
    [REASON_LOOKS_FUTILE] = {PARAMETER_ARM},
    [REASON_SOURCE_STALE] = {PARAMETER_SOURCE},
    [REASON_SOURCE_UNREAD] = {PARAMETER_SOURCE},
};

/* Where smaller is better, the other end of an interval is the gain. */
static enum parameter parameter_of(const struct payload_metrics *design, enum reason reason, int i)
{
    enum parameter parameter = parameters_of[reason][i];

    if (design->direction == GOAL_INCREASE || reason == REASON_THRESHOLD_UNCERTAIN)
        return parameter;
    if (parameter == PARAMETER_CI_LOWER)
        return PARAMETER_CI_UPPER;
    return parameter == PARAMETER_CI_UPPER ? PARAMETER_CI_LOWER : parameter;
}

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
    [REASON_WORTHWHILE_EXCLUDED] = "live.reasons.worthwhile_effect_excluded",
    [REASON_TWICE_THE_PLAN] = "live.reasons.inconclusive_at_twice_the_plan",
    [REASON_STRATIFIED_CONTRADICTION] = "live.reasons.stratified_contradiction",
    [REASON_STRATUM_SRM] = "live.reasons.stratum_srm_mismatch",
    [REASON_EARLY_EVENTS] = "live.reasons.events_before_exposure",
    [REASON_MULTIPLE_EXPOSURE] = "live.reasons.multiple_exposure_users",
    [REASON_GOAL_PROVEN] = "live.reasons.goal_proven",
    [REASON_GOAL_WORSE] = "live.reasons.goal_worse",
    [REASON_GOALS_UNCERTAIN] = "live.reasons.goals_threshold_uncertain",
    [REASON_GOALS_TOO_SMALL] = "live.reasons.goals_below_threshold_proven",
    [REASON_GOALS_EXCLUDED] = "live.reasons.goals_worthwhile_effect_excluded",
    [REASON_GOALS_OPEN] = "live.reasons.goals_not_proven",
    [REASON_LOOKS_FUTILE] = "live.reasons.planned_looks_futile",
    [REASON_LOOKS_CHANGED] = "live.reasons.planned_looks_changed",
    [REASON_SOURCE_STALE] = "live.reasons.source_stale",
    [REASON_SOURCE_UNREAD] = "live.reasons.source_never_read",
};

/* Of goals to decrease, where the sentence is another one. */
static const char *const decrease_texts[REASON__MAX] = {
    [REASON_THRESHOLD_MET] = "live.reasons_decrease.practical_threshold_met",
    [REASON_THRESHOLD_UNCERTAIN] = "live.reasons_decrease.practical_threshold_uncertain",
    [REASON_BELOW_THRESHOLD_PROVEN] = "live.reasons_decrease.below_practical_threshold_proven",
    [REASON_WORTHWHILE_EXCLUDED] = "live.reasons_decrease.worthwhile_effect_excluded",
};

/* Of the metric that decides. */
static int decisive_window(const struct payload_metrics *design, struct optional_number *days)
{
    return payload_window(design,
                          design->metric_type == METRIC_RATIO ? design->numerator_metric_name
                                                              : design->primary_metric_name,
                          days);
}

static const char *text_of(const struct payload_metrics *design, enum reason reason)
{
    struct optional_number unused;

    if (design->direction == GOAL_DECREASE && decrease_texts[reason])
        return decrease_texts[reason];
    if (reason == REASON_EARLY_EVENTS && decisive_window(design, &unused) == WINDOW_AFTER_EXPOSURE)
        return "live.reasons.events_before_exposure_left_out";
    return reason_texts[reason];
}

static const char *const verdict_texts[VERDICT__MAX] = {
    "live.verdicts.ship", "live.verdicts.no_ship", "live.verdicts.keep_running"};

struct decision_context {
    const struct live_results_call *call;
    const struct live_stats *stats;
    const struct payload_metrics *design;
    int interval_decimals;
};

static void write_goal(struct json_writer *writer, const struct live_goals *goals,
                       const struct policy_reason *reason, enum parameter parameter)
{
    const struct live_goal *goal = (const struct live_goal *)goals->goals.items + reason->part;
    const struct live_goal_comparison *comparison =
        (const struct live_goal_comparison *)goal->comparisons.items + reason->comparison;

    if (parameter == PARAMETER_GOAL)
        writer_string(writer, goal->name);
    else
        writer_number(writer, number_round_figure(comparison->p_value_adjusted.value, 6));
}

/* What the data show about strata, events and users. */
static void write_anomaly(struct json_writer *writer, const struct decision_context *context,
                          const struct policy_reason *reason, enum parameter parameter)
{
    const struct live_stats *stats = context->stats;
    const struct live_stratum_srm *strata = stats->srm->strata.items;
    const struct live_stratified_comparison *stratified = stats->stratified->comparisons.items;
    double scale = context->design->metric_type == METRIC_BINARY ? 100 : 1;

    switch (parameter) {
    case PARAMETER_STRATUM:
        writer_string(writer, strata[reason->part].stratum);
        break;
    case PARAMETER_STRATUM_P_VALUE:
        writer_number(writer, number_round_figure(strata[reason->part].p_value, 6));
        break;
    case PARAMETER_POOLED_EFFECT:
        writer_number(
            writer, number_round_figure(((const struct live_comparison *)stats->comparisons.items +
                                         reason->comparison)
                                            ->test.effect,
                                        context->interval_decimals));
        break;
    case PARAMETER_STRATIFIED_EFFECT:
        writer_number(writer,
                      number_round_figure(scale * stratified[reason->comparison].effect.value,
                                          context->interval_decimals));
        break;
    case PARAMETER_EVENTS:
        writer_integer(writer, stats->event_timing->out_of_order);
        break;
    case PARAMETER_EVENTS_TOTAL:
        writer_integer(writer, stats->event_timing->total);
        break;
    case PARAMETER_WINDOW:
        writer_string(writer, stats->event_timing->conversion_window);
        break;
    case PARAMETER_USERS:
        writer_integer(writer, stats->population->multiple_exposure_users);
        break;
    default:
        writer_number(writer,
                      number_round_figure(100 * stats->population->multiple_exposure_share, 2));
    }
}

static void write_parameter(struct json_writer *writer, const struct decision_context *context,
                            const struct policy_reason *reason, enum parameter parameter)
{
    const struct live_stats *stats = context->stats;
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
        writer_number(writer, number_round_figure(policy_figures_of(comparison).p_value, 6));
        break;
    case PARAMETER_MWE:
        writer_number(writer, policy_worthwhile_effect(context->design).value);
        break;
    case PARAMETER_CI_LOWER:
        writer_number(writer, number_round_figure(policy_figures_of(comparison).lower,
                                                  context->interval_decimals));
        break;
    case PARAMETER_CI_UPPER:
        writer_number(writer, number_round_figure(policy_figures_of(comparison).upper,
                                                  context->interval_decimals));
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
        writer_string(writer, metrics[reason->part].name);
        break;
    case PARAMETER_SRM_P_VALUE:
        writer_number(writer, number_round_figure(stats->srm->p_value.value, 6));
        break;
    case PARAMETER_SOURCE:
        writer_string(writer, stats->livedata->entity_type);
        break;
    case PARAMETER_GOAL:
    case PARAMETER_GOAL_P_VALUE:
        write_goal(writer, stats->goals, reason, parameter);
        break;
    default:
        write_anomaly(writer, context, reason, parameter);
    }
}

static json_t *params_of(const struct decision_context *context, const struct policy_reason *reason)
{
    struct arena *arena = context->call->arena;
    struct json_writer writer;
    struct json_fault fault;
    struct text text;
    json_t *params;

    text_start(&text, arena, PARAMS_BYTES_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    for (int i = 0; parameters_of[reason->reason][i] != PARAMETER_END; i++)
        write_parameter(&writer, context, reason, parameter_of(context->design, reason->reason, i));
    writer_close_object(&writer);
    return json_read(arena, text.bytes, text.length, 2, &params, &fault) ? NULL : params;
}

static const char *percent_text(struct arena *arena, double share)
{
    if (share >= almost_sure)
        return "> 99.9%";
    return arena_print(arena, share < one_percent ? "%.2g%%" : "%.1f%%", percent * share);
}

/* A parameter as a sentence has it: letters of variants, effects with their unit, percentages. */
static const char *number_text(const struct decision_context *context, enum parameter parameter,
                               const json_t *value)
{
    struct arena *arena = context->call->arena;
    double number = json_number_value(value);
    char *text;

    switch (parameter) {
    case PARAMETER_ARM:
        return live_results_arm_letter(arena, json_integer_value(value));
    case PARAMETER_MWE:
    case PARAMETER_CI_LOWER:
    case PARAMETER_CI_UPPER:
    case PARAMETER_POOLED_EFFECT:
    case PARAMETER_STRATIFIED_EFFECT:
        return live_results_effect_text(context->call, context->design, fabs(number), number);
    case PARAMETER_EFFECT_RELATIVE:
        return report_print_isolated(context->call->locale, arena,
                                     report_print_percent(arena, true, number));
    case PARAMETER_P_VALUE:
    case PARAMETER_SRM_P_VALUE:
    case PARAMETER_STRATUM_P_VALUE:
    case PARAMETER_GOAL_P_VALUE:
        return report_print_isolated(context->call->locale, arena,
                                     report_print_p_relation(arena, number));
    case PARAMETER_PROBABILITY:
    case PARAMETER_INFORMATION_FRACTION:
        return percent_text(arena, number);
    default:
        text = arena_alloc(arena, NUMBER_TEXT_MAX);
        if (json_is_integer(value))
            integer_format(json_integer_value(value), text);
        else
            number_format(number, text);
        return text;
    }
}

/* An unknown number prints as a dash. */
static const char *value_text(const struct decision_context *context, enum parameter parameter,
                              const json_t *value)
{
    if (json_is_string(value))
        return json_string_value(value);
    return json_is_null(value) ? "\xE2\x80\x93" : number_text(context, parameter, value);
}

/* The sentence of a reason, its parameters filled in. */
static const char *reason_text(const struct decision_context *context,
                               const struct policy_reason *reason, json_t *params)
{
    struct text_argument arguments[PARAMETER__MAX];
    size_t count = 0;

    for (int i = 0; parameters_of[reason->reason][i] != PARAMETER_END; i++) {
        enum parameter parameter = parameter_of(context->design, reason->reason, i);
        const char *name = parameter_names[parameter];
        const json_t *value = json_object_get(params, name);

        arguments[count++] = (struct text_argument){name, value_text(context, parameter, value)};
    }
    return locale_format(context->call->locale, context->call->arena,
                         text_of(context->design, reason->reason), arguments, count);
}

static struct object_list list_reasons(const struct decision_context *context,
                                       const struct policy_reason *reasons, size_t count)
{
    struct decision_reason *listed =
        ARENA_ARRAY(context->call->arena, struct decision_reason, count);

    for (size_t i = 0; i < count; i++) {
        listed[i].code = reason_codes[reasons[i].reason];
        listed[i].params = params_of(context, &reasons[i]);
        listed[i].text = reason_text(context, &reasons[i], listed[i].params);
    }
    return (struct object_list){count, listed};
}

static const struct decision_policy *policy_of(const struct decision_context *context)
{
    struct decision_policy *policy = ARENA_NEW(context->call->arena, struct decision_policy);
    const struct payload_metrics *design = context->design;
    struct optional_number mwe = policy_worthwhile_effect(design);

    *policy = (struct decision_policy){
        .version = context->stats->goals ? goals_version : policy_version,
        .require_practical_evidence = mwe.given,
        .practical_rule = design->direction == GOAL_DECREASE ? "ci_upper_below" : "ci_lower_above",
        .mwe_scale = "absolute_analysis_units",
        .minimum_worthwhile_effect = mwe,
        .minimum_worthwhile_effect_relative_pct = GIVEN_NUMBER(design->mde_pct),
        .mwe_source = mwe.given ? "design_mde_pct" : "unavailable",
        .metric_type = metric_type_names[design->metric_type],
        .baseline_value = GIVEN_NUMBER(design->baseline_value),
        .planned_power = GIVEN_NUMBER(design->power),
        .direction = goal_direction_names[design->direction],
        .evidence_fields = {sizeof evidence_fields / sizeof evidence_fields[0], evidence_fields}};
    policy->conversion_window =
        conversion_window_names[decisive_window(design, &policy->conversion_window_days)];
    return policy;
}

static const struct decision_practical *practical_of(const struct decision_context *context,
                                                     const struct policy_outcome *outcome,
                                                     const struct policy_winner *winner)
{
    struct decision_practical *practical =
        ARENA_NEW(context->call->arena, struct decision_practical);
    const struct live_comparison *comparison =
        (const struct live_comparison *)context->stats->comparisons.items + winner->comparison;

    *practical = (struct decision_practical){
        .status = practical_names[winner->practical],
        .mwe = policy_worthwhile_effect(context->design),
        .ci_lower = GIVEN_NUMBER(
            number_round_figure(policy_figures_of(comparison).lower, context->interval_decimals)),
        .ci_upper = GIVEN_NUMBER(
            number_round_figure(policy_figures_of(comparison).upper, context->interval_decimals)),
        .sample_complete = outcome->complete};
    return practical;
}

static double goal_p_value(const struct live_goals *goals, int treatment)
{
    return ((const struct live_goal_treatment *)goals->treatments.items + treatment)
        ->p_value_adjusted;
}

static const struct decision_evidence *evidence_of(const struct decision_context *context,
                                                   const struct policy_outcome *outcome,
                                                   const struct decision_policy *policy)
{
    struct arena *arena = context->call->arena;
    struct decision_evidence *evidence = ARENA_NEW(arena, struct decision_evidence);
    struct decision_arm *arms = ARENA_ARRAY(arena, struct decision_arm, outcome->winner_count);
    const struct live_comparison *comparisons = context->stats->comparisons.items;

    for (size_t i = 0; i < outcome->winner_count; i++) {
        const struct policy_winner *winner = &outcome->winners[i];
        const struct live_comparison *comparison = &comparisons[winner->comparison];

        arms[i] = (struct decision_arm){comparison->treatment_index,
                                        results_relative_effect(&comparison->test),
                                        policy_figures_of(comparison).p_value, NULL};
        if (context->stats->goals)
            arms[i].p_value = goal_p_value(context->stats->goals, winner->comparison);
        if (winner->practical_known)
            arms[i].practical = practical_of(context, outcome, winner);
    }
    *evidence =
        (struct decision_evidence){.policy_version = policy->version,
                                   .minimum_worthwhile_effect = policy->minimum_worthwhile_effect,
                                   .mwe_source = policy->mwe_source,
                                   .planned_power = policy->planned_power,
                                   .require_practical_evidence = policy->require_practical_evidence,
                                   .winning_arms = {outcome->winner_count, arms},
                                   .power_achieved_not_used = true};
    return evidence;
}

/* The verdict in words; an alarm is about all users alike, so it is said beside it. */
static const char *summary_of(const struct live_results_call *call, enum verdict verdict,
                              const struct alarm_list *alarms)
{
    const char *said =
        locale_format(call->locale, call->arena, verdict_texts[verdict], NO_TEXT_ARGUMENTS);
    const char *names = alarm_names(alarms, ALARM_RAISED, call->arena);

    if (!names)
        return said;
    return arena_print(call->arena, "%s %s", said,
                       locale_format(call->locale, call->arena, "live.alarms_raised",
                                     TEXT_ARGUMENTS({"names", names})));
}

void live_results_decision(const struct live_results_call *call, const struct live_view *view,
                           struct live_decision *decision)
{
    struct live_stats *stats = ARENA_NEW(call->arena, struct live_stats);
    struct policy_outcome outcome;
    struct decision_context context = {
        .call = call,
        .stats = stats,
        .design = view->design->metrics,
        .interval_decimals = view->design->metrics->metric_type == METRIC_RATIO ? 6 : 4};

    live_results_statistics(call, view, stats);
    policy_decide(stats, context.design, &outcome);
    *decision = (struct live_decision){
        .experiment_id = view->experiment.id,
        .verdict = verdict_names[outcome.verdict],
        .confidence = confidence_names[outcome.confidence],
        .headline = headline_names[headline_of(&outcome)],
        .summary = summary_of(call, outcome.verdict, &view->alarms),
        .reasons = list_reasons(&context, outcome.reasons, outcome.reason_count),
        .blockers = list_reasons(&context, outcome.blockers, outcome.blocker_count),
        .policy = policy_of(&context)};
    decision->evidence = evidence_of(&context, &outcome, decision->policy);
    decision->adaptive = stats->adaptive;
    decision->livedata = stats->livedata;
    decision->hybrid = stats->sequential->hybrid;
    decision->alarms = (struct object_list){view->alarms.count, view->alarms.items};
    /* Trial changes are of the primary metric only, and of pooled arms; what looks said stays. */
    if (outcome.blocker_count == 0 && !stats->goals && !stats->adaptive &&
        !stats->sequential->looks_status)
        decision->what_would_change =
            decision_flip_changes(call, view, stats, outcome.verdict, &decision->margin);
}
