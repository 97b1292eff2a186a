/*
 * Whether other running experiments change the effect of an experiment, among the users that both
 * have: per pair of treatments the difference of effects with its interval and p-value. Cost:
 * bounded by the users that a request may go over.
 */
#ifndef ASSAY_EXPERIMENTS_INTERACTIONS_INTERACTIONS_H
#define ASSAY_EXPERIMENTS_INTERACTIONS_INTERACTIONS_H

#include "experiments/live_results/live_results.h"

/* Other experiments that are looked at, where none is named. */
enum { INTERACTION_EXPERIMENTS_MAX = 20 };

/* The effect of a treatment beside a treatment of the other experiment, less that beside its
 * control. In units of the metric; rates are fractions. */
struct interaction_pair {
    int64_t treatment_index, other_treatment_index;
    const char *status;
    int64_t users; /* of all four cells */
    struct optional_number effect_beside_control, effect_beside_treatment;
    struct optional_number difference;
    struct optional_number standard_error;
    struct optional_number degrees_of_freedom;
    struct optional_number ci_lower, ci_upper; /* of all pairs together */
    struct optional_number p_value, p_value_adjusted;
    struct optional_number p_value_always_valid; /* adjusted, too */
    bool is_interaction;
};
struct interaction_experiment {
    const char *experiment_id;
    const char *project_name;
    const char *status;
    int64_t shared_users; /* of those gone over */
    struct optional_number shared_share;
    OBJECT_LIST(struct interaction_pair, pairs);
};
struct interactions {
    const char *experiment_id;
    const char *status;
    const char *metric;
    const char *unit; /* rate, mean or ratio */
    const char *rule;
    double alpha;
    double confidence_level;
    int64_t pairs;  /* that are looked at */
    int64_t users;  /* that were gone over */
    int64_t people; /* in the arms */
    bool is_sample;
    OBJECT_LIST(struct interaction_experiment, experiments);
};
SCHEMA_OF(interactions_schema, struct interactions);

struct interactions_order {
    const char *id;
    const char *with;  /* another experiment; NULL = all that are running */
    int64_t users_max; /* that may be gone over, those of other experiments counted again */
};

/* ERROR_NOT_FOUND `not_found` for either experiment; ERROR_INVALID `same_experiment`. */
MUST_CHECK enum error interactions_read(const struct live_call *call,
                                        const struct live_results_call *results,
                                        const struct interactions_order *order,
                                        struct interactions *shown);

#endif
