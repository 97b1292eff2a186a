/* The schema of several goals that decide together, in the live statistics. */
#ifndef ASSAY_EXPERIMENTS_LIVE_RESULTS_GOALS_SCHEMA_H
#define ASSAY_EXPERIMENTS_LIVE_RESULTS_GOALS_SCHEMA_H

#include "base/schema.h"

/* In natural units: shares of users, means, ratios. */
struct live_goal_comparison {
    int64_t treatment_index;
    const char *status;
    struct optional_number control_value, treatment_value;
    struct optional_number effect, ci_lower, ci_upper;
    struct optional_number p_value;          /* of this goal alone; absent = too early */
    struct optional_number p_value_adjusted; /* of the claim in the direction of the effect */
    bool is_proven;
    bool is_worse; /* proven, too */
    const char *worthwhile;
    int practical; /* enum practical */
};
struct live_goal {
    const char *name;
    const char *unit;
    const char *direction;
    struct optional_number worthwhile_effect;
    OBJECT_LIST(struct live_goal_comparison, comparisons); /* struct live_goal_comparison */
};

/* What the rule says of a treatment. */
struct live_goal_treatment {
    int64_t treatment_index;
    double p_value_adjusted;
    bool is_met;
    bool is_worse; /* a goal is proven to be worse */
    const char *worthwhile;
    int practical; /* enum practical */
    bool is_known; /* a goal could be compared */
};

struct live_goals {
    const char *requires;
    const char *correction;
    const char *reading;
    const char *status;
    double alpha;
    double ci_level;
    OBJECT_LIST(struct live_goal, goals);                /* struct live_goal */
    OBJECT_LIST(struct live_goal_treatment, treatments); /* struct live_goal_treatment */
};
SCHEMA_OF(live_goals_schema, struct live_goals);

#endif
