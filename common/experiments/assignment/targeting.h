/*
 * Whether a user may take part in an experiment: the rules of the design against the user's
 * attributes. A rule about an unknown or null attribute fails; only not_equals holds for it.
 */
#ifndef ASSAY_EXPERIMENTS_ASSIGNMENT_TARGETING_H
#define ASSAY_EXPERIMENTS_ASSIGNMENT_TARGETING_H

#include "base/optional.h"
#include "experiments/payloads/payload.h"

/* `rules` are struct targeting_rule; none of them means everybody. `attributes` is an object, or
 * NULL. Equality is that of JSON, numbers by their value: 1 is 1.0, and true is not 1. Order is of
 * numbers; texts that read as numbers count as numbers, anything else does not compare. */
bool targeting_holds(const struct object_list *rules, const json_t *attributes);

#endif
