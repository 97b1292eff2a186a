/* A project as a report document: the design, its size, its sensitivity, its risks. */
#include "experiments/design/rules.h"
#include "experiments/reports/reports.h"

#include <math.h>
#include <string.h>

enum { HEAT_POWERS = 4, CURVE_POINTS = 25, CURVE_PERCENT = 100 };

static const double heat_powers[HEAT_POWERS] = {0.7, 0.8, 0.9, 0.95};

static const char *percent(const struct report_context *context, double value)
{
    return arena_print(context->arena, "%.4g%%", value);
}

static const char *or_dash(const char *text)
{
    return text && *text ? text : "-";
}

static const char *integer_or_dash(const struct report_context *context,
                                   struct optional_integer value)
{
    return value.given ? print_thousands(context->arena, value.value) : "-";
}

const struct drawing *report_power_curve(const struct report_context *context,
                                         const struct project_snapshot *snapshot)
{
    const struct calculation_summary *summary =
        snapshot->run.analysis->calculations->calculation_summary;
    struct power_point points[CURVE_POINTS];
    double *x = ARENA_ARRAY(context->arena, double, CURVE_POINTS);
    double *y = ARENA_ARRAY(context->arena, double, CURVE_POINTS);
    struct sizing_request design;
    struct sizing_plan plan;
    struct problem problem;
    size_t count;

    payload_to_sizing(snapshot->payload, &design);
    design.mde_pct = summary->mde_pct;
    design.alpha = summary->alpha;
    design.power = summary->power;
    design.planned_test = -1;
    if (sizing_plan_design(&design, &plan, &problem))
        return NULL;
    count = sizing_power_curve(&design, &plan, points, CURVE_POINTS);
    for (size_t i = 0; i < count; i++) {
        x[i] = (double)points[i].sample_size_per_variant;
        y[i] = points[i].power;
    }
    if (count < 2)
        return NULL;
    return chart_curve(&(struct curve){.title = report_label(context, "export.power_curve"),
                                       .x_label = report_label(context, "export.users_per_variant"),
                                       .y_label = report_label(context, "export.power"),
                                       .x = x,
                                       .y = y,
                                       .count = count,
                                       .marked_x = (double)plan.sample_size_per_variant},
                       context->arena);
}

const struct drawing *report_heat(const struct report_context *context,
                                  const struct project_snapshot *snapshot)
{
    const struct calculation_summary *summary =
        snapshot->run.analysis->calculations->calculation_summary;
    double effects[REPORT_EFFECTS_MAX];
    size_t count = report_effects(summary->mde_pct, effects);
    struct heat_cell *cells =
        ARENA_ARRAY(context->arena, struct heat_cell, count * HEAT_POWERS + 1);
    struct string_list rows = {count, ARENA_ARRAY(context->arena, const char *, count + 1)};
    struct string_list columns = {HEAT_POWERS,
                                  ARENA_ARRAY(context->arena, const char *, HEAT_POWERS)};

    if (!count)
        return NULL;
    for (size_t i = 0; i < count * HEAT_POWERS; i++) {
        double effect = effects[i / HEAT_POWERS], power = heat_powers[i % HEAT_POWERS];
        struct report_size size = report_size_of(snapshot, effect, power);

        cells[i] = (struct heat_cell){.given = size.users.given,
                                      .size = size.users.value,
                                      .days = (double)size.days.value,
                                      .days_text = report_days(context, (double)size.days.value),
                                      .current = fabs(effect - fabs(summary->mde_pct)) < 0.005 &&
                                                 fabs(power - summary->power) < 1e-9};
    }
    for (size_t i = 0; i < count; i++)
        rows.items[i] = percent(context, effects[i]);
    for (size_t j = 0; j < HEAT_POWERS; j++)
        columns.items[j] = percent(context, CURVE_PERCENT * heat_powers[j]);
    return chart_heat(&(struct heat){.title = report_label(context, "export.sensitivity_analysis"),
                                     .corner = report_label(context, "export.effect_and_power"),
                                     .missing = report_label(context, "export.not_available"),
                                     .rows = rows,
                                     .columns = columns,
                                     .cells = cells},
                      context->arena);
}

static void head(const struct report_context *context, struct report_document *document,
                 const char *const *keys, size_t count)
{
    document_begin(document, BLOCK_TABLE, count);
    for (size_t i = 0; i < count; i++)
        document_add(document, report_label(context, keys[i]));
}

