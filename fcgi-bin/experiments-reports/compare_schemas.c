/* The schemas of the comparison routes. */
#include "experiments-reports/compare.h"

#include <string.h>

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t\r\n\v\f");
}

bool compare_ids_are_given(const void *request)
{
    const struct string_list *ids = &((const struct compare_request *)request)->project_ids;

    for (size_t i = 0; i < ids->count; i++)
        if (!*skip_blanks(ids->items[i]))
            return false;
    return true;
}

/* As long as their texts without the blanks round them. */
static size_t bare_length(const char *text)
{
    size_t length = strlen(text);

    while (length && strchr(" \t\r\n\v\f", text[length - 1]))
        length--;
    return length;
}

bool compare_ids_differ(const void *request)
{
    const struct string_list *ids = &((const struct compare_request *)request)->project_ids;

    for (size_t i = 0; i < ids->count; i++)
        for (size_t j = 0; j < i; j++) {
            const char *a = skip_blanks(ids->items[i]), *b = skip_blanks(ids->items[j]);
            size_t length = bare_length(a);

            if (length == bare_length(b) && memcmp(a, b, length) == 0)
                return false;
        }
    return true;
}

#define OWNER struct compare_request
static const struct field request_fields[] = {
    STRINGS(OWNER, project_ids, .required = true, .min_length = COMPARED_MIN,
            .max_length = COMPARED_MAX, .help = "Projects with a kept analysis, each once."),
};
#undef OWNER
static const struct schema_rule request_rules[] = {
    {"errors.schemas.compare_ids_given", compare_ids_are_given},
    {"errors.schemas.compare_ids_differ", compare_ids_differ},
};
SCHEMA(compare_request_schema, struct compare_request, "CompareRequest", request_fields,
       .help = "Which projects to put side by side.", RULES(request_rules),
       .example = "{\"project_ids\":[\"7d1f3c52-6f5c-4a0e-9a53-0c9b1f0f7a11\","
                  "\"b2f6f2c4-2f3e-4a55-8c1d-5a4d3e2f1b00\"]}");

#define OWNER struct compare_query
static const struct field query_fields[] = {
    BOOLEAN(OWNER, include_monte_carlo, .help = "Adds monte_carlo_distribution."),
    INTEGER(OWNER, monte_carlo_simulations, .lower = AT_LEAST(UPLIFT_DRAWS_MIN),
            .upper = AT_MOST(UPLIFT_DRAWS_MAX), .default_value = UPLIFT_DRAWS_DEFAULT),
    BOOLEAN(OWNER, include_draws, .default_value = 1,
            .help = "false leaves simulated_uplifts out; the histogram stays."),
};
#undef OWNER
const struct schema compare_query_schema = {.name = "CompareQuery",
                                            .size = sizeof(struct compare_query),
                                            .fields = query_fields,
                                            .field_count = COUNT_OF(query_fields)};

#define OWNER struct sensitivity_cell
static const struct field cell_fields[] = {
    NUMBER(OWNER, mde),
    NUMBER(OWNER, power),
    NULLABLE_INTEGER(OWNER, sample_size_per_variant, .help = "null where no plan exists."),
    NULLABLE_NUMBER(OWNER, duration_days),
};
#undef OWNER
static SCHEMA(cell_schema, struct sensitivity_cell, "ComparedCell", cell_fields);

#define OWNER struct compared_grid
static const struct field grid_fields[] = {
    OBJECTS(OWNER, cells, cell_schema, .help = "Row by row: effects outside, powers inside."),
    NUMBER(OWNER, current_mde,
           .help = "Percent of the baseline for a binary metric, else in the metric's units."),
    NUMBER(OWNER, current_power),
};
#undef OWNER
static SCHEMA(grid_schema, struct compared_grid, "ComparedSensitivity", grid_fields);

