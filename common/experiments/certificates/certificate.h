/*
 * Certificates of verdicts: everything that a decision was computed from, the figures, and the
 * verdict, as one JSON text that is signed with Ed25519. Whoever has the text and the public key
 * can check the signature and compute all figures again (clients/certificates). Numbers are not
 * rounded. Docs: docs/use/certificates.md.
 */
#ifndef ASSAY_EXPERIMENTS_CERTIFICATES_CERTIFICATE_H
#define ASSAY_EXPERIMENTS_CERTIFICATES_CERTIFICATE_H

#include "experiments/certificates/certificate_sums.h"
#include "experiments/live_results/live_results.h"

enum { CERTIFICATE_BYTES_MAX = 4 << 20 };

struct certificate_stratum {
    const char *stratum;
    OBJECT_LIST(struct certificate_arm, arms);
};
struct certificate_guardrail {
    const char *name;
    const char *metric_type;
    const char *direction;
    double margin;
    const char *status;
    OBJECT_LIST(struct certificate_arm, arms);
};

/* Names of the formulas; docs/use/certificates.md has what they stand for. */
struct certificate_formulas {
    const char *test;
    const char *probability;
    const char *sample_ratio;
    const char *always_valid;
    const char *boundary;
    const char *guardrails;
    const char *strata;
    const char *policy;
};

struct certificate_design {
    const char *metric;
    const char *metric_type;
    const char *direction;
    double alpha;
    double power;
    double baseline_value;
    double mde_pct;
    struct number_list traffic_split;
    int64_t n_looks;
    struct optional_integer planned_users_per_arm;
    struct optional_number final_boundary; /* of an active sequential design */
    struct optional_number mixture_variance;
};

/* Which users: their number in each form, and a digest of all exposures as sent. */
struct certificate_population {
    const char *policy;
    const char *counts;
    int64_t exposures;
    const char *exposures_sha256;
    int64_t events;
    int64_t events_before_exposure;
    double multiple_exposure_share;
};

struct certificate_comparison {
    int64_t treatment_index;
    const char *status;
    struct optional_number effect, ci_lower, ci_upper, p_value, statistic;
    struct optional_number probability_better;
    struct optional_number always_valid_p_value, ci_sequence_lower, ci_sequence_upper;
    struct optional_boolean is_significant, sequential_significant;
};
struct certificate_sample_ratio {
    const char *status;
    struct optional_number chi_square, p_value;
    bool is_srm;
};
struct certificate_sequential {
    const char *status;
    struct optional_number information_fraction, boundary;
};

/* What decides under hybrid readings: a reading of now, or the one test at the end. */
struct certificate_hybrid_reading {
    int64_t treatment_index;
    const char *status;
    struct optional_number boundary_z, z, p_value, effect, ci_lower, ci_upper;
    bool is_significant;
};
struct certificate_hybrid_end {
    double information_fraction;
    int64_t users;
    const char *taken_at;
    const char *sums; /* JSON text of certificate_sums, as the look kept it */
};
struct certificate_hybrid {
    const char *status;
    double alpha, early_share, tuned_fraction;
    struct optional_number early_error, end_z;
    const struct certificate_hybrid_end *end; /* NULL before it */
    OBJECT_LIST(struct certificate_hybrid_reading, readings);
};

struct certificate_reason {
    const char *code;
    struct optional_integer arm;
    const char *part; /* a guardrail or stratum */
};
struct certificate_verdict {
    const char *verdict;
    const char *confidence;
    OBJECT_LIST(struct certificate_reason, reasons);
    OBJECT_LIST(struct certificate_reason, blockers);
};

struct certificate {
    const char *format;
    const char *experiment_id;
    const char *issued_at;
    const char *data_version;
    const char *key; /* fingerprint of the public key */
    const struct certificate_formulas *formulas;
    const struct certificate_design *design;
    const struct certificate_population *population;
    const struct live_source_block *source; /* NULL = clients send the events */
    OBJECT_LIST(struct certificate_arm, arms);
    OBJECT_LIST(struct certificate_stratum, strata);
    OBJECT_LIST(struct certificate_guardrail, guardrails);
    OBJECT_LIST(struct certificate_comparison, comparisons);
    const struct certificate_sample_ratio *sample_ratio;
    const struct certificate_sequential *sequential;
    const struct certificate_hybrid *hybrid; /* NULL = without hybrid readings */
    const struct certificate_verdict *decision;
};
SCHEMA_OF(certificate_schema, struct certificate);

/* The signed text: what is signed are the bytes of `certificate` as they stand in the answer. */
struct signed_certificate {
    const char *certificate; /* JSON text */
    const char *signature;   /* base64url without padding */
};
SCHEMA_OF(signed_certificate_schema, struct signed_certificate);

/* Computes the results of the view, and fills in all but the exposures, the key and the time. */
void certificate_fill(const struct live_results_call *call, const struct live_view *view,
                      struct certificate *certificate);

/* Reads the experiment and its exposures in one snapshot, and signs its certificate with the key of
 * the installation. Errors of live_view_load(), of signing_key_load(), ERROR_TOO_LARGE
 * `certificate_too_large`, ERROR_INVALID `certificate_goals` for a design with several goals,
 * ERROR_CONFLICT `certificate_of_planned_looks`. */
MUST_CHECK enum error certificate_issue(const struct live_call *call,
                                        const struct live_results_call *results, const char *id,
                                        struct signed_certificate *issued);

/* Where the preparation goes on; empty at the beginning, and again after the last experiment. */
struct certificates_place {
    char after[64]; /* the id of an experiment */
};

/* Stores what takes longest to read of the certificates of decided experiments, so that the first
 * one is quick too: looks at the next `most` of them. One that fails is logged and passed over,
 * unless the database is unavailable. */
MUST_CHECK enum error certificates_prepare(const struct live_call *call, int most,
                                           struct certificates_place *place);

#endif
