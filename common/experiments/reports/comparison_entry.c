/* One project of a comparison: the summary of its analysis. */
#include "base/number.h"
#include "base/string_list.h"
#include "experiments/design/rules.h"
#include "experiments/reports/comparison.h"
#include "experiments/reports/shared_items.h"

#include <math.h>
#include <string.h>

enum { AXIS_DECIMALS = 4, MDE_LIMIT = 5, POWER_LIMIT = 4 };

static const double mde_candidates[] = {0.1, 0.5, 1, 2, 5};
static const double power_candidates[] = {0.7, 0.8, 0.9, 0.95};
static const char *const severities[] = {"high", "medium", "low"};

/* The first texts that are not blank, of several lists in a row. */
static struct string_list first_texts(const struct string_list *const *lists, size_t count,
                                      struct arena *arena)
{
    struct string_list found = {.items = ARENA_ARRAY(arena, const char *, COMPARED_HIGHLIGHTS)};

    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < lists[i]->count && found.count < COMPARED_HIGHLIGHTS; j++) {
            const char *text = text_trimmed(arena, lists[i]->items[j], strlen(lists[i]->items[j]));

            if (*text)
                found.items[found.count++] = text;
        }
    return found;
}

static struct string_list risks_of(const struct report_risks *risks, struct arena *arena)
{
    const struct string_list *lists[] = {&risks->statistical, &risks->product, &risks->technical,
                                         &risks->operational};

    return first_texts(lists, COUNT_OF(lists), arena);
}

static struct string_list recommendations_of(const struct report_recommendations *said,
                                             struct arena *arena)
{
    const struct string_list *lists[] = {&said->before_launch, &said->during_test,
                                         &said->after_test};

    return first_texts(lists, COUNT_OF(lists), arena);
}

static struct string_list warning_codes(const struct object_list *warnings, struct arena *arena)
{
    const struct warning *items = warnings->items;
    struct shared_items *codes = shared_items_new(arena, warnings->count);

    for (size_t i = 0; i < warnings->count; i++) {
        const char *code = items[i].code;
        const struct string_list one = {1, &code};

        shared_items_add(codes, &one, 0);
    }
    return shared_items_of(codes, 1);
}

static const char *worst_severity(const struct object_list *warnings)
{
    const struct warning *items = warnings->items;

    for (size_t level = 0; level < COUNT_OF(severities); level++)
        for (size_t i = 0; i < warnings->count; i++)
            if (strcmp(items[i].severity, severities[level]) == 0)
                return severities[level];
    return "none";
}

/* Keeps `values` in rising order, each once. */
static void insert_value(struct number_list *values, double value)
{
    size_t at = 0;

    while (at < values->count && values->items[at] < value)
        at++;
    if (at < values->count && values->items[at] == value)
        return;
    memmove(values->items + at + 1, values->items + at,
            (values->count - at) * sizeof values->items[0]);
    values->items[at] = value;
    values->count++;
}

/* Of two values equally far away the smaller one is nearer. */
static size_t farthest(const struct number_list *values, double current)
{
    size_t found = 0;

    for (size_t i = 1; i < values->count; i++)
        if (fabs(values->items[i] - current) >= fabs(values->items[found] - current))
            found = i;
    return found;
}

struct number_list comparison_axis(const double *candidates, size_t count, double current,
                                   size_t limit, struct arena *arena)
{
    struct number_list values = {0, ARENA_ARRAY(arena, double, count + 1)};
    double middle = number_round(current, AXIS_DECIMALS);

    insert_value(&values, middle);
    for (size_t i = 0; i < count; i++)
        insert_value(&values, number_round(candidates[i], AXIS_DECIMALS));
    while (values.count > limit) {
        size_t at = farthest(&values, middle);

        values.count--;
        memmove(values.items + at, values.items + at + 1,
                (values.count - at) * sizeof values.items[0]);
    }
    return values;
}