#define OWNER struct compared_project
static const struct field project_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, project_name),
    STRING(OWNER, updated_at),
    STRING(OWNER, last_analysis_at, .nullable = true),
    STRING(OWNER, analysis_created_at),
    STRING(OWNER, analysis_run_id),
    STRING(OWNER, metric_type),
    INTEGER(OWNER, sample_size_per_variant),
    INTEGER(OWNER, total_sample_size),
    INTEGER(OWNER, estimated_duration_days),
    STRING(OWNER, primary_metric),
    STRINGS(OWNER, warning_codes),
    INTEGER(OWNER, warnings_count),
    STRINGS(OWNER, risk_highlights),
    STRINGS(OWNER, recommendation_highlights),
    STRINGS(OWNER, assumptions),
    BOOLEAN(OWNER, advice_available),
    STRING(OWNER, executive_summary),
    STRING(OWNER, warning_severity, .help = "The highest of its warnings, or none."),
    OBJECT(OWNER, sensitivity, grid_schema, .nullable = true),
    OBJECT(OWNER, observed_results, results_reply_schema, .nullable = true),
};
#undef OWNER
static SCHEMA(compared_schema, struct compared_project, "ComparedProject", project_fields);

#define OWNER struct compared_range
static const struct field range_fields[] = {
    INTEGER(OWNER, min),
    INTEGER(OWNER, max),
    NUMBER(OWNER, median),
};
#undef OWNER
static SCHEMA(range_schema, struct compared_range, "ComparedRange", range_fields);

#define OWNER struct compare_reply
static const struct field reply_fields[] = {
    OBJECTS(OWNER, projects, compared_schema, .help = "As asked for."),
    STRINGS(OWNER, shared_warnings),
    STRINGS(OWNER, shared_risks),
    STRINGS(OWNER, shared_assumptions),
    WRITTEN_JSON(OWNER, unique_per_project,
                 .help = "By project: warnings, risks and assumptions that it alone has."),
    OBJECT(OWNER, sample_size_range, range_schema, .help = "Of the total sizes."),
    OBJECT(OWNER, duration_range, range_schema, .help = "In days."),
    STRINGS(OWNER, metric_types_used),
    STRINGS(OWNER, recommendation_highlights),
    WRITTEN_JSON(OWNER, monte_carlo_distribution, .omit_if_null = true,
                 .help =
                     "By project, for those with observed rates or means: draws of the relative "
                     "uplift, their percentiles, probabilities and histogram."),
};
#undef OWNER
SCHEMA(compare_reply_schema, struct compare_reply, "Comparison", reply_fields,
       .help = "Projects side by side.");

#define OWNER struct compare_pair_query
static const struct field pair_query_fields[] = {
    STRING(OWNER, base_id, .required = true),
    STRING(OWNER, candidate_id, .required = true),
    STRING(OWNER, base_run_id, .nullable = true, .help = "The newest analysis when null."),
    STRING(OWNER, candidate_run_id, .nullable = true),
};
#undef OWNER
const struct schema compare_pair_query_schema = {.name = "ComparePairQuery",
                                                 .size = sizeof(struct compare_pair_query),
                                                 .fields = pair_query_fields,
                                                 .field_count = COUNT_OF(pair_query_fields)};

#define OWNER struct compared_deltas
static const struct field delta_fields[] = {
    INTEGER(OWNER, sample_size_per_variant),
    INTEGER(OWNER, total_sample_size),
    INTEGER(OWNER, estimated_duration_days),
    INTEGER(OWNER, warnings_count),
};
#undef OWNER
static SCHEMA(deltas_schema, struct compared_deltas, "ComparedDeltas", delta_fields,
              .help = "Candidate minus base.");

#define OWNER struct compared_pair
static const struct field pair_fields[] = {
    OBJECT(OWNER, base_project, compared_schema),
    OBJECT(OWNER, candidate_project, compared_schema),
    OBJECT(OWNER, deltas, deltas_schema),
    STRINGS(OWNER, shared_warning_codes),
    STRINGS(OWNER, base_only_warning_codes),
    STRINGS(OWNER, candidate_only_warning_codes),
    STRINGS(OWNER, shared_assumptions),
    STRINGS(OWNER, base_only_assumptions),
    STRINGS(OWNER, candidate_only_assumptions),
    STRINGS(OWNER, shared_risk_highlights),
    STRINGS(OWNER, base_only_risk_highlights),
    STRINGS(OWNER, candidate_only_risk_highlights),
    STRING(OWNER, metric_alignment_note),
    STRINGS(OWNER, highlights),
    STRING(OWNER, summary),
};
#undef OWNER
SCHEMA(compare_pair_schema, struct compared_pair, "ComparedPair", pair_fields,
       .help = "A candidate against a base.");
