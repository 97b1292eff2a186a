/*
 * Checks whether a user may take part in an experiment: evaluates the targeting rules of the design
 * on the user's attributes, and names the rule that keeps the user out.
 */
#ifndef ASSAY_EXPERIMENTS_ASSIGNMENT_TARGETING_H
#define ASSAY_EXPERIMENTS_ASSIGNMENT_TARGETING_H

#include "base/optional.h"
#include "experiments/payloads/payload.h"

/* The name by which rules ask for the id of the user. */
#define TARGETING_USER "targetingKey"

/* Of whom rules are asked. */
struct targeting_subject {
    const json_t *attributes; /* an object or NULL */
    const char *user_id;      /* NULL = not told; an attribute of the name TARGETING_USER leads */
    struct arena *arena;
};

/* Why a user is kept out. */
struct targeting_failure {
    int64_t group;                     /* of the design's groups; -1 = the design's own rules */
    int64_t rule;                      /* within them; -1 = none of several rules holds */
    const struct targeting_rule *what; /* NULL likewise */
    const json_t *attribute;           /* as told; NULL = not told */
};

/* Whether the rules hold; without any they hold for everybody. `failure` (or NULL) is filled in
 * when they do not.
 *
 * A rule on an unknown or null attribute fails; not_equals, not_in, not_contains and exists with
 * false hold. Equality is JSON equality with numbers compared by value: 1 equals 1.0, and true is
 * not 1. Order compares numbers; numeric texts count as numbers, other values do not compare.
 * `contains` looks for a part of a text, or for an item of a list. Texts are compared code point by
 * code point as they were sent, without folding of case and without normalization: the forms NFC
 * and NFD of a letter differ. Versions compare by base/version.h. */
bool targeting_holds(const struct payload_setup *setup, const struct targeting_subject *subject,
                     struct targeting_failure *failure);

/* Whether the design has rules or groups. */
bool targeting_is_set(const struct payload_setup *setup);

#endif
