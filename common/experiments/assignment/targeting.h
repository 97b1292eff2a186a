/*
 * Checks whether a user may take part in an experiment: evaluates the targeting rules of the design
 * on the user's attributes. A rule on an unknown or null attribute fails, except not_equals.
 */
#ifndef ASSAY_EXPERIMENTS_ASSIGNMENT_TARGETING_H
#define ASSAY_EXPERIMENTS_ASSIGNMENT_TARGETING_H

#include "base/optional.h"
#include "experiments/payloads/payload.h"

/* `rules` are struct targeting_rule; an empty list matches all users. `attributes` is an object, or
 * NULL. Equality is JSON equality with numbers compared by value: 1 equals 1.0, and true is not 1.
 * Order compares numbers; numeric texts count as numbers, other values do not compare. */
bool targeting_holds(const struct object_list *rules, const json_t *attributes);

#endif
