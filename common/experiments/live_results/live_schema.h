/*
 * The schemas of a running experiment: live statistics and the decision. Structs hold exact
 * numbers; the schemas round them.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_RESULTS_LIVE_SCHEMA_H
#define ASSAY_EXPERIMENTS_LIVE_RESULTS_LIVE_SCHEMA_H

#include "experiments/analyses/results_schema.h"
#include "experiments/live/view.h"
#include "experiments/live_results/adaptive_schema.h"
#include "experiments/live_results/goals_schema.h"
#include "experiments/live_results/source.h"
#include "experiments/sequential/hybrid_block.h"
#include "experiments/sequential/planned_looks_block.h"

struct live_arm_statistic {
    int64_t variation_index;
    int64_t exposed_users;
    int64_t converted_users;
    struct optional_number conversion_rate;
    struct optional_number mean;
    struct optional_number std;
    struct optional_number ratio;
};

struct live_always_valid {
    const char *status;
    struct optional_number always_valid_p_value;
    struct optional_number confidence_level;
    struct optional_number ci_sequence_lower;
    struct optional_number ci_sequence_upper;
    struct optional_boolean is_significant;
    struct optional_number mixture_variance;
    const char *note;
};

/* Mismatch of one stratum: the threshold is divided among the strata (Bonferroni). */
struct live_stratum_srm {
    const char *stratum;
    struct integer_list observed_counts;
    double chi_square;
    double p_value;
    bool is_srm;
};

struct live_srm {
    const char *status;
    struct optional_number chi_square;
    struct optional_number p_value;
    bool is_srm;
    struct integer_list observed_counts;
    struct number_list expected_counts;
    const char *verdict;
    struct optional_integer deviating_arm; /* the deviating variant, when there are three or more */
    OBJECT_LIST(struct live_stratum_srm, strata);
};

/* `test` is what the analysis was made of. */
struct live_comparison {
    int64_t treatment_index;
    const char *status;
    const struct live_arm_statistic *control;
    const struct live_arm_statistic *treatment;
    const struct results_reply *analysis;
    struct optional_number probability_treatment_beats_control;
    struct optional_boolean sequential_significant;
    const struct live_always_valid *always_valid;
    const char *note;
    struct test_result test;
    double variance;                         /* of the difference, unpooled, in natural units */
    const struct live_look_reading *planned; /* NULL = no planned looks, and no hybrid test */
};

struct live_sequential {
    const char *status;
    int64_t n_looks;
    struct optional_integer planned_sample_size_per_variant;
    int64_t total_exposed;
    struct optional_number information_fraction;
    struct optional_number smallest_arm_fraction;
    struct optional_number current_boundary_z;
    const char *note;
    const struct live_planned_looks *planned_looks; /* NULL = none are planned */
    const struct live_hybrid *hybrid;               /* NULL = no hybrid test */
    const char *looks_status;                       /* of either; NULL = there is neither */
    double final_boundary;                          /* of an active design */
    double plans; /* current sample divided by the planned sample; 0 = no plan */
};

struct live_covariate_slope {
    const char *name;
    double theta;
};
struct live_ignored_covariate {
    const char *name;
    int64_t users;
    double coverage;
};
struct live_cuped_arm {
    int64_t variation_index;
    int64_t covariate_users;
    int64_t exposed_users;
    struct optional_number coverage;
    struct optional_number unadjusted_mean;
    struct optional_number adjusted_mean;
    struct optional_number adjusted_std;
};
struct live_cuped_comparison {
    int64_t treatment_index;
    const char *status;
    const struct live_cuped_arm *control;
    const struct live_cuped_arm *treatment;
    const struct results_reply *analysis;
    struct optional_number variance_reduction_pct;
    const char *note;
};
struct live_cuped {
    const char *status;
    const char *note;
    struct optional_number theta;
    struct optional_integer num_covariates;
    OBJECT_LIST(struct live_covariate_slope, covariates);
    OBJECT_LIST(struct live_ignored_covariate, ignored_covariates);
    struct optional_number variance_reduction_pct;
    struct optional_integer covariate_users_total;
    struct optional_integer exposed_users_total;
    struct optional_number coverage_total;
    const char *selection_caveat;
    OBJECT_LIST(struct live_cuped_comparison, comparisons);
};

