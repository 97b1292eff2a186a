/* A project as a document of several pages: what it is, what it needs, how that moves, what to
 * mind. */
#include "experiments/design/rules.h"
#include "experiments/reports/reports.h"

#include <math.h>
#include <string.h>

enum { HEAT_POWERS = 4, CURVE_POINTS = 25, CURVE_PERCENT = 100 };

static const double heat_powers[HEAT_POWERS] = {0.7, 0.8, 0.9, 0.95};

static const char *percent(const struct report_desk *desk, double value)
{
    return arena_print(desk->arena, "%.4g%%", value);
}

static const char *or_dash(const char *text)
{
    return text && *text ? text : "-";
}

static const char *integer_or_dash(const struct report_desk *desk, struct optional_integer value)
{
    return value.given ? print_thousands(desk->arena, value.value) : "-";
}

const struct drawing *report_power_curve(const struct report_desk *desk,
                                         const struct project_snapshot *snapshot)
{
    const struct calculation_summary *summary =
        snapshot->run.analysis->calculations->calculation_summary;
    struct power_point points[CURVE_POINTS];
    double *x = ARENA_ARRAY(desk->arena, double, CURVE_POINTS);
    double *y = ARENA_ARRAY(desk->arena, double, CURVE_POINTS);
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
    return chart_curve(&(struct curve){.title = desk_word(desk, "export.power_curve"),
                                       .x_label = desk_word(desk, "export.users_per_variant"),
                                       .y_label = desk_word(desk, "export.power"),
                                       .x = x,
                                       .y = y,
                                       .count = count,
                                       .marked_x = (double)plan.sample_size_per_variant},
                       desk->arena);
}

const struct drawing *report_heat(const struct report_desk *desk,
                                  const struct project_snapshot *snapshot)
{
    const struct calculation_summary *summary =
        snapshot->run.analysis->calculations->calculation_summary;
    double effects[REPORT_EFFECTS_MAX];
    size_t count = report_effects(summary->mde_pct, effects);
    struct heat_cell *cells = ARENA_ARRAY(desk->arena, struct heat_cell, count * HEAT_POWERS + 1);
    struct string_list rows = {count, ARENA_ARRAY(desk->arena, const char *, count + 1)};
    struct string_list columns = {HEAT_POWERS, ARENA_ARRAY(desk->arena, const char *, HEAT_POWERS)};

    if (!count)
        return NULL;
    for (size_t i = 0; i < count * HEAT_POWERS; i++) {
        double effect = effects[i / HEAT_POWERS], power = heat_powers[i % HEAT_POWERS];
        struct report_size size = report_size_of(snapshot, effect, power);

        cells[i] = (struct heat_cell){.given = size.users.given,
                                      .size = size.users.value,
                                      .days = (double)size.days.value,
                                      .days_text = desk_days(desk, (double)size.days.value),
                                      .current = fabs(effect - fabs(summary->mde_pct)) < 0.005 &&
                                                 fabs(power - summary->power) < 1e-9};
    }
    for (size_t i = 0; i < count; i++)
        rows.items[i] = percent(desk, effects[i]);
    for (size_t j = 0; j < HEAT_POWERS; j++)
        columns.items[j] = percent(desk, CURVE_PERCENT * heat_powers[j]);
    return chart_heat(&(struct heat){.title = desk_word(desk, "export.sensitivity_analysis"),
                                     .corner = desk_word(desk, "export.effect_and_power"),
                                     .missing = desk_word(desk, "export.not_available"),
                                     .rows = rows,
                                     .columns = columns,
                                     .cells = cells},
                      desk->arena);
}

static void head(const struct report_desk *desk, struct folio *document, const char *const *keys,
                 size_t count)
{
    folio_begin(document, BLOCK_TABLE, count);
    for (size_t i = 0; i < count; i++)
        folio_add(document, desk_word(desk, keys[i]));
}

