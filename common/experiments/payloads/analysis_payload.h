/*
 * An analysis as stored with a project: the sized design, its report, and advice. Every block drops
 * unknown keys, so that documents of newer versions can be read.
 */
#ifndef ASSAY_EXPERIMENTS_PAYLOADS_ANALYSIS_PAYLOAD_H
#define ASSAY_EXPERIMENTS_PAYLOADS_ANALYSIS_PAYLOAD_H

#include "experiments/design/calculation.h"

/* Verified numbers come first; absent in documents of older versions. */
struct report_calculations {
    struct optional_number verified_power;
    struct optional_integer verified_sample_size;
    const struct calculation_allocation *allocation;
    int64_t sample_size_per_variant;
    int64_t total_sample_size;
    int64_t estimated_duration_days;
    struct string_list assumptions;
    struct optional_number design_effect;
    struct optional_integer clusters_per_variant;
};

struct report_variant {
    const char *name;
    const char *description;
};

struct report_design {
    OBJECT_LIST(struct report_variant, variants); /* struct report_variant */
    const char *randomization_unit;
    struct number_list traffic_split;
    const char *target_audience;
    const char *inclusion_criteria;
    const char *exclusion_criteria;
    int64_t recommended_duration_days;
    struct string_list stopping_conditions;
};

struct report_metrics {
    struct string_list primary;
    struct string_list secondary;
    struct string_list guardrail;
    struct string_list diagnostic;
};

struct report_guardrail {
    const char *name;
    const char *metric_type;
    double baseline;
    struct optional_number detectable_mde_pp;
    struct optional_number detectable_mde_absolute;
    const char *note;
};

struct report_risks {
    struct string_list statistical;
    struct string_list product;
    struct string_list technical;
    struct string_list operational;
};

struct report_recommendations {
    struct string_list before_launch;
    struct string_list during_test;
    struct string_list after_test;
};

struct analysis_report {
    const char *executive_summary;
    const struct report_calculations *calculations;
    const struct report_design *experiment_design;
    const struct report_metrics *metrics_plan;
    OBJECT_LIST(struct report_guardrail, guardrail_metrics); /* struct report_guardrail */
    const struct report_risks *risks;
    const struct report_recommendations *recommendations;
    struct string_list open_questions;
};

struct advice_text {
    const char *brief_assessment;
    struct string_list key_risks;
    struct string_list design_improvements;
    struct string_list metric_recommendations;
    struct string_list interpretation_pitfalls;
    struct string_list additional_checks;
};

struct advice {
    bool available;
    const char *provider;
    const char *model;
    const struct advice_text *advice;
    const char *raw_text;
    const char *error;
    const char *error_code;
};

struct analysis_payload {
    const struct calculation *calculations; /* numbers as received */
    const struct analysis_report *report;
    const struct advice *advice;
};

SCHEMA_OF(analysis_report_schema, struct analysis_report);
SCHEMA_OF(advice_schema, struct advice);
SCHEMA_OF(analysis_payload_schema, struct analysis_payload);

/* The analysis in its stored form. From the arena. */
const char *analysis_to_json(const struct analysis_payload *analysis, struct arena *arena);

#endif
