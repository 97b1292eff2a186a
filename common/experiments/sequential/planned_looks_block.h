/*
 * What the looks that were taken say under the planned looks of the design, and what a look now
 * would need. A verdict comes from looks that were taken, never from what the data show between
 * them.
 */
#ifndef ASSAY_EXPERIMENTS_SEQUENTIAL_PLANNED_LOOKS_BLOCK_H
#define ASSAY_EXPERIMENTS_SEQUENTIAL_PLANNED_LOOKS_BLOCK_H

#include "experiments/sequential/sequential_schema.h"

/* A treatment under the plan. Effects are in natural units. */
struct live_look_reading {
    int64_t treatment_index;
    const char *status;
    struct optional_number efficacy_z, futility_z; /* of a look now */
    struct optional_number z, effect, ci_lower, ci_upper;
    const struct sequential_monitor_reply *reading; /* NULL before the first look */
    bool ended;                                     /* no more looks count */
    bool adjusted;                                  /* what follows is known */
    bool is_significant;                            /* also after looks beyond the boundary */
    double p_value, estimate, lower, upper;         /* in units of the analysis */
};

struct live_look_taken {
    int64_t look;
    double information_fraction;
    int64_t users;
    const char *taken_at;
    const char *actor;
};

struct live_planned_looks {
    const char *status;
    int64_t sides;
    double alpha; /* of one comparison, over all looks and sides */
    const char *alpha_spending;
    const char *futility;
    struct number_list planned_fractions;
    struct optional_number next_fraction; /* of the next planned look */
    bool look_due;
    OBJECT_LIST(struct live_look_taken, looks);
    OBJECT_LIST(struct live_look_reading, comparisons);
    const char *plan;       /* what the looks of this plan share */
    size_t unplanned_count; /* looks that came before the users of the next planned one */
};
SCHEMA_OF(live_planned_looks_schema, struct live_planned_looks);

#endif
