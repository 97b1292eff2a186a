/* Schemas of the stored analysis, one per block. Numbers are written as they came, so the stored
 * calculation has a table of its own beside that of answers. */
#include "experiments/payloads/analysis_payload.h"

enum { ANALYSIS_BYTES_MAX = 16 * 1024 * 1024 };

/* Read back, also by newer programs. */
#define KEPT .extra = EXTRA_STORED, .complete = true

#define OWNER struct calculation_summary
static const struct field summary_fields[] = {
    STRING(OWNER, metric_type),
    NUMBER(OWNER, baseline_value),
    NUMBER(OWNER, mde_pct),
    NUMBER(OWNER, mde_absolute),
    NUMBER(OWNER, alpha),
    NUMBER(OWNER, power),
    STRING(OWNER, planned_test, .nullable = true),
    NULLABLE_NUMBER(OWNER, equivalence_margin_pct),
    NULLABLE_NUMBER(OWNER, equivalence_margin_absolute),
    STRING(OWNER, direction, .nullable = true, .omit_if_null = true),
};
#undef OWNER
static SCHEMA(summary_schema, struct calculation_summary, "KeptSummary", summary_fields, KEPT);

/* A list of a stored calculation, in whatever form it came. */
#define STORED_LIST(key, member)                                                                   \
    {                                                                                              \
        .name = #key, .type = FIELD_JSON_OBJECTS, .nullable = true,                                \
        .offset = FIELD_OFFSET(struct calculation, member, json_t *),                              \
    }

#define OWNER struct calculation
static const struct field calculation_fields[] = {
    OBJECT(OWNER, calculation_summary, summary_schema),
    OBJECT(OWNER, results, calculation_results_schema),
    OBJECT(OWNER, plan, calculation_plan_schema, .nullable = true, .omit_if_null = true),
    STRINGS(OWNER, assumptions),
    OBJECTS(OWNER, warnings, calculation_warning_schema),
    STRING(OWNER, bonferroni_note, .nullable = true),
    NULLABLE_NUMBER(OWNER, design_effect),
    NULLABLE_NUMBER(OWNER, avg_cluster_size),
    NULLABLE_NUMBER(OWNER, icc),
    NULLABLE_INTEGER(OWNER, clusters_per_variant),
    NULLABLE_INTEGER(OWNER, verified_clusters_per_variant, .omit_if_null = true),
    NULLABLE_INTEGER(OWNER, bayesian_sample_size_per_variant),
    NULLABLE_NUMBER(OWNER, bayesian_credibility),
    STRING(OWNER, bayesian_note, .nullable = true),
    STORED_LIST(sequential_boundaries, stored_boundaries),
    NULLABLE_NUMBER(OWNER, sequential_inflation_factor),
    NULLABLE_INTEGER(OWNER, sequential_adjusted_sample_size),
    NULLABLE_INTEGER(OWNER, sequential_duration_days),
    NULLABLE_NUMBER(OWNER, cuped_std),
    NULLABLE_INTEGER(OWNER, cuped_sample_size_per_variant),
    NULLABLE_NUMBER(OWNER, cuped_variance_reduction_pct),
    NULLABLE_NUMBER(OWNER, cuped_duration_days),
    NULLABLE_NUMBER(OWNER, cuped_theta),
    STORED_LIST(power_curve, stored_power_curve),
};
#undef OWNER
static SCHEMA(kept_calculation_schema, struct calculation, "KeptCalculation", calculation_fields,
              KEPT);

#define OWNER struct report_calculations
static const struct field calculations_fields[] = {
    NULLABLE_NUMBER(OWNER, verified_power, ROUNDED(4)),
    NULLABLE_INTEGER(OWNER, verified_sample_size),
    OBJECT(OWNER, allocation, calculation_allocation_schema, .nullable = true),
    INTEGER(OWNER, sample_size_per_variant),
    INTEGER(OWNER, total_sample_size),
    INTEGER(OWNER, estimated_duration_days),
    STRINGS(OWNER, assumptions),
    NULLABLE_NUMBER(OWNER, design_effect),
    NULLABLE_INTEGER(OWNER, clusters_per_variant),
};
#undef OWNER
static SCHEMA(calculations_schema, struct report_calculations, "ReportCalculations",
              calculations_fields, KEPT);

