/*
 * Layers: designs that name the same namespace share its users, each within a range. Flags that are
 * on at the same time exclude each other only if their ranges do not overlap.
 */
#ifndef ASSAY_EXPERIMENTS_FLAGS_FLAG_LAYERS_H
#define ASSAY_EXPERIMENTS_FLAGS_FLAG_LAYERS_H

#include "experiments/flags/flag_store.h"
#include "experiments/payloads/payload.h"

/* The range of a flag that is on and not fixed: a fixed flag assigns nobody. */
struct flag_layer {
    const char *experiment_id;
    const char *project_name;
    const char *space; /* the namespace */
    double range_start, range_end;
};

/* All of them: a list of struct flag_layer, from the arena. */
MUST_CHECK enum error flag_layers_read(const struct flag_call *call, struct object_list *layers);

/* Whether a flag of this design may be on beside those that are: ERROR_CONFLICT `layer_overlap`
 * names one whose range overlaps. Designs without a namespace always may. In the transaction that
 * switches the flag on, under its lock. */
MUST_CHECK enum error flag_check_layer(const struct flag_call *call, const char *experiment_id,
                                       const struct experiment_payload *design);

/* The project other than `experiment_id` whose range has the position; NULL = none. */
const char *flag_layer_owner(const struct object_list *layers, const char *experiment_id,
                             const char *space, double position);

#endif