/* What a treatment shows with all secondary metrics taken into account. */
struct live_adjusted_claim {
    int64_t treatment_index;
    struct optional_number p_value_adjusted;
    struct optional_boolean is_significant;
};
struct live_adjusted_secondary {
    const char *metric;
    const char *status;
    const struct adjusted_reply *analysis;
    OBJECT_LIST(struct live_adjusted_claim, claims);
};

/* The effect of the design's metric adjusted by covariates, over all users; the same of means per
 * user of the secondary metrics. */
struct live_adjusted {
    const char *status;
    const char *metric;
    const struct adjusted_reply *analysis;
    OBJECT_LIST(struct live_adjusted_secondary, secondary);
};

struct live_stratum_effect {
    const char *stratum;
    int64_t users;
    int64_t control_users;
    int64_t treatment_users;
    struct optional_number effect;
};
struct live_stratified_comparison {
    int64_t treatment_index;
    const char *status;
    struct optional_number effect;
    struct optional_number pooled_effect;
    struct optional_number standard_error;
    struct optional_number test_statistic;
    struct optional_number p_value;
    struct optional_number ci_lower;
    struct optional_number ci_upper;
    struct optional_number ci_level;
    struct optional_boolean is_significant;
    struct optional_number variance_reduction_pct;
    struct optional_integer num_strata;
    OBJECT_LIST(struct live_stratum_effect, strata);
    const char *note;
};
struct live_stratified {
    const char *status;
    const char *note;
    struct optional_integer num_strata;
    struct optional_integer stratified_users_total;
    struct optional_integer exposed_users_total;
    OBJECT_LIST(struct live_stratified_comparison, comparisons);
};

struct live_guardrail_arm {
    int64_t variation_index;
    int64_t exposed_users;
    struct optional_number point_estimate;
};
struct live_guardrail_comparison {
    int64_t treatment_index;
    const char *status;
    const struct live_guardrail_arm *control;
    const struct live_guardrail_arm *treatment;
    struct optional_number effect;
    struct optional_number harm;
    struct optional_number harm_lower_bound;
    struct optional_number harm_upper_bound;
    double margin;
    struct optional_number p_value;
    bool is_breached;
    struct optional_boolean is_non_inferior;
    struct optional_number p_value_non_inferior;
    const char *note;
};
struct live_guardrail_metric {
    const char *name;
    const char *metric_type;
    const char *direction;
    struct optional_number margin_pct;
    const char *status;
    struct optional_boolean is_non_inferior;
    OBJECT_LIST(struct live_guardrail_comparison, comparisons);
};
struct live_guardrail {
    const char *status;
    const char *note;
    bool any_breached;
    OBJECT_LIST(struct live_guardrail_metric, metrics);
};

struct live_holdout_side {
    const char *label;
    int64_t exposed_users;
    int64_t converted_users;
    struct optional_number conversion_rate;
    struct optional_number mean;
    struct optional_number std;
};
struct live_holdout {
    const char *status;
    const char *note;
    const struct live_holdout_side *treated;
    const struct live_holdout_side *holdout;
    const struct results_reply *analysis;
    struct optional_number probability_treated_beats_holdout;
    const struct live_always_valid *always_valid;
    struct optional_integer treated_users_total;
    struct optional_integer holdout_users_total;
};

struct live_event_timing {
    const char *status;
    const char *metric;
    double horizon_days;
    int64_t in_window;
    int64_t late;
    int64_t out_of_order;
    int64_t total;
    const char *conversion_window;
    struct optional_number conversion_window_days;
};
struct live_identity_resolution {
    const char *status;
    int64_t linked_identities;
    struct optional_integer canonicalized_events;
    struct optional_integer merged_users;
};
struct live_exclusions {
    const char *status;
    int64_t total_filtered;
    struct optional_integer manual_filtered;
    struct optional_integer rate_spike_filtered;
};
struct live_population {
    const char *status;
    const char *policy_version;
    const char *fingerprint;
    int64_t treated_users;
    int64_t holdout_users;
    int64_t excluded_users;
    int64_t manual_excluded;
    int64_t rate_spike_excluded;
    int64_t linked_identities;
    bool policy_aligned;
    int64_t multiple_exposure_users;
    double multiple_exposure_share; /* of all exposed users, the holdout included */
};

