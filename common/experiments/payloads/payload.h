/*
 * The design of an experiment as users save it: six blocks of a JSON document, decoded into
 * structs. payload_to_sizing() converts it into a sizing request.
 */
#ifndef ASSAY_EXPERIMENTS_PAYLOADS_PAYLOAD_H
#define ASSAY_EXPERIMENTS_PAYLOADS_PAYLOAD_H

#include "base/schema.h"
#include "experiments/design/sizing_rules.h"
#include "experiments/payloads/payload_clusters.h"
#include "experiments/payloads/payload_dimensions.h"
#include "experiments/payloads/payload_goals.h"
#include "experiments/payloads/payload_looks.h"
#include "experiments/payloads/payload_metric_rules.h"
#include "experiments/payloads/payload_targeting.h"

enum {
    PAYLOAD_SCHEMA_VERSION = 1,          /* stored beside every payload */
    PAYLOAD_BYTES_MAX = 16 * 1024 * 1024 /* of its stored form */
};

struct payload_project {
    const char *project_name;
    const char *domain;
    const char *product_type;
    const char *platform;
    const char *market;
    const char *project_description;
};

struct payload_hypothesis {
    const char *change_description;
    const char *target_audience;
    const char *business_problem;
    const char *hypothesis_statement;
    const char *what_to_validate;
    const char *desired_result;
};

struct payload_namespace {
    const char *id;
    double range_start;
    double range_end;
};

struct payload_setup {
    const char *experiment_type;
    const char *randomization_unit;
    struct number_list traffic_split;
    int64_t expected_daily_traffic;
    double audience_share_in_test;
    int64_t variants_count;
    const char *inclusion_criteria;
    const char *exclusion_criteria;
    struct optional_number avg_cluster_size;
    struct optional_number icc;
    const struct payload_namespace *namespace;
    OBJECT_LIST(struct targeting_rule, targeting_rules); /* struct targeting_rule */
    OBJECT_LIST(struct targeting_group, targeting_groups);
    int targeting_match;                               /* enum targeting_match; -1 = all */
    OBJECT_LIST(struct payload_dimension, dimensions); /* struct payload_dimension */
    const struct payload_clusters *clusters;           /* NULL = users are on their own */
};

enum robust_statistic { ROBUST_CAPPED_MEAN, ROBUST_WINSORIZED_MEAN, ROBUST_QUANTILE, ROBUST__MAX };
extern const char *const robust_statistic_names[ROBUST__MAX];

enum { ROBUST_METRICS_MAX = 8 };

/* A metric whose analysis is robust against outliers. */
struct robust_metric {
    const char *name;
    int statistic; /* enum robust_statistic */
    double at;     /* the cap; else the percentile */
    bool ignore_zeros;
    int direction; /* enum goal_direction */
};
SCHEMA_OF(robust_schema, struct robust_metric);

/* Desired direction of a secondary metric when it is not an increase. */
struct metric_direction {
    const char *name;
    int direction; /* enum goal_direction */
};

enum guardrail_direction { GUARDRAIL_INCREASE_IS_BAD, GUARDRAIL_DECREASE_IS_BAD, GUARDRAIL__MAX };

struct guardrail_metric {
    const char *name;
    int metric_type;                      /* METRIC_BINARY or METRIC_CONTINUOUS */
    struct optional_number baseline_rate; /* percent */
    struct optional_number baseline_mean;
    struct optional_number std_dev;
    int direction; /* enum guardrail_direction */
    struct optional_number non_inferiority_margin_pct;
};

/* The metric of the catalog that the plan was made with. */
struct payload_catalog_metric {
    const char *id;
    int64_t version;
};
SCHEMA_OF(payload_catalog_metric_schema, struct payload_catalog_metric);

/* How posteriors of the running experiment are made. Fixed before the data. */
struct bayes_prior; /* experiments/analyses/bayes_analysis.h */
struct payload_bayes {
    const struct bayes_prior *prior; /* NULL = uniform for rates, flat for means */
    double credibility;
    struct optional_number loss_threshold; /* absent = a twentieth of the worthwhile effect */
};

