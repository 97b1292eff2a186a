/* The schemas of a survival analysis: the observed arms and the test result. */
#ifndef ASSAY_EXPERIMENTS_ANALYSES_SURVIVAL_SCHEMA_H
#define ASSAY_EXPERIMENTS_ANALYSES_SURVIVAL_SCHEMA_H

#include "base/schema.h"
#include "stats/survival/survival.h"

enum survival_test {
    SURVIVAL_LOG_RANK,
    SURVIVAL_FLEMING_HARRINGTON,
    SURVIVAL_COX,
    SURVIVAL_TEST__MAX
};

extern const char *const survival_test_names[SURVIVAL_TEST__MAX];

struct survival_request {
    const struct survival_arm *control_arm;
    const struct survival_arm *treatment_arm;
    OBJECT_LIST(struct survival_arm, additional_arms); /* of struct survival_arm */
    int test_type;                                     /* enum survival_test */
    double fh_rho;
    double fh_gamma;
    double alpha;
};

struct survival_arm_summary {
    int64_t n;
    int64_t observed;
    double expected;
};

struct survival_reply {
    double chi_square;
    int64_t degrees_of_freedom;
    double p_value;
    bool is_significant;
    const char *test_type;
    struct optional_number fh_rho;
    struct optional_number fh_gamma;
    struct optional_number hazard_ratio;
    struct optional_number hazard_ratio_ci_lower;
    struct optional_number hazard_ratio_ci_upper;
    struct optional_number log_hazard_ratio;
    struct optional_number log_hazard_ratio_se;
    int64_t observed_control;
    double expected_control;
    int64_t observed_treatment;
    double expected_treatment;
    int64_t n_control;
    int64_t n_treatment;
    OBJECT_LIST(struct survival_arm_summary,
                arm_summaries); /* struct survival_arm_summary, in the request's order */
    OBJECT_LIST(struct survival_point, control_curve); /* struct survival_point */
    OBJECT_LIST(struct survival_point, treatment_curve);
    struct object_list additional_arm_curves; /* lists of struct survival_point */
    const char *verdict;
    const char *interpretation;
};

SCHEMA_OF(survival_request_schema, struct survival_request);
SCHEMA_OF(survival_reply_schema, struct survival_reply);

/* Subjects in all arms of a valid request. */
int64_t survival_request_subjects(const struct survival_request *observed);

#endif
