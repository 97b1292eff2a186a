/*
 * Whether an experiment is for a user: all rules of a design against what is known about the user.
 * A rule about an attribute that is not known, or null, fails; only not_equals holds for it.
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