struct payload_metrics {
    const char *primary_metric_name;
    int metric_type; /* enum metric_type */
    double baseline_value;
    struct optional_number expected_uplift_pct;
    double mde_pct;
    int direction; /* enum goal_direction */
    struct optional_number exposure_per_user;
    int planned_test; /* enum planned_test, -1 = none */
    struct optional_number equivalence_margin_pct;
    double alpha;
    double power;
    struct optional_number std_dev;
    struct optional_number cuped_pre_experiment_std;
    struct optional_number cuped_correlation;
    const char *numerator_metric_name;
    const char *denominator_metric_name;
    struct string_list secondary_metrics;
    OBJECT_LIST(struct metric_direction, secondary_directions); /* struct metric_direction */
    OBJECT_LIST(struct guardrail_metric, guardrail_metrics);    /* struct guardrail_metric */
    OBJECT_LIST(struct robust_metric, robust_metrics);          /* struct robust_metric */
    int conversion_window;                                      /* enum conversion_window */
    struct optional_number conversion_window_days;       /* after the exposure; absent = any */
    OBJECT_LIST(struct metric_rule, metric_rules);       /* struct metric_rule */
    const struct payload_catalog_metric *catalog_metric; /* NULL = of no catalog */
    const struct payload_goals *goals;                   /* NULL = the primary metric alone */
    const struct payload_bayes *bayes;                   /* NULL = no block in live statistics */
};

struct payload_constraints {
    bool seasonality_present;
    bool active_campaigns_present;
    bool returning_users_present;
    const char *interference_risk;
    const char *technical_constraints;
    const char *legal_or_ethics_constraints;
    const char *known_risks;
    const char *deadline_pressure;
    bool long_test_possible;
    int64_t n_looks;
    int analysis_mode; /* enum analysis_mode */
    struct optional_number desired_precision;
    double credibility;
    struct optional_number holdout_fraction;
    struct optional_integer mutually_exclusive_experiments;
    const struct payload_looks *planned_looks; /* NULL = none by a spending function */
    const struct payload_hybrid *hybrid;       /* NULL = not read at any time until one test */
};

struct observed_results {
    const void *request;  /* of results_schema.h */
    const void *analysis; /* of results_schema.h */
    const char *saved_at;
};

struct payload_context {
    const char *llm_context;
    const struct observed_results *observed_results;
};

struct experiment_payload {
    const struct payload_project *project;
    const struct payload_hypothesis *hypothesis;
    const struct payload_setup *setup;
    const struct payload_metrics *metrics;
    const struct payload_constraints *constraints;
    const struct payload_context *additional_context;
};

/* The schema of a design for the API document. */
#define PAYLOAD_EXAMPLE                                                                            \
    "{\"project\":{\"project_name\":\"Checkout button\",\"domain\":\"e-commerce\","                \
    "\"product_type\":\"web shop\",\"platform\":\"web\",\"market\":\"DE\","                        \
    "\"project_description\":\"\"},\"hypothesis\":{\"change_description\":\"Larger button\","      \
    "\"target_audience\":\"New visitors\",\"business_problem\":\"Abandoned carts\","               \
    "\"hypothesis_statement\":\"A larger button is found sooner\","                                \
    "\"what_to_validate\":\"Conversion\",\"desired_result\":\"More orders\"},"                     \
    "\"setup\":{\"experiment_type\":\"ab\",\"randomization_unit\":\"user\","                       \
    "\"traffic_split\":[50,50],\"expected_daily_traffic\":12000,"                                  \
    "\"audience_share_in_test\":0.6,\"variants_count\":2,\"inclusion_criteria\":\"\","             \
    "\"exclusion_criteria\":\"\"},\"metrics\":{\"primary_metric_name\":\"conversion\","            \
    "\"metric_type\":\"binary\",\"baseline_value\":0.042,\"mde_pct\":5,\"alpha\":0.05,"            \
    "\"power\":0.8},\"constraints\":{\"seasonality_present\":false,"                               \
    "\"active_campaigns_present\":false,\"returning_users_present\":true,"                         \
    "\"interference_risk\":\"\",\"technical_constraints\":\"\","                                   \
    "\"legal_or_ethics_constraints\":\"\",\"known_risks\":\"\",\"deadline_pressure\":\"\","        \
    "\"long_test_possible\":true}}"

SCHEMA_OF(payload_schema, struct experiment_payload);

/* As payload_schema, with the rules of a design that can be sized at once. */
SCHEMA_OF(design_schema, struct experiment_payload);

/* Desired direction of a secondary metric: GOAL_INCREASE when the design gives none. */
int payload_secondary_direction(const struct payload_metrics *metrics, const char *name);

/* The window in which events of a metric count: its own, or that of the experiment. */
int payload_window(const struct payload_metrics *metrics, const char *name,
                   struct optional_number *days);

/* The sizing request of the design. Its lists are those of the payload. */
void payload_to_sizing(const struct experiment_payload *payload, struct sizing_request *request);

/* The payload in its stored form: every key present, defaults filled in. From the arena. */
const char *payload_to_json(const struct experiment_payload *payload, struct arena *arena);

#endif
