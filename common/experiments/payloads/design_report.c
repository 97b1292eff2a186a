/* One small function per block of the report. Knows no formula and no request. */
#include "experiments/payloads/design_report.h"

#include "base/number.h"
#include "experiments/analyses/report_print.h"
#include "experiments/design/assumptions.h"
#include "experiments/design/rules.h"
#include "report/drawing.h"
#include "text/fold.h"

#include <math.h>
#include <string.h>

/* Digits of the smallest changes, in the answer and in the notes. */
enum { POINT_DECIMALS = 3, POINT_NOTE_DECIMALS = 2, UNIT_DECIMALS = 4 };

/* What every block is written with. */
struct design_context {
    const struct locale *locale;
    struct arena *arena;
    const struct experiment_payload *payload;
    const struct calculation *calculation;
};

static const char *word(const struct design_context *context, const char *key)
{
    return locale_format(context->locale, context->arena, key, NO_TEXT_ARGUMENTS);
}

/* An entry with a placeholder for what people wrote. */
static const char *quote(const struct design_context *context, const char *key, const char *name,
                         const char *value)
{
    return locale_format(context->locale, context->arena, key, TEXT_ARGUMENTS({name, value}));
}

static struct string_list list(const struct design_context *context, const char *const *texts,
                               size_t count)
{
    struct string_list made = {count, ARENA_ARRAY(context->arena, const char *, count)};

    memcpy(made.items, texts, count * sizeof *texts);
    return made;
}