static void add_summary(const struct report_desk *desk, const struct project_snapshot *snapshot,
                        struct folio *document)
{
    static const char *const keys[] = {"export.variant", "export.traffic_split_pct"};
    const struct experiment_payload *payload = snapshot->payload;
    const struct analysis_payload *analysis = snapshot->run.analysis;
    const struct calculation_results *results = analysis->calculations->results;
    const struct report_design *design = analysis->report->experiment_design;
    const struct report_variant *variants = design->variants.items;
    const struct {
        const char *key;
        const char *value;
    } facts[] = {
        {"export.project_name", or_dash(snapshot->project.project_name)},
        {"export.hypothesis", or_dash(payload->hypothesis->hypothesis_statement)},
        {"export.created_at", report_moment(desk->arena, snapshot->project.created_at)},
        {"export.metric_type",
         desk_metric_type(desk, analysis->calculations->calculation_summary->metric_type)},
        {"export.primary_metric", or_dash(payload->metrics->primary_metric_name)},
        {"export.mde_pct", desk_figure(desk, analysis->calculations->calculation_summary->mde_pct)},
        {"export.goal",
         desk_word(desk, payload->metrics->direction == GOAL_DECREASE ? "export.goal_decrease"
                                                                      : "export.goal_increase")},
        {"export.test_type", desk_word(desk, "export.two_tailed")},
    };

    folio_heading(document, 1, desk_word(desk, "export.experiment_summary"));
    folio_begin(document, BLOCK_CARDS, 2);
    folio_fact(document, desk_word(desk, "export.users_per_variant"),
               print_thousands(desk->arena, results->sample_size_per_variant));
    folio_fact(document, desk_word(desk, "export.total_sample_size"),
               print_thousands(desk->arena, results->total_sample_size));
    folio_fact(document, desk_word(desk, "export.days"),
               print_thousands(desk->arena, results->estimated_duration_days));
    folio_begin(document, BLOCK_FACTS, 2);
    for (size_t i = 0; i < COUNT_OF(facts); i++)
        folio_fact(document, desk_word(desk, facts[i].key), facts[i].value);
    head(desk, document, keys, COUNT_OF(keys));
    for (size_t i = 0; i < design->variants.count; i++) {
        folio_add(document, report_variant_name(desk, &variants[i], i));
        folio_add(document, i < design->traffic_split.count
                                ? desk_figure(desk, design->traffic_split.items[i])
                                : "-");
    }
    folio_heading(document, 2, desk_word(desk, "export.executive_summary"));
    folio_text(document, analysis->report->executive_summary);
}

static void add_sizes(const struct report_desk *desk, const struct project_snapshot *snapshot,
                      struct folio *document)
{
    static const char *const keys[] = {"export.variant", "export.required_n",
                                       "export.daily_traffic", "export.duration_days"};
    const struct calculation *kept = snapshot->run.analysis->calculations;
    const struct report_design *design = snapshot->run.analysis->report->experiment_design;
    const struct report_variant *variants = design->variants.items;

    folio_page(document);
    folio_heading(document, 1, desk_word(desk, "export.sample_size_results"));
    head(desk, document, keys, COUNT_OF(keys));
    for (size_t i = 0; i < design->variants.count; i++) {
        folio_add(document, report_variant_name(desk, &variants[i], i));
        folio_add(document, print_thousands(desk->arena, kept->results->sample_size_per_variant));
        folio_add(document, desk_figure(desk, kept->results->effective_daily_traffic));
        folio_add(document, print_thousands(desk->arena, kept->results->estimated_duration_days));
    }
    folio_begin(document, BLOCK_FACTS, 2);
    folio_fact(document, desk_word(desk, "export.alpha"),
               desk_small(desk, kept->calculation_summary->alpha));
    folio_fact(document, desk_word(desk, "export.power"),
               desk_small(desk, kept->calculation_summary->power));
    folio_fact(document, desk_word(desk, "export.mde_pct"),
               desk_figure(desk, kept->calculation_summary->mde_pct));
    desk_list(desk, document, 2, "export.assumptions", &kept->assumptions);
}