static bool can_have_grid(const struct project_snapshot *snapshot)
{
    const struct calculation *kept = snapshot->run.analysis->calculations;
    const struct report_design *design = snapshot->run.analysis->report->experiment_design;
    const struct calculation_summary *summary = kept->calculation_summary;
    bool means = strcmp(summary->metric_type, metric_type_names[METRIC_CONTINUOUS]) == 0;

    if (!means && strcmp(summary->metric_type, metric_type_names[METRIC_BINARY]) != 0)
        return false;
    if (means && !snapshot->payload->metrics->std_dev.given)
        return false;
    return design->traffic_split.count >= 2 &&
           (design->variants.count == 0 || design->variants.count == design->traffic_split.count) &&
           sizing_split_is_positive(&design->traffic_split) &&
           kept->results->effective_daily_traffic > 0 && summary->baseline_value > 0;
}

static struct compared_grid *grid_of(const struct project_snapshot *snapshot, struct arena *arena)
{
    const struct calculation *kept = snapshot->run.analysis->calculations;
    const struct report_design *design = snapshot->run.analysis->report->experiment_design;
    const struct calculation_summary *summary = kept->calculation_summary;
    bool means = strcmp(summary->metric_type, metric_type_names[METRIC_CONTINUOUS]) == 0;
    struct compared_grid *grid = ARENA_NEW(arena, struct compared_grid);
    struct sensitivity_plan plan = {.metric_type = means ? METRIC_CONTINUOUS : METRIC_BINARY,
                                    .baseline = summary->baseline_value,
                                    .std_dev = snapshot->payload->metrics->std_dev.value,
                                    .variants = (int64_t)design->traffic_split.count,
                                    .alpha = summary->alpha,
                                    .users_per_day = kept->results->effective_daily_traffic,
                                    .traffic_split = design->traffic_split};

    grid->current_mde = fabs(means ? summary->mde_absolute : summary->mde_pct);
    grid->current_power = summary->power;
    plan.mde_values = comparison_axis(mde_candidates, COUNT_OF(mde_candidates), grid->current_mde,
                                      MDE_LIMIT, arena);
    plan.power_values = comparison_axis(power_candidates, COUNT_OF(power_candidates),
                                        grid->current_power, POWER_LIMIT, arena);
    grid->cells = (struct object_list){plan.mde_values.count * plan.power_values.count,
                                       sensitivity_grid(&plan, arena)};
    return grid;
}

static const char *primary_metric(const struct project_snapshot *snapshot)
{
    const struct string_list *primary = &snapshot->run.analysis->report->metrics_plan->primary;

    return primary->count ? primary->items[0] : snapshot->payload->metrics->primary_metric_name;
}

static const struct results_reply *observed(const struct experiment_payload *payload)
{
    const struct observed_results *results = payload->additional_context->observed_results;

    return results ? results->analysis : NULL;
}

struct compared_project comparison_entry(const struct project_snapshot *snapshot,
                                         struct arena *arena)
{
    const struct analysis_payload *analysis = snapshot->run.analysis;
    const struct analysis_report *report = analysis->report;
    const struct calculation_results *results = analysis->calculations->results;
    struct string_list codes = warning_codes(&analysis->calculations->warnings, arena);

    return (struct compared_project){
        .id = snapshot->project.id,
        .project_name = snapshot->project.project_name,
        .updated_at = snapshot->project.updated_at,
        .last_analysis_at = snapshot->project.last_analysis_at,
        .analysis_created_at = snapshot->run.created_at,
        .analysis_run_id = snapshot->run.id,
        .metric_type = analysis->calculations->calculation_summary->metric_type,
        .sample_size_per_variant = results->sample_size_per_variant,
        .total_sample_size = results->total_sample_size,
        .estimated_duration_days = results->estimated_duration_days,
        .primary_metric = primary_metric(snapshot),
        .warning_codes = codes,
        .warnings_count = (int64_t)codes.count,
        .risk_highlights = risks_of(report->risks, arena),
        .recommendation_highlights = recommendations_of(report->recommendations, arena),
        .assumptions = report->calculations->assumptions,
        .advice_available = analysis->advice->available,
        .executive_summary = report->executive_summary,
        .warning_severity = worst_severity(&analysis->calculations->warnings),
        .sensitivity = can_have_grid(snapshot) ? grid_of(snapshot, arena) : NULL,
        .observed_results = observed(snapshot->payload)};
}
