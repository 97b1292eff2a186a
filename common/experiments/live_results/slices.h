/*
 * What an experiment shows in each value of the dimensions that its design names, for every metric.
 * Discoveries hold at every look and for dependent metrics: e-values with a limited false discovery
 * rate (stats/e_values.h), judged against all slices that the design has places for.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_RESULTS_SLICES_H
#define ASSAY_EXPERIMENTS_LIVE_RESULTS_SLICES_H

#include "experiments/live_results/live_results.h"

/* Subjects of each arm that an e-value needs: with fewer, skewed values are not yet nearly
 * normal. */
enum { SLICE_USERS_MIN = 100 };

/* A metric of a slice: a treatment against the control; then that effect against the effect among
 * all other users. */
struct live_slice_effect {
    const char *metric;
    int64_t treatment_index;
    const char *status;
    struct optional_number control_value;
    struct optional_number treatment_value;
    struct optional_number effect;
    struct optional_number effect_relative;
    struct optional_number ci_lower, ci_upper;
    struct optional_number e_value;
    bool is_discovered;
    struct optional_boolean is_improvement;
    struct optional_number difference;
    struct optional_number difference_lower, difference_upper;
    struct optional_number difference_e_value;
    bool differs;
};
struct live_slice_effects {
    const char *dimension;
    const char *value;
    int64_t people;
    OBJECT_LIST(struct live_slice_effect, effects); /* struct live_slice_effect */
};
struct live_slices_metric {
    const char *name;
    const char *role;
    const char *unit;
    const char *direction;
};
struct live_slices_dimension {
    const char *name;
    const char *status;
    int64_t places;
    int64_t values;
};
struct live_slices {
    const char *experiment_id;
    const char *status;
    double false_discovery_rate;
    int64_t users_needed;
    int64_t hypotheses;
    int64_t discoveries;
    double confidence_level;
    int64_t differences;
    double difference_confidence_level;
    OBJECT_LIST(struct live_slices_dimension, dimensions); /* struct live_slices_dimension */
    OBJECT_LIST(struct live_slices_metric, metrics);       /* struct live_slices_metric */
    OBJECT_LIST(struct live_slice_effects, slices);        /* struct live_slice_effects */
};

SCHEMA_OF(live_slices_schema, struct live_slices);

/* The view was loaded with its option `declared`. */
void live_results_slices(const struct live_results_call *call, const struct live_view *view,
                         struct live_slices *slices);

#endif
