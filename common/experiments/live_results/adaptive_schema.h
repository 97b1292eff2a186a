/* The block of live statistics that adaptive experiments have. */
#ifndef ASSAY_EXPERIMENTS_LIVE_RESULTS_ADAPTIVE_SCHEMA_H
#define ASSAY_EXPERIMENTS_LIVE_RESULTS_ADAPTIVE_SCHEMA_H

#include "base/schema.h"

struct live_adaptive_arm {
    int64_t variation_index;
    double share; /* of the newest round */
    int64_t exposed_users;
    struct optional_number exposed_share;
    struct optional_number mean; /* each round counts with all its users */
};

/* A treatment against the control, weighted by the logged probabilities: stats/adaptive_effect.h.
 * In units of the metric, rates as shares. */
struct live_adaptive_comparison {
    int64_t treatment_index;
    const char *status;
    struct optional_number effect;
    struct optional_number effect_relative;
    struct optional_number standard_error;
    struct optional_number always_valid_p_value;
    struct optional_number confidence_level;
    struct optional_number ci_sequence_lower;
    struct optional_number ci_sequence_upper;
    struct optional_boolean is_significant;
    double mixture_variance; /* not shown */
};

struct live_adaptive {
    const char *status;
    int64_t round;
    double floor;
    int64_t users_without_round; /* their probability is not known: they are in no comparison */
    OBJECT_LIST(struct live_adaptive_arm, arms);
    OBJECT_LIST(struct live_adaptive_comparison, comparisons);
    const char *note;
};

SCHEMA_OF(live_adaptive_schema, struct live_adaptive);

#endif
