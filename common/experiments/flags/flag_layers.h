/*
 * Layers: designs that name the same namespace share its users, each within a range. Flags that are
 * on at the same time exclude each other only if their ranges do not overlap.
 */
#ifndef ASSAY_EXPERIMENTS_FLAGS_FLAG_LAYERS_H
#define ASSAY_EXPERIMENTS_FLAGS_FLAG_LAYERS_H

#include "experiments/flags/flag_store.h"
#include "experiments/payloads/payload.h"

/* Whether a flag of this design may be on beside those that are: ERROR_CONFLICT `layer_overlap`
 * names one whose range overlaps. Designs without a namespace always may. In the transaction that
 * switches the flag on, under its lock. */
MUST_CHECK enum error flag_check_layer(const struct flag_call *call, const char *experiment_id,
                                       const struct experiment_payload *design);

/* Who has a place of a namespace: the project of a flag that is on, other than `experiment_id`,
 * whose range has the position. NULL = nobody. The name comes from the arena. */
MUST_CHECK enum error flag_layer_owner(const struct flag_call *call, const char *experiment_id,
                                       const char *space, double position, const char **name);

#endif