/* The plan as the pages show it; documents of older versions have the formula's alone. */
static int64_t users_of(const struct calculation *kept, size_t variant)
{
    return kept->plan && variant < kept->plan->users_per_variant.count
               ? kept->plan->users_per_variant.items[variant]
               : kept->results->sample_size_per_variant;
}

static int64_t days_of(const struct calculation *kept)
{
    return kept->plan ? kept->plan->estimated_duration_days
                      : kept->results->estimated_duration_days;
}

/* "17,412", or "9,000 / 1,000" of uneven arms. */
static const char *users_text(const struct report_context *context, const struct calculation *kept)
{
    const char *text = print_thousands(context->arena, users_of(kept, 0));

    if (!kept->plan || calculation_is_even(&kept->plan->users_per_variant))
        return text;
    for (size_t i = 1; i < kept->plan->users_per_variant.count; i++)
        text = arena_print(context->arena, "%s / %s", text,
                           print_thousands(context->arena, users_of(kept, i)));
    return text;
}

static void add_summary(const struct report_context *context,
                        const struct project_snapshot *snapshot, struct report_document *document)
{
    static const char *const keys[] = {"export.variant", "export.traffic_split_pct"};
    const struct experiment_payload *payload = snapshot->payload;
    const struct analysis_payload *analysis = snapshot->run.analysis;
    const struct calculation_results *results = analysis->calculations->results;
    const struct calculation_plan *plan = analysis->calculations->plan;
    const struct report_design *design = analysis->report->experiment_design;
    const struct report_variant *variants = design->variants.items;
    const struct {
        const char *key;
        const char *value;
    } facts[] = {
        {"export.project_name", or_dash(snapshot->project.project_name)},
        {"export.hypothesis", or_dash(payload->hypothesis->hypothesis_statement)},
        {"export.created_at", report_moment(context->arena, snapshot->project.created_at)},
        {"export.metric_type",
         report_metric_type(context, analysis->calculations->calculation_summary->metric_type)},
        {"export.primary_metric", or_dash(payload->metrics->primary_metric_name)},
        {"export.mde",
         report_percent(context, analysis->calculations->calculation_summary->mde_pct)},
        {"export.goal", report_label(context, payload->metrics->direction == GOAL_DECREASE
                                                  ? "export.goal_decrease"
                                                  : "export.goal_increase")},
        {"export.test_type", report_label(context, "export.two_tailed")},
    };

    document_heading(document, 1, report_label(context, "export.experiment_summary"));
    document_begin(document, BLOCK_CARDS, 2);
    document_fact(document, report_label(context, "export.users_per_variant"),
                  users_text(context, analysis->calculations));
    document_fact(document, report_label(context, "export.total_sample_size"),
                  print_thousands(context->arena,
                                  plan ? plan->total_sample_size : results->total_sample_size));
    document_fact(document, report_label(context, "export.days"),
                  print_thousands(context->arena, days_of(analysis->calculations)));
    document_begin(document, BLOCK_FACTS, 2);
    for (size_t i = 0; i < COUNT_OF(facts); i++)
        document_fact(document, report_label(context, facts[i].key), facts[i].value);
    head(context, document, keys, COUNT_OF(keys));
    for (size_t i = 0; i < design->variants.count; i++) {
        document_add(document, report_variant_name(context, &variants[i], i));
        document_add(document, i < design->traffic_split.count
                                   ? report_number(context, design->traffic_split.items[i])
                                   : "-");
    }
    document_heading(document, 2, report_label(context, "export.executive_summary"));
    document_text(document, analysis->report->executive_summary);
}

static void add_sizes(const struct report_context *context, const struct project_snapshot *snapshot,
                      struct report_document *document)
{
    static const char *const keys[] = {"export.variant", "export.required_n",
                                       "export.daily_traffic", "export.duration_days"};
    const struct calculation *kept = snapshot->run.analysis->calculations;
    const struct report_design *design = snapshot->run.analysis->report->experiment_design;
    const struct report_variant *variants = design->variants.items;

    document_page(document);
    document_heading(document, 1, report_label(context, "export.sample_size_results"));
    head(context, document, keys, COUNT_OF(keys));
    for (size_t i = 0; i < design->variants.count; i++) {
        document_add(document, report_variant_name(context, &variants[i], i));
        document_add(document, print_thousands(context->arena, users_of(kept, i)));
        document_add(document, report_number(context, kept->results->effective_daily_traffic));
        document_add(document, print_thousands(context->arena, days_of(kept)));
    }
    document_begin(document, BLOCK_FACTS, 2);
    document_fact(document, report_label(context, "export.alpha"),
                  report_percent(context, CURVE_PERCENT * kept->calculation_summary->alpha));
    document_fact(document, report_label(context, "export.power"),
                  report_percent(context, CURVE_PERCENT * kept->calculation_summary->power));
    document_fact(document, report_label(context, "export.mde"),
                  report_percent(context, kept->calculation_summary->mde_pct));
    report_list(context, document, 2, "export.assumptions", &kept->assumptions);
}