static void add_guardrails(const struct report_desk *desk, const struct object_list *list,
                           struct folio *document)
{
    static const char *const keys[] = {"export.guardrail", "export.detectable_mde", "export.status",
                                       "export.note"};
    const struct report_guardrail *guardrails = list->items;

    folio_heading(document, 2, desk_word(desk, "export.guardrail_metrics"));
    if (!list->count)
        folio_text(document, document->none);
    else
        head(desk, document, keys, COUNT_OF(keys));
    for (size_t i = 0; i < list->count; i++) {
        struct optional_number mde = guardrails[i].detectable_mde_pp.given
                                         ? guardrails[i].detectable_mde_pp
                                         : guardrails[i].detectable_mde_absolute;
        bool tracked = guardrails[i].note && *guardrails[i].note;

        folio_add(document, guardrails[i].name);
        folio_add(document, mde.given ? desk_small(desk, mde.value) : "-");
        folio_add(document, desk_word(desk, tracked ? "export.tracked" : "export.pending"));
        folio_add(document, or_dash(guardrails[i].note));
    }
}

static void add_curve(const struct report_desk *desk, const struct project_snapshot *snapshot,
                      struct folio *document)
{
    static const char *const keys[] = {"export.power", "export.required_n", "export.duration_days"};
    const struct drawing *curve = report_power_curve(desk, snapshot);
    const struct drawing *heat = report_heat(desk, snapshot);
    double mde = snapshot->run.analysis->calculations->calculation_summary->mde_pct;

    folio_page(document);
    folio_heading(document, 1, desk_word(desk, "export.power_curve"));
    if (curve)
        folio_chart(document, curve);
    head(desk, document, keys, COUNT_OF(keys));
    for (size_t i = 0; i < HEAT_POWERS; i++) {
        struct report_size size = report_size_of(snapshot, mde, heat_powers[i]);

        folio_add(document, percent(desk, CURVE_PERCENT * heat_powers[i]));
        folio_add(document, integer_or_dash(desk, size.users));
        folio_add(document, integer_or_dash(desk, size.days));
    }
    if (heat) {
        folio_heading(document, 1, desk_word(desk, "export.sensitivity_analysis"));
        folio_chart(document, heat);
    }
}

static const char *rounded(const struct report_desk *desk, struct optional_number value)
{
    return value.given ? desk_small(desk, value.value) : "-";
}

void report_results(const struct report_desk *desk, const struct results_reply *results,
                    struct folio *document)
{
    const struct results_lift *lift = results->relative_lift;
    struct interval intervals[2] = {{desk_word(desk, "export.effect"), results->ci_lower,
                                     results->observed_effect, results->ci_upper}};
    const char *interval =
        arena_print(desk->arena, "%s \xE2\x80\xA6 %s", desk_small(desk, results->ci_lower),
                    desk_small(desk, results->ci_upper));