#define OWNER struct report_variant
static const struct field variant_fields[] = {STRING(OWNER, name), STRING(OWNER, description)};
#undef OWNER
static SCHEMA(variant_schema, struct report_variant, "ReportVariant", variant_fields, KEPT);

#define OWNER struct report_design
static const struct field design_fields[] = {
    OBJECTS(OWNER, variants, variant_schema),
    STRING(OWNER, randomization_unit),
    NUMBERS(OWNER, traffic_split, .integer_ok = true),
    STRING(OWNER, target_audience),
    STRING(OWNER, inclusion_criteria),
    STRING(OWNER, exclusion_criteria),
    INTEGER(OWNER, recommended_duration_days),
    STRINGS(OWNER, stopping_conditions),
};
#undef OWNER
static SCHEMA(design_schema, struct report_design, "ReportDesign", design_fields, KEPT);

#define OWNER struct report_metrics
static const struct field metrics_fields[] = {
    STRINGS(OWNER, primary),
    STRINGS(OWNER, secondary),
    STRINGS(OWNER, guardrail),
    STRINGS(OWNER, diagnostic),
};
#undef OWNER
static SCHEMA(metrics_schema, struct report_metrics, "ReportMetrics", metrics_fields, KEPT);

#define OWNER struct report_guardrail
static const struct field guardrail_fields[] = {
    STRING(OWNER, name),
    STRING(OWNER, metric_type),
    NUMBER(OWNER, baseline),
    NULLABLE_NUMBER(OWNER, detectable_mde_pp),
    NULLABLE_NUMBER(OWNER, detectable_mde_absolute),
    STRING(OWNER, note),
};
#undef OWNER
static SCHEMA(guardrail_schema, struct report_guardrail, "ReportGuardrail", guardrail_fields, KEPT);

#define OWNER struct report_risks
static const struct field risks_fields[] = {
    STRINGS(OWNER, statistical),
    STRINGS(OWNER, product),
    STRINGS(OWNER, technical),
    STRINGS(OWNER, operational),
};
#undef OWNER
static SCHEMA(risks_schema, struct report_risks, "ReportRisks", risks_fields, KEPT);

#define OWNER struct report_recommendations
static const struct field recommendations_fields[] = {
    STRINGS(OWNER, before_launch),
    STRINGS(OWNER, during_test),
    STRINGS(OWNER, after_test),
};
#undef OWNER
static SCHEMA(recommendations_schema, struct report_recommendations, "ReportRecommendations",
              recommendations_fields, KEPT);

#define OWNER struct analysis_report
static const struct field report_fields[] = {
    STRING(OWNER, executive_summary),
    OBJECT(OWNER, calculations, calculations_schema),
    OBJECT(OWNER, experiment_design, design_schema),
    OBJECT(OWNER, metrics_plan, metrics_schema),
    OBJECTS(OWNER, guardrail_metrics, guardrail_schema, .optional = true),
    OBJECT(OWNER, risks, risks_schema),
    OBJECT(OWNER, recommendations, recommendations_schema),
    STRINGS(OWNER, open_questions),
};
#undef OWNER
#define REPORT_EXAMPLE                                                                             \
    "{"                                                                                            \
    "\"executive_summary\":\"A larger button is tested on new visitors for 41 "                    \
    "days.\",\"calculations\":{\"sample_size_per_variant\":146642,"                                \
    "\"total_sample_size\":293284,\"estimated_duration_days\":41,"                                 \
    "\"assumptions\":[\"Nominal alpha for a single comparison: 0.05.\"]},"                         \
    "\"experiment_design\":{\"variants\":[{\"name\":\"A\","                                        \
    "\"description\":\"Current experience\"},{\"name\":\"B\","                                     \
    "\"description\":\"Larger button\"}],\"randomization_unit\":\"user\","                         \
    "\"traffic_split\":[50,50],\"target_audience\":\"New visitors\","                              \
    "\"inclusion_criteria\":\"\",\"exclusion_criteria\":\"\","                                     \
    "\"recommended_duration_days\":41,\"stopping_conditions\":["                                   \
    "\"The planned duration is reached\"]},\"metrics_plan\":{\"primary\":["                        \
    "\"conversion\"],\"secondary\":[\"revenue\"],\"guardrail\":[\"refunds\"],"                     \
    "\"diagnostic\":[\"assignment_rate\"]},\"guardrail_metrics\":[{"                               \
    "\"name\":\"refunds\",\"metric_type\":\"binary\",\"baseline\":2.4,"                            \
    "\"detectable_mde_pp\":0.161,\"note\":\"Detectable with 146,642 users.\"}],"                   \
    "\"risks\":{\"statistical\":[\"None found.\"],\"product\":[\"None found.\"],"                  \
    "\"technical\":[\"None found.\"],\"operational\":[\"None found.\"]},"                          \
    "\"recommendations\":{\"before_launch\":[\"Check the tracking.\"],"                            \
    "\"during_test\":[\"Watch the guardrails.\"],\"after_test\":["                                 \
    "\"Read the segments.\"]},\"open_questions\":[\"Is the market stable?\"]}"