static void add_guardrails(const struct report_context *context, const struct object_list *list,
                           struct report_document *document)
{
    static const char *const keys[] = {"export.guardrail", "export.detectable_mde", "export.status",
                                       "export.note"};
    const struct report_guardrail *guardrails = list->items;

    document_heading(document, 2, report_label(context, "export.guardrail_metrics"));
    if (!list->count)
        document_text(document, document->none);
    else
        head(context, document, keys, COUNT_OF(keys));
    for (size_t i = 0; i < list->count; i++) {
        struct optional_number mde = guardrails[i].detectable_mde_pp.given
                                         ? guardrails[i].detectable_mde_pp
                                         : guardrails[i].detectable_mde_absolute;
        bool tracked = guardrails[i].note && *guardrails[i].note;

        document_add(document, guardrails[i].name);
        document_add(document, mde.given ? report_probability(context, mde.value) : "-");
        document_add(document,
                     report_label(context, tracked ? "export.tracked" : "export.pending"));
        document_add(document, or_dash(guardrails[i].note));
    }
}

static void add_curve(const struct report_context *context, const struct project_snapshot *snapshot,
                      struct report_document *document)
{
    static const char *const keys[] = {"export.power", "export.required_n", "export.duration_days"};
    const struct drawing *curve = report_power_curve(context, snapshot);
    const struct drawing *heat = report_heat(context, snapshot);
    double mde = snapshot->run.analysis->calculations->calculation_summary->mde_pct;

    document_page(document);
    document_heading(document, 1, report_label(context, "export.power_curve"));
    if (curve)
        document_chart(document, curve);
    head(context, document, keys, COUNT_OF(keys));
    for (size_t i = 0; i < HEAT_POWERS; i++) {
        struct report_size size = report_size_of(snapshot, mde, heat_powers[i]);

        document_add(document, percent(context, CURVE_PERCENT * heat_powers[i]));
        document_add(document, integer_or_dash(context, size.users));
        document_add(document, integer_or_dash(context, size.days));
    }
    if (heat) {
        document_heading(document, 1, report_label(context, "export.sensitivity_analysis"));
        document_chart(document, heat);
    }
}

/* In percentage points where the metric is a rate. */
static bool is_rate(const struct results_reply *results)
{
    return results->metric_type && strcmp(results->metric_type, "binary") == 0;
}

static const char *rate_or_dash(const struct report_context *context, struct optional_number value)
{
    return value.given ? report_percent(context, value.value) : "-";
}

void report_results(const struct report_context *context, const struct results_reply *results,
                    struct report_document *document)
{
    const struct results_lift *lift = results->relative_lift;
    struct interval intervals[2] = {{report_label(context, "export.effect"), results->ci_lower,
                                     results->observed_effect, results->ci_upper}};
    double size = fmax(fabs(results->ci_lower), fabs(results->ci_upper));

    document_heading(document, 1, report_label(context, "export.observed_results"));
    document_begin(document, BLOCK_CARDS, 2);
    document_fact(document, report_label(context, "export.effect"),
                  report_difference(context, is_rate(results), size, results->observed_effect));
    document_fact(document, report_label(context, "export.relative_effect"),
                  report_relative(context, results->observed_effect_relative));
    document_fact(document, report_label(context, "export.p_value"),
                  report_p_value(context, results->p_value));
    document_fact(document, report_label(context, "export.achieved_power"),
                  report_percent(context, CURVE_PERCENT * results->power_achieved));
    document_begin(document, BLOCK_FACTS, 2);
    document_fact(document, report_label(context, "export.metric_type"),
                  report_metric_type(context, results->metric_type));
    document_fact(document, report_label(context, "export.control_rate"),
                  rate_or_dash(context, results->control_rate));
    document_fact(document, report_label(context, "export.treatment_rate"),
                  rate_or_dash(context, results->treatment_rate));
    document_fact(document, report_label(context, "export.confidence_interval"),
                  report_range(context, is_rate(results), results->ci_lower, results->ci_upper));
    document_fact(document, report_label(context, "export.verdict"), or_dash(results->verdict));
    document_fact(document, report_label(context, "export.interpretation"),
                  or_dash(results->interpretation));
    document_chart(document, chart_intervals(report_label(context, "export.confidence_interval"),
                                             intervals, 1, context->arena));
    if (lift && lift->value_pct.given && lift->ci_lower_pct.given && lift->ci_upper_pct.given) {
        const char *title = report_label(context, "export.relative_effect_pct");

        intervals[0] = (struct interval){"%", lift->ci_lower_pct.value, lift->value_pct.value,
                                         lift->ci_upper_pct.value};
        document_chart(document, chart_intervals(title, intervals, 1, context->arena));
    }
}