    folio_heading(document, 1, desk_word(desk, "export.observed_results"));
    folio_begin(document, BLOCK_CARDS, 2);
    folio_fact(document, desk_word(desk, "export.effect"),
               desk_small(desk, results->observed_effect));
    folio_fact(document, desk_word(desk, "export.relative_effect_pct"),
               rounded(desk, results->observed_effect_relative));
    folio_fact(document, desk_word(desk, "export.p_value"), desk_small(desk, results->p_value));
    folio_fact(document, desk_word(desk, "export.achieved_power"),
               desk_small(desk, results->power_achieved));
    folio_begin(document, BLOCK_FACTS, 2);
    folio_fact(document, desk_word(desk, "export.metric_type"),
               desk_metric_type(desk, results->metric_type));
    folio_fact(document, desk_word(desk, "export.control_rate"),
               rounded(desk, results->control_rate));
    folio_fact(document, desk_word(desk, "export.treatment_rate"),
               rounded(desk, results->treatment_rate));
    folio_fact(document, desk_word(desk, "export.confidence_interval"), interval);
    folio_fact(document, desk_word(desk, "export.verdict"), or_dash(results->verdict));
    folio_fact(document, desk_word(desk, "export.interpretation"),
               or_dash(results->interpretation));
    folio_chart(document, chart_intervals(desk_word(desk, "export.confidence_interval"), intervals,
                                          1, desk->arena));
    if (lift && lift->value_pct.given && lift->ci_lower_pct.given && lift->ci_upper_pct.given) {
        const char *title = desk_word(desk, "export.relative_effect_pct");

        intervals[0] = (struct interval){"%", lift->ci_lower_pct.value, lift->value_pct.value,
                                         lift->ci_upper_pct.value};
        folio_chart(document, chart_intervals(title, intervals, 1, desk->arena));
    }
}

static void add_warnings(const struct report_desk *desk, const struct object_list *list,
                         struct folio *document)
{
    const struct warning *warnings = list->items;

    folio_heading(document, 2, desk_word(desk, "export.warnings"));
    for (size_t i = 0; i < list->count; i++)
        folio_notice(document, warnings[i].severity,
                     arena_print(desk->arena, "%s: %s", warnings[i].code, warnings[i].message));
    if (!list->count)
        folio_text(document, desk_word(desk, "export.no_warnings"));
}

static void add_advice(const struct report_desk *desk, const struct advice_text *advice,
                       struct folio *document)
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

    folio_heading(document, 1, desk_word(desk, "export.advice"));
    if (advice->brief_assessment && *advice->brief_assessment) {
        folio_heading(document, 2, desk_word(desk, "export.brief_assessment"));
        folio_text(document, advice->brief_assessment);
    }
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (rows[i].texts->count)
            desk_list(desk, document, 2, rows[i].key, rows[i].texts);
}

static void add_history(const struct report_desk *desk, const struct object_list *revisions,
                        struct folio *document)
{
    static const char *const keys[] = {"export.moment", "export.source", "export.project_name"};
    const struct revision *items = revisions->items;

    folio_heading(document, 1, desk_word(desk, "export.revision_history"));
    head(desk, document, keys, COUNT_OF(keys));
    for (size_t i = 0; i < revisions->count; i++) {
        folio_add(document, report_moment(desk->arena, items[i].created_at));
        folio_add(document, items[i].source);
        folio_add(document, or_dash(items[i].payload->project->project_name));
    }
}

void report_of_project(const struct report_desk *desk, const struct project_snapshot *snapshot,
                       const struct object_list *revisions, struct folio *document)
{
    const struct analysis_payload *analysis = snapshot->run.analysis;
    const struct report_recommendations *said = analysis->report->recommendations;
    const struct observed_results *observed =
        snapshot->payload->additional_context->observed_results;

    desk_start(desk, document, snapshot->project.project_name);
    document->subtitle = desk_word(desk, "export.report_title");
    add_summary(desk, snapshot, document);
    add_sizes(desk, snapshot, document);
    add_guardrails(desk, &analysis->report->guardrail_metrics, document);
    add_curve(desk, snapshot, document);
    if (observed && observed->analysis) {
        folio_page(document);
        report_results(desk, observed->analysis, document);
    }
    folio_page(document);
    folio_heading(document, 1, desk_word(desk, "export.warnings_and_recommendations"));
    add_warnings(desk, &analysis->calculations->warnings, document);
    desk_list(desk, document, 2, "export.before_launch", &said->before_launch);
    desk_list(desk, document, 2, "export.during_test", &said->during_test);
    desk_list(desk, document, 2, "export.after_test", &said->after_test);
    if (analysis->advice->advice)
        add_advice(desk, analysis->advice->advice, document);
    add_history(desk, revisions, document);
}
