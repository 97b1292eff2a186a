/* Schemas of certificates. The order of the fields is part of the format: new ones need another
 * name of the format. */
#include "experiments/certificates/certificate.h"

#define OWNER struct certificate_stratum
static const struct field stratum_fields[] = {
    STRING(OWNER, stratum),
    OBJECTS(OWNER, arms, certificate_arm_schema),
};
#undef OWNER
static SCHEMA(certificate_stratum_schema, struct certificate_stratum, "CertificateStratum",
              stratum_fields);

#define OWNER struct certificate_guardrail
static const struct field guardrail_fields[] = {
    STRING(OWNER, name),
    STRING(OWNER, metric_type),
    STRING(OWNER, direction),
    NUMBER(OWNER, margin, .help = "Harm that is accepted, in units of the metric."),
    STRING(OWNER, status),
    OBJECTS(OWNER, arms, certificate_arm_schema),
};
#undef OWNER
static SCHEMA(certificate_guardrail_schema, struct certificate_guardrail, "CertificateGuardrail",
              guardrail_fields);

#define OWNER struct certificate_formulas
static const struct field formula_fields[] = {
    STRING(OWNER, test),         STRING(OWNER, probability), STRING(OWNER, sample_ratio),
    STRING(OWNER, always_valid), STRING(OWNER, boundary),    STRING(OWNER, guardrails),
    STRING(OWNER, strata),       STRING(OWNER, policy),
};
#undef OWNER
static SCHEMA(certificate_formulas_schema, struct certificate_formulas, "CertificateFormulas",
              formula_fields);

#define OWNER struct certificate_design
static const struct field design_fields[] = {
    STRING(OWNER, metric),
    STRING(OWNER, metric_type),
    STRING(OWNER, direction),
    NUMBER(OWNER, alpha, .help = "Two-sided, of all comparisons together."),
    NUMBER(OWNER, power),
    NUMBER(OWNER, baseline_value),
    NUMBER(OWNER, mde_pct),
    NUMBERS(OWNER, traffic_split, .help = "As planned, in any unit."),
    INTEGER(OWNER, n_looks),
    NULLABLE_INTEGER(OWNER, planned_users_per_arm),
    NULLABLE_NUMBER(OWNER, final_boundary,
                    .help = "z at the last look; its looks together spend alpha."),
    NULLABLE_NUMBER(OWNER, mixture_variance,
                    .help = "What always-valid inference is tuned for; fixed before the data."),
};
#undef OWNER
static SCHEMA(certificate_design_schema, struct certificate_design, "CertificateDesign",
              design_fields);

#define OWNER struct certificate_population
static const struct field population_fields[] = {
    STRING(OWNER, policy),
    STRING(OWNER, counts),
    INTEGER(OWNER, exposures, .help = "Exposures as sent, the holdout included."),
    STRING(OWNER, exposures_sha256,
           .help = "SHA-256 over `user id NUL arm NUL` of each exposure, in bytewise order of the "
                   "user ids: it does not depend on the order in which they came."),
    INTEGER(OWNER, events),
    INTEGER(OWNER, events_before_exposure),
    NUMBER(OWNER, multiple_exposure_share),
};
#undef OWNER
static SCHEMA(certificate_population_schema, struct certificate_population, "CertificatePopulation",
              population_fields);

#define OWNER struct certificate_comparison
static const struct field comparison_fields[] = {
    INTEGER(OWNER, treatment_index),
    STRING(OWNER, status),
    NULLABLE_NUMBER(OWNER, effect, .help = "Percentage points for binary metrics."),
    NULLABLE_NUMBER(OWNER, ci_lower),
    NULLABLE_NUMBER(OWNER, ci_upper),
    NULLABLE_NUMBER(OWNER, p_value),
    NULLABLE_NUMBER(OWNER, statistic),
    NULLABLE_NUMBER(OWNER, probability_better, .help = "In the direction of the goal."),
    NULLABLE_NUMBER(OWNER, always_valid_p_value),
    NULLABLE_NUMBER(OWNER, ci_sequence_lower, .help = "In units of the metric."),
    NULLABLE_NUMBER(OWNER, ci_sequence_upper),
    NULLABLE_BOOLEAN(OWNER, is_significant),
    NULLABLE_BOOLEAN(OWNER, sequential_significant),
};
#undef OWNER
static SCHEMA(certificate_comparison_schema, struct certificate_comparison, "CertificateComparison",
              comparison_fields);

#define OWNER struct certificate_sample_ratio
static const struct field sample_ratio_fields[] = {
    STRING(OWNER, status),
    NULLABLE_NUMBER(OWNER, chi_square),
    NULLABLE_NUMBER(OWNER, p_value),
    BOOLEAN(OWNER, is_srm),
};
#undef OWNER
static SCHEMA(certificate_sample_ratio_schema, struct certificate_sample_ratio,
              "CertificateSampleRatio", sample_ratio_fields);

#define OWNER struct certificate_sequential
static const struct field sequential_fields[] = {
    STRING(OWNER, status),
    NULLABLE_NUMBER(OWNER, information_fraction),
    NULLABLE_NUMBER(OWNER, boundary, .help = "z at this look."),
};
#undef OWNER
static SCHEMA(certificate_sequential_schema, struct certificate_sequential, "CertificateSequential",
              sequential_fields);