/* The severity in the reader's words; others unchanged. */
static const char *severity_text(const struct report_context *context, const char *severity)
{
    static const struct {
        const char *name, *key;
    } words[] = {{"high", "export.severity_high"},
                 {"medium", "export.severity_medium"},
                 {"low", "export.severity_low"}};

    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (strcmp(words[i].name, severity) == 0)
            return report_label(context, words[i].key);
    return severity;
}

static void add_warnings(const struct report_context *context, const struct object_list *list,
                         struct report_document *document)
{
    const struct warning *warnings = list->items;

    document_heading(document, 2, report_label(context, "export.warnings"));
    for (size_t i = 0; i < list->count; i++)
        document_notice(document, warnings[i].severity,
                        arena_print(context->arena, "%s: %s",
                                    severity_text(context, warnings[i].severity),
                                    warnings[i].message));
    if (!list->count)
        document_text(document, report_label(context, "export.no_warnings"));
}

static void add_advice(const struct report_context *context, const struct advice_text *advice,
                       struct report_document *document)
{
    const struct {
        const char *key;
        const struct string_list *texts;
    } rows[] = {
        {"export.key_risks", &advice->key_risks},
        {"export.design_improvements", &advice->design_improvements},
        {"export.metric_recommendations", &advice->metric_recommendations},
        {"export.interpretation_pitfalls", &advice->interpretation_pitfalls},
        {"export.additional_checks", &advice->additional_checks},
    };

    document_heading(document, 1, report_label(context, "export.advice"));
    if (advice->brief_assessment && *advice->brief_assessment) {
        document_heading(document, 2, report_label(context, "export.brief_assessment"));
        document_text(document, advice->brief_assessment);
    }
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (rows[i].texts->count)
            report_list(context, document, 2, rows[i].key, rows[i].texts);
}

/* What made a revision; unknown sources unchanged. */
static const char *source_text(const struct report_context *context, const char *source)
{
    static const struct {
        const char *name, *key;
    } words[] = {{"create", "export.source_create"},
                 {"update", "export.source_update"},
                 {"workspace_import", "export.source_workspace_import"}};

    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (strcmp(words[i].name, source) == 0)
            return report_label(context, words[i].key);
    return source;
}

static void add_history(const struct report_context *context, const struct object_list *revisions,
                        struct report_document *document)
{
    static const char *const keys[] = {"export.moment", "export.source", "export.project_name"};
    const struct revision *items = revisions->items;

    document_heading(document, 1, report_label(context, "export.revision_history"));
    head(context, document, keys, COUNT_OF(keys));
    for (size_t i = 0; i < revisions->count; i++) {
        document_add(document, report_moment(context->arena, items[i].created_at));
        document_add(document, source_text(context, items[i].source));
        document_add(document, or_dash(items[i].payload->project->project_name));
    }
}

void report_of_project(const struct report_context *context,
                       const struct project_snapshot *snapshot, const struct object_list *revisions,
                       struct report_document *document)
{
    const struct analysis_payload *analysis = snapshot->run.analysis;
    const struct report_recommendations *said = analysis->report->recommendations;
    const struct observed_results *observed =
        snapshot->payload->additional_context->observed_results;

    report_start(context, document, snapshot->project.project_name);
    document->subtitle = report_label(context, "export.report_title");
    add_summary(context, snapshot, document);
    add_sizes(context, snapshot, document);
    add_guardrails(context, &analysis->report->guardrail_metrics, document);
    add_curve(context, snapshot, document);
    if (observed && observed->analysis) {
        document_page(document);
        report_results(context, observed->analysis, document);
    }
    document_page(document);
    document_heading(document, 1, report_label(context, "export.warnings_and_recommendations"));
    add_warnings(context, &analysis->calculations->warnings, document);
    report_list(context, document, 2, "export.before_launch", &said->before_launch);
    report_list(context, document, 2, "export.during_test", &said->during_test);
    report_list(context, document, 2, "export.after_test", &said->after_test);
    if (analysis->advice->advice)
        add_advice(context, analysis->advice->advice, document);
    add_history(context, revisions, document);
}