/* A metric of the design over subjects of the arms, in any role. */
struct live_metric_comparison {
    int64_t treatment_index;
    const char *status;
    struct optional_number control_value;
    struct optional_number treatment_value;
    struct optional_number effect;
    struct optional_number effect_relative;
    struct optional_number ci_lower;
    struct optional_number ci_upper;
    struct optional_number p_value;
    struct optional_number p_value_adjusted;
    struct optional_boolean is_significant;
    struct optional_boolean is_improvement;
    struct optional_number always_valid_p_value; /* of quantiles */
    struct optional_number always_valid_lower, always_valid_upper;
};
struct live_metric {
    const char *name;
    const char *role;
    const char *unit;
    const char *direction;
    struct optional_number at;  /* of robust metrics, as in the design */
    struct optional_number cap; /* limit at which values were capped */
    const char *reason;         /* why there is no comparison; NULL otherwise */
    OBJECT_LIST(struct live_metric_comparison, comparisons);
};

/* Remaining time to the planned sample, at the rate so far. */
struct live_forecast {
    const char *status;
    struct optional_integer people_needed;
    struct optional_integer people_left;
    struct optional_number people_per_day;
    struct optional_number days_observed;
    struct optional_number days_left;
    struct optional_number days_left_lower;
    struct optional_number days_left_upper;
};

/* The primary metric for every value of a dimension. */
struct live_slice {
    const char *value;
    int64_t people;
    OBJECT_LIST(struct live_metric_comparison, comparisons); /* struct live_metric_comparison */
};
struct live_drill_down {
    const char *status;
    const char *dimension;
    const char *unit;
    OBJECT_LIST(struct live_slice, slices);
};

/* Events under names that are not in the design. */
struct live_unknown_metrics {
    int64_t names_total;
    int64_t events_total;
    OBJECT_LIST(struct live_unknown_metric, metrics);
};

struct live_clusters; /* clusters.h */

/* The primary metric by posteriors; `analysis` is NULL unless the status is ok. */
struct bayes_reply; /* experiments/analyses/bayes_analysis.h */
struct live_bayes {
    const char *status;
    const struct bayes_reply *analysis;
};

struct live_stats {
    const char *experiment_id;
    const char *metric_type;
    const char *primary_metric_name;
    const char *direction;
    int64_t exposures_total;
    int64_t conversions_total;
    const char *disclaimer;
    const struct live_srm *srm;
    OBJECT_LIST(struct live_comparison, comparisons);
    const struct live_sequential *sequential;
    const struct live_cuped *cuped;
    const struct live_adjusted *adjusted;
    const struct live_stratified *stratified;
    const struct live_guardrail *guardrail;
    const struct live_holdout *holdout;
    const struct live_event_timing *event_timing;
    const struct live_identity_resolution *identity_resolution;
    const struct live_exclusions *exclusions;
    const struct live_population *population;
    OBJECT_LIST(struct live_metric, metrics); /* struct live_metric */
    const struct live_forecast *forecast;
    const struct live_drill_down *drill_down; /* NULL = not requested */
    const struct live_unknown_metrics *unknown_metrics;
    const struct live_adaptive *adaptive; /* NULL where the experiment is not adaptive */
    const struct live_clusters *clusters; /* NULL = users are on their own */
    OBJECT_LIST(struct warning, warnings);
    const struct live_goals *goals;           /* NULL = the primary metric alone */
    const struct live_bayes *bayes;           /* NULL = no settings for it */
    const struct live_source_block *livedata; /* NULL = its events are sent by clients */
};

SCHEMA_OF(live_stats_schema, struct live_stats);
SCHEMA_OF(live_comparison_schema, struct live_comparison);
SCHEMA_OF(live_arm_schema, struct live_arm_statistic);

#endif