#define OWNER struct certificate_hybrid_reading
static const struct field reading_fields[] = {
    INTEGER(OWNER, treatment_index),
    STRING(OWNER, status),
    NULLABLE_NUMBER(OWNER, boundary_z),
    NULLABLE_NUMBER(OWNER, z),
    NULLABLE_NUMBER(OWNER, p_value),
    NULLABLE_NUMBER(OWNER, effect, .help = "In units of the metric, as the interval."),
    NULLABLE_NUMBER(OWNER, ci_lower),
    NULLABLE_NUMBER(OWNER, ci_upper),
    BOOLEAN(OWNER, is_significant),
};
#undef OWNER
static SCHEMA(certificate_reading_schema, struct certificate_hybrid_reading,
              "CertificateHybridReading", reading_fields);

#define OWNER struct certificate_hybrid_end
static const struct field end_fields[] = {
    NUMBER(OWNER, information_fraction),
    INTEGER(OWNER, users),
    STRING(OWNER, taken_at),
    WRITTEN_OBJECT(OWNER, sums, "sums", certificate_sums_schema,
                   .help = "Of the arms at that moment: what came later changes no reading."),
};
#undef OWNER
static SCHEMA(certificate_end_schema, struct certificate_hybrid_end, "CertificateHybridEnd",
              end_fields);

#define OWNER struct certificate_hybrid
static const struct field hybrid_fields[] = {
    STRING(OWNER, status),
    NUMBER(OWNER, alpha, .help = "Of one treatment, over all readings and both sides."),
    NUMBER(OWNER, early_share, .help = "Of alpha, for readings before the end."),
    NUMBER(OWNER, tuned_fraction),
    NULLABLE_NUMBER(OWNER, early_error, .help = "What readings before the end spend of alpha."),
    NULLABLE_NUMBER(OWNER, end_z, .help = "z of the test at the end: both spend alpha together."),
    OBJECT(OWNER, end, certificate_end_schema, .nullable = true),
    OBJECTS(OWNER, readings, certificate_reading_schema),
};
#undef OWNER
static SCHEMA(certificate_hybrid_schema, struct certificate_hybrid, "CertificateHybrid",
              hybrid_fields);

#define OWNER struct certificate_reason
static const struct field reason_fields[] = {
    STRING(OWNER, code),
    NULLABLE_INTEGER(OWNER, arm),
    STRING(OWNER, part, .nullable = true, .help = "A guardrail or a stratum."),
};
#undef OWNER
static SCHEMA(certificate_reason_schema, struct certificate_reason, "CertificateReason",
              reason_fields);

#define OWNER struct certificate_verdict
static const struct field verdict_fields[] = {
    STRING(OWNER, verdict),
    STRING(OWNER, confidence),
    OBJECTS(OWNER, reasons, certificate_reason_schema),
    OBJECTS(OWNER, blockers, certificate_reason_schema),
};
#undef OWNER
static SCHEMA(certificate_verdict_schema, struct certificate_verdict, "CertificateVerdict",
              verdict_fields);

#define OWNER struct certificate
static const struct field certificate_fields[] = {
    STRING(OWNER, format),
    STRING(OWNER, experiment_id),
    STRING(OWNER, issued_at),
    STRING(OWNER, data_version),
    STRING(OWNER, key, .help = "SHA-256 of the public key, hexadecimal."),
    OBJECT(OWNER, formulas, certificate_formulas_schema),
    OBJECT(OWNER, design, certificate_design_schema),
    OBJECT(OWNER, population, certificate_population_schema),
    OBJECT(OWNER, source, live_source_schema, .nullable = true, .omit_if_null = true,
           .help = "Of a goal from live data alone: assay-certificate-2 or -3."),
    OBJECTS(OWNER, arms, certificate_arm_schema),
    OBJECTS(OWNER, strata, certificate_stratum_schema),
    OBJECTS(OWNER, guardrails, certificate_guardrail_schema),
    OBJECTS(OWNER, comparisons, certificate_comparison_schema),
    OBJECT(OWNER, sample_ratio, certificate_sample_ratio_schema),
    OBJECT(OWNER, sequential, certificate_sequential_schema),
    OBJECT(OWNER, hybrid, certificate_hybrid_schema, .nullable = true, .omit_if_null = true,
           .help = "Of a design with hybrid readings alone, and of assay-certificate-3 alone."),
    OBJECT(OWNER, decision, certificate_verdict_schema),
};
#undef OWNER
SCHEMA(certificate_schema, struct certificate, "Certificate", certificate_fields,
       .help = "What a verdict was computed from, and the verdict.");

#define OWNER struct signed_certificate
static const struct field signed_fields[] = {
    WRITTEN_OBJECT(OWNER, certificate, "certificate", certificate_schema),
    STRING(OWNER, signature,
           .help = "Ed25519 over the bytes of `certificate` as they stand here; base64url."),
};
#undef OWNER
SCHEMA(signed_certificate_schema, struct signed_certificate, "SignedCertificate", signed_fields,
       .help = "Keep the answer byte for byte: the verifier refuses another spelling.");