#define LIST(context, ...)                                                                         \
    list((context), (const char *const[]){__VA_ARGS__},                                            \
         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static const char *print_whole(const struct design_context *context, int64_t number)
{
    return print_thousands(context->arena, number);
}

/* English sentences go on after the change with a small letter; other languages leave capitals as
 * they were written. */
static const char *change_in_sentence(const struct design_context *context)
{
    const char *change = context->payload->hypothesis->change_description;

    return locale_language(context->locale) == LANGUAGE_EN ? text_lower(context->arena, change)
                                                           : change;
}

/* The users of a variant, or of each where they differ. */
static const char *lead_users(const struct design_context *context)
{
    const struct calculation_results *results = context->calculation->results;
    const struct calculation_allocation *allocation = results->allocation;
    const struct integer_list *users;
    const char *text;

    if (!calculation_is_off(results))
        return print_whole(context, results->sample_size_per_variant);
    users = allocation->verified_users_per_variant.count ? &allocation->verified_users_per_variant
                                                         : &allocation->users_per_variant;
    text = print_whole(context, users->items[0]);
    for (size_t i = 1; i < users->count && !calculation_is_even(users); i++)
        text = arena_print(context->arena, "%s / %s", text, print_whole(context, users->items[i]));
    return text;
}

static int64_t lead_days(const struct design_context *context)
{
    const struct calculation_results *results = context->calculation->results;

    if (!calculation_is_off(results))
        return results->estimated_duration_days;
    return results->allocation->verified_duration_days.given
               ? results->allocation->verified_duration_days.value
               : results->allocation->estimated_duration_days;
}

/* A sentence without gaps, whatever the design leaves open. */
static bool is_described(const struct design_context *context)
{
    const struct experiment_payload *payload = context->payload;

    return *payload->hypothesis->change_description && *payload->hypothesis->target_audience &&
           *payload->metrics->primary_metric_name;
}

static const char *summarise(const struct design_context *context)
{
    return locale_format(
        context->locale, context->arena,
        is_described(context) ? "report.executive_summary" : "report.executive_summary_short",
        TEXT_ARGUMENTS({"project_name", context->payload->project->project_name},
                       {"change_description", change_in_sentence(context)},
                       {"primary_metric_name", context->payload->metrics->primary_metric_name},
                       {"target_audience", context->payload->hypothesis->target_audience},
                       {"estimated_duration_days", print_whole(context, lead_days(context))},
                       {"sample_size_per_variant", lead_users(context)}));
}

static const struct report_calculations *calculations(const struct design_context *context)
{
    struct report_calculations *block = ARENA_NEW(context->arena, struct report_calculations);
    const struct calculation *calculation = context->calculation;

    *block = (struct report_calculations){
        .verified_power = calculation->results->verified_power,
        .verified_sample_size = calculation->results->verified_sample_size,
        .allocation = calculation->results->allocation,
        .sample_size_per_variant = calculation->results->sample_size_per_variant,
        .total_sample_size = calculation->results->total_sample_size,
        .estimated_duration_days = calculation->results->estimated_duration_days,
        .assumptions = calculation->assumptions,
        .design_effect = calculation->design_effect,
        .clusters_per_variant = calculation->clusters_per_variant};
    if (block->design_effect.given)
        block->design_effect.value = number_round_figure(block->design_effect.value, UNIT_DECIMALS);
    return block;
}

/* A is the control; the others get the change. */
static struct object_list name_variants(const struct design_context *context)
{
    size_t count = (size_t)context->payload->setup->variants_count;
    struct report_variant *variants = ARENA_ARRAY(context->arena, struct report_variant, count);

    for (size_t i = 0; i < count; i++)
        variants[i] = (struct report_variant){
            .name = arena_print(context->arena, "%c", (char)('A' + i)),
            .description = i ? context->payload->hypothesis->change_description
                             : word(context, "report.variant_control_description")};
    return (struct object_list){count, variants};
}

static const struct report_design *describe(const struct design_context *context)
{
    struct report_design *block = ARENA_NEW(context->arena, struct report_design);
    const struct payload_setup *setup = context->payload->setup;

    *block = (struct report_design){
        .variants = name_variants(context),
        .randomization_unit = setup->randomization_unit,
        .traffic_split = setup->traffic_split,
        .target_audience = context->payload->hypothesis->target_audience,
        .inclusion_criteria = setup->inclusion_criteria,
        .exclusion_criteria = setup->exclusion_criteria,
        .recommended_duration_days = lead_days(context),
        .stopping_conditions =
            LIST(context, word(context, "report.stopping_conditions.planned_duration_reached"),
                 word(context, "report.stopping_conditions.critical_instrumentation_failure"))};
    return block;
}

static const struct report_metrics *list_metrics(const struct design_context *context)
{
    struct report_metrics *block = ARENA_NEW(context->arena, struct report_metrics);
    const struct payload_metrics *metrics = context->payload->metrics;
    const struct guardrail_metric *guardrails = metrics->guardrail_metrics.items;
    struct string_list names = {
        metrics->guardrail_metrics.count,
        ARENA_ARRAY(context->arena, const char *, metrics->guardrail_metrics.count)};

    for (size_t i = 0; i < names.count; i++)
        names.items[i] = guardrails[i].name;
    *block = (struct report_metrics){
        .primary = LIST(context, metrics->primary_metric_name),
        .secondary = metrics->secondary_metrics,
        .guardrail = names,
        .diagnostic = LIST(context, word(context, "report.diagnostic_assignment_rate"),
                           word(context, "report.diagnostic_exposure_balance"),
                           quote(context, "report.diagnostic_segment_metric", "primary_metric_name",
                                 metrics->primary_metric_name))};
    return block;
}

static const char *guardrail_note(const struct design_context *context, const char *key,
                                  const char *change)
{
    int64_t n = context->calculation->results->sample_size_per_variant;

    return locale_format(
        context->locale, context->arena, key,
        TEXT_ARGUMENTS(
            {"sample_size_per_variant", assumptions_print_count(context->arena, n)},
            {"detectable_mde", change},
            {"power", arena_print(context->arena, "%g", 100 * context->payload->metrics->power)}));
}

/* The smallest harmful change of a rate that the planned users show, by the plan's own alpha and
 * power. */
static void watch_rate(const struct design_context *context, const struct guardrail_metric *metric,
                       struct report_guardrail *guardrail)
{
    const struct payload_metrics *plan = context->payload->metrics;
    struct optional_number change = sizing_detectable_rate_change(
        metric->baseline_rate.value / 100, metric->direction == GUARDRAIL_DECREASE_IS_BAD,
        plan->alpha, plan->power, (double)context->calculation->results->sample_size_per_variant);

    guardrail->baseline = metric->baseline_rate.value;
    if (!change.given || !isfinite(change.value)) {
        guardrail->note = guardrail_note(context, "report.guardrails.not_detectable_note", "");
        return;
    }
    guardrail->detectable_mde_pp =
        GIVEN_NUMBER(number_round_figure(100 * change.value, POINT_DECIMALS));
    guardrail->note =
        guardrail_note(context, "report.guardrails.binary_note",
                       report_print_fixed(context->arena, POINT_NOTE_DECIMALS, 100 * change.value));
}

static void watch_mean(const struct design_context *context, const struct guardrail_metric *metric,
                       struct report_guardrail *guardrail)
{
    const struct payload_metrics *plan = context->payload->metrics;
    double change = fmax(0, sizing_detectable_mean_change(
                                metric->std_dev.value, plan->alpha, plan->power,
                                (double)context->calculation->results->sample_size_per_variant));

    guardrail->baseline = metric->baseline_mean.value;
    if (!isfinite(change)) {
        guardrail->note = guardrail_note(context, "report.guardrails.not_detectable_note", "");
        return;
    }
    guardrail->detectable_mde_absolute = GIVEN_NUMBER(number_round_figure(change, UNIT_DECIMALS));
    guardrail->note = guardrail_note(context, "report.guardrails.continuous_note",
                                     report_print_fixed(context->arena, UNIT_DECIMALS, change));
}

static struct object_list watch(const struct design_context *context)
{
    const struct object_list *metrics = &context->payload->metrics->guardrail_metrics;
    const struct guardrail_metric *metric = metrics->items;
    struct report_guardrail *guardrails =
        ARENA_ARRAY(context->arena, struct report_guardrail, metrics->count);

    for (size_t i = 0; i < metrics->count; i++) {
        guardrails[i] = (struct report_guardrail){
            .name = metric[i].name, .metric_type = metric_type_names[metric[i].metric_type]};
        if (metric[i].metric_type == METRIC_BINARY)
            watch_rate(context, &metric[i], &guardrails[i]);
        else
            watch_mean(context, &metric[i], &guardrails[i]);
    }
    return (struct object_list){metrics->count, guardrails};
}

static struct string_list statistical_risks(const struct design_context *context)
{
    const struct object_list *warnings = &context->calculation->warnings;
    const struct warning *warning = warnings->items;
    struct string_list messages = {warnings->count,
                                   ARENA_ARRAY(context->arena, const char *, warnings->count)};

    if (warnings->count == 0)
        return LIST(context, word(context, "report.risks.no_major_warnings"));
    for (size_t i = 0; i < messages.count; i++)
        messages.items[i] = warning[i].message;
    return messages;
}

static const char *or_word(const struct design_context *context, const char *written,
                           const char *key)
{
    return *written ? written : word(context, key);
}

static const struct report_risks *name_risks(const struct design_context *context)
{
    struct report_risks *block = ARENA_NEW(context->arena, struct report_risks);
    const struct payload_constraints *constraints = context->payload->constraints;

    *block = (struct report_risks){
        .statistical = statistical_risks(context),
        .product = LIST(context, quote(context, "report.risks.product", "desired_result",
                                       context->payload->hypothesis->desired_result)),
        .technical = LIST(context, or_word(context, constraints->technical_constraints,
                                           "report.risks.no_technical_constraints")),
        .operational = LIST(context, or_word(context, constraints->known_risks,
                                             "report.risks.no_operational_risks"))};
    return block;
}

static const struct report_recommendations *recommend(const struct design_context *context)
{
    struct report_recommendations *block = ARENA_NEW(context->arena, struct report_recommendations);

    *block = (struct report_recommendations){
        .before_launch =
            LIST(context, word(context, "report.recommendations.before_launch_default")),
        .during_test = LIST(context, word(context, "report.recommendations.during_test_monitor"),
                            word(context, "report.recommendations.during_test_avoid_early_stop")),
        .after_test = LIST(context, word(context, "report.recommendations.after_test_interpret"),
                           word(context, "report.recommendations.after_test_segment"))};
    return block;
}

void design_report_compose(const struct calculation_call *call,
                           const struct experiment_payload *payload,
                           const struct calculation *calculation, struct analysis_report *report)
{
    const struct design_context context = {call->locale, call->arena, payload, calculation};

    *report = (struct analysis_report){
        .executive_summary = summarise(&context),
        .calculations = calculations(&context),
        .experiment_design = describe(&context),
        .metrics_plan = list_metrics(&context),
        .guardrail_metrics = watch(&context),
        .risks = name_risks(&context),
        .recommendations = recommend(&context),
        .open_questions = LIST(&context,
                               quote(&context, "report.open_questions.validate", "what_to_validate",
                                     payload->hypothesis->what_to_validate),
                               quote(&context, "report.open_questions.market_stability", "market",
                                     payload->project->market))};
}

enum error design_calculate(const struct calculation_call *call,
                            const struct experiment_payload *payload,
                            struct calculation *calculation)
{
    struct sizing_request design;

    if (payload->metrics->metric_type == METRIC_RATIO && !payload->metrics->std_dev.given)
        return problem_set(call->problem, ERROR_INVALID, "ratio_std_dev_required", "%s",
                           locale_format(call->locale, call->arena, "errors.ratio_std_dev_required",
                                         NO_TEXT_ARGUMENTS));
    payload_to_sizing(payload, &design);
    return calculation_run(call, &design, calculation);
}
