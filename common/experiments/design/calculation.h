/*
 * A sized design as one document: the plan, its companions, warnings, assumptions and power curve.
 * Returned over HTTP, and stored with projects.
 */
#ifndef ASSAY_EXPERIMENTS_DESIGN_CALCULATION_H
#define ASSAY_EXPERIMENTS_DESIGN_CALCULATION_H

#include "base/schema.h"
#include "experiments/design/sizing.h"
#include "i18n/i18n.h"

struct calculation_summary {
    const char *metric_type;
    double baseline_value;
    double mde_pct;
    double mde_absolute;
    const char *direction;
    double alpha;
    double power;
    const char *planned_test;
    struct optional_number equivalence_margin_pct;
    struct optional_number equivalence_margin_absolute;
};

/* Arms of the actual ratio; verified numbers are absent when the power is not enumerated. */
struct calculation_allocation {
    struct integer_list users_per_variant;
    int64_t total_sample_size;
    int64_t estimated_duration_days;
    int64_t extra_users;
    double total_ratio;
    struct optional_number verified_power;
    struct integer_list verified_users_per_variant;
    struct optional_integer verified_total_sample_size;
    struct optional_integer verified_duration_days;
};

struct calculation_results {
    int64_t sample_size_per_variant;
    int64_t total_sample_size;
    double effective_daily_traffic;
    int64_t estimated_duration_days;
    struct optional_number holdout_fraction;
    struct optional_integer mutually_exclusive_experiments;
    struct optional_number allocated_daily_traffic;
    struct optional_number verified_power;
    struct optional_integer verified_sample_size;
    const struct calculation_allocation *allocation; /* NULL in documents of older versions */
};

/* What to plan for: the numbers that people see, the same wherever a plan is shown. */
struct calculation_plan {
    struct integer_list users_per_variant; /* control first; with room for all looks */
    int64_t total_sample_size;
    int64_t estimated_duration_days;
    int64_t even_sample_size; /* per variant of an even split with a single look */
};

struct calculation_look {
    int64_t look;
    double info_fraction;
    double cumulative_alpha_spent;
    double incremental_alpha;
    double z_boundary;
    double p_boundary;
    bool is_final;
};

struct calculation {
    const struct calculation_summary *calculation_summary;
    const struct calculation_results *results;
    const struct calculation_plan *plan; /* NULL in documents of older versions */
    struct string_list assumptions;
    OBJECT_LIST(struct warning, warnings);
    const char *bonferroni_note;
    struct optional_number design_effect;
    struct optional_number avg_cluster_size;
    struct optional_number icc;
    struct optional_integer clusters_per_variant;
    struct optional_integer verified_clusters_per_variant;
    struct optional_integer bayesian_sample_size_per_variant;
    struct optional_number bayesian_credibility;
    const char *bayesian_note;
    OBJECT_LIST(struct calculation_look, sequential_boundaries);
    struct optional_number sequential_inflation_factor;
    struct optional_integer sequential_adjusted_sample_size;
    struct optional_integer sequential_duration_days;
    struct optional_number cuped_std;
    struct optional_integer cuped_sample_size_per_variant;
    struct optional_number cuped_variance_reduction_pct;
    struct optional_number cuped_duration_days;
    struct optional_number cuped_theta;
    OBJECT_LIST(struct power_point, power_curve);
    json_t *stored_boundaries; /* the two lists of a stored calculation, in any form */
    json_t *stored_power_curve;
};

SCHEMA_OF(calculation_schema, struct calculation);

/* Blocks that other documents share. */
SCHEMA_OF(calculation_results_schema, struct calculation_results);
SCHEMA_OF(calculation_plan_schema, struct calculation_plan);
SCHEMA_OF(calculation_warning_schema, struct warning);
SCHEMA_OF(calculation_allocation_schema, struct calculation_allocation);

/* Whether the verified size, or the actual split, takes something else than the plan by more than
 * its warning's threshold (1 % and a user): then people should use those numbers. */
bool calculation_is_off(const struct calculation_results *results);

/* Whether all variants have the same number of users. */
bool calculation_is_even(const struct integer_list *users);

struct calculation_call {
    const struct locale *locale; /* language of the warnings */
    struct arena *arena;
    struct problem *problem;
};

/* Sizes a valid design and fills in all blocks. Errors as in sizing.h and sequential.h. */
MUST_CHECK enum error calculation_run(const struct calculation_call *call,
                                      const struct sizing_request *design,
                                      struct calculation *answer);

#endif
