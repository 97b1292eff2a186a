/* Makes a design of a row of the table; fills in what all presets share. */
#include "experiments/templates/presets.h"

static const double alpha = 0.05, power = 0.8, credibility = 0.95;
static const double equal_split[] = {50, 50};

static struct optional_number unless_zero(double value)
{
    return (struct optional_number){.given = value != 0, .value = value};
}

static struct string_list texts(const char *const *items, struct arena *arena)
{
    struct string_list list = {0};
    const char **copies;

    while (items[list.count])
        list.count++;
    copies = ARENA_ARRAY(arena, const char *, list.count);
    for (size_t i = 0; i < list.count; i++)
        copies[i] = items[i];
    list.items = copies;
    return list;
}

static const struct payload_setup *setup(const struct preset *preset, struct arena *arena)
{
    struct payload_setup *made = ARENA_NEW(arena, struct payload_setup);
    double *split = ARENA_ARRAY(arena, double, COUNT_OF(equal_split));

    for (size_t i = 0; i < COUNT_OF(equal_split); i++)
        split[i] = equal_split[i];
    *made = (struct payload_setup){.experiment_type = "ab",
                                   .randomization_unit = preset->unit,
                                   .traffic_split = {COUNT_OF(equal_split), split},
                                   .expected_daily_traffic = preset->daily_traffic,
                                   .audience_share_in_test = preset->audience_share,
                                   .variants_count = COUNT_OF(equal_split),
                                   .inclusion_criteria = preset->inclusion_criteria,
                                   .exclusion_criteria = preset->exclusion_criteria};
    return made;
}

static struct object_list guardrails(const struct preset *preset, struct arena *arena)
{
    struct object_list list = {0};
    struct guardrail_metric *items;

    while (preset->guardrails[list.count].name)
        list.count++;
    items = ARENA_ARRAY(arena, struct guardrail_metric, list.count);
    for (size_t i = 0; i < list.count; i++)
        items[i] = preset->guardrails[i];
    list.items = items;
    return list;
}

static const struct payload_metrics *metrics(const struct preset *preset, struct arena *arena)
{
    struct payload_metrics *made = ARENA_NEW(arena, struct payload_metrics);

    *made =
        (struct payload_metrics){.primary_metric_name = preset->metric,
                                 .metric_type = (int)preset->metric_type,
                                 .baseline_value = preset->baseline,
                                 .expected_uplift_pct = unless_zero(preset->expected_uplift_pct),
                                 .mde_pct = preset->mde_pct,
                                 .planned_test = -1,
                                 .alpha = alpha,
                                 .power = power,
                                 .std_dev = unless_zero(preset->std_dev),
                                 .cuped_pre_experiment_std = unless_zero(
                                     preset->cuped_correlation != 0 ? preset->std_dev : 0),
                                 .cuped_correlation = unless_zero(preset->cuped_correlation),
                                 .secondary_metrics = texts(preset->secondary, arena),
                                 .guardrail_metrics = guardrails(preset, arena)};
    return made;
}

const struct experiment_payload *preset_payload(const struct preset *preset, struct arena *arena)
{
    struct experiment_payload *payload = ARENA_NEW(arena, struct experiment_payload);
    struct payload_project *project = ARENA_NEW(arena, struct payload_project);
    struct payload_constraints *constraints = ARENA_NEW(arena, struct payload_constraints);
    struct payload_context *context = ARENA_NEW(arena, struct payload_context);

    *project = preset->project;
    project->project_name = "";
    *constraints = preset->constraints;
    constraints->n_looks = 1;
    constraints->analysis_mode = ANALYSIS_FREQUENTIST;
    constraints->credibility = credibility;
    *context = (struct payload_context){.llm_context = preset->context};
    *payload = (struct experiment_payload){.project = project,
                                           .hypothesis = &preset->hypothesis,
                                           .setup = setup(preset, arena),
                                           .metrics = metrics(preset, arena),
                                           .constraints = constraints,
                                           .additional_context = context};
    return payload;
}

struct string_list preset_tags(const struct preset *preset, struct arena *arena)
{
    return texts(preset->tags, arena);
}