SCHEMA(analysis_report_schema, struct analysis_report, "AnalysisReport", report_fields,
       .help = "A design in words and numbers, to be shared.", KEPT, .example = REPORT_EXAMPLE);

#define OWNER struct advice_text
static const struct field advice_text_fields[] = {
    STRING(OWNER, brief_assessment),         STRINGS(OWNER, key_risks),
    STRINGS(OWNER, design_improvements),     STRINGS(OWNER, metric_recommendations),
    STRINGS(OWNER, interpretation_pitfalls), STRINGS(OWNER, additional_checks),
};
#undef OWNER
static SCHEMA(advice_text_schema, struct advice_text, "AdviceText", advice_text_fields, KEPT);

#define OWNER struct advice
static const struct field advice_fields[] = {
    BOOLEAN(OWNER, available),
    STRING(OWNER, provider),
    STRING(OWNER, model),
    OBJECT(OWNER, advice, advice_text_schema, .nullable = true),
    STRING(OWNER, raw_text, .nullable = true),
    STRING(OWNER, error, .nullable = true),
    STRING(OWNER, error_code, .nullable = true),
};
#undef OWNER
SCHEMA(advice_schema, struct advice, "Advice", advice_fields,
       .help = "What an advisor thinks of a design, or why there is no advice.", KEPT);

#define OWNER struct analysis_payload
static const struct field payload_fields[] = {
    OBJECT(OWNER, calculations, kept_calculation_schema),
    OBJECT(OWNER, report, analysis_report_schema),
    OBJECT(OWNER, advice, advice_schema),
};
#undef OWNER
static const char example[] =
    "{\"calculations\":{\"calculation_summary\":{\"metric_type\":\"binary\","
    "\"baseline_value\":0.042,\"mde_pct\":5.0,\"mde_absolute\":0.0021,"
    "\"alpha\":0.05,\"power\":0.8,\"planned_test\":\"z_test\"},\"results\":{"
    "\"sample_size_per_variant\":146642,\"total_sample_size\":293284,"
    "\"effective_daily_traffic\":7200.0,\"estimated_duration_days\":41},"
    "\"assumptions\":[\"Nominal alpha for a single comparison: 0.05.\"],"
    "\"warnings\":[{\"code\":\"SEASONALITY_PRESENT\",\"severity\":\"medium\","
    "\"message\":\"The period has seasonal swings.\","
    "\"source\":\"rules_engine\"}]},\"report\":" REPORT_EXAMPLE ","
    "\"advice\":{\"available\":false,\"provider\":\"none\",\"model\":\"none\"}}";

const struct schema analysis_payload_schema = {.name = "Analysis",
                                               .help = "A sized design with its report and advice.",
                                               .size = sizeof(struct analysis_payload),
                                               .fields = payload_fields,
                                               .field_count = COUNT_OF(payload_fields),
                                               .extra = EXTRA_STORED,
                                               .complete = true,
                                               .example = example};

const char *analysis_to_json(const struct analysis_payload *analysis, struct arena *arena)
{
    struct text text;
    struct json_writer writer;

    text_start(&text, arena, ANALYSIS_BYTES_MAX);
    writer_start(&writer, &text);
    schema_write(&writer, &analysis_payload_schema, analysis);
    return text.bytes;
}
