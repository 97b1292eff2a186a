/*
 * Checks whether a user may take part in an experiment: evaluates the targeting rules of the design
 * on the user's attributes, and names the rule that keeps the user out.
 */
#ifndef ASSAY_EXPERIMENTS_ASSIGNMENT_TARGETING_H
#define ASSAY_EXPERIMENTS_ASSIGNMENT_TARGETING_H

#include "base/optional.h"
#include "experiments/payloads/payload.h"

/* Of whom rules are asked. */
struct targeting_subject {
    const json_t *attributes; /* an object or NULL */
    const char *user_id;      /* NULL = not told; an attribute of the name TARGETING_USER leads */
    struct arena *arena;
    const struct targeting_segment *segments; /* those that the rules name, as far as there are */
    size_t segment_count;
};

/* Why a user is kept out. */
struct targeting_failure {
    int64_t group;                     /* of the design's groups; -1 = the design's own rules */
    int64_t rule;                      /* within them; -1 = none of several rules holds */
    const struct targeting_rule *what; /* NULL likewise */
    const json_t *attribute;           /* as told; NULL = not told */
    const struct targeting_segment *segment; /* that the rule asks for; NULL = none, or unknown */
};

/* What is known of the user and a segment. The user belongs to it who is listed or for whom its
 * rules hold. */
struct targeting_segment {
    const char *name;
    bool listed;
    bool has_rules, rules_hold;
    struct targeting_failure failure; /* when it has rules and they do not hold */
};

/* Whether the rules hold; without any they hold for everybody. `failure` (or NULL) is filled in
 * when they do not.
 *
 * A rule on an unknown or null attribute fails; not_equals, not_in, not_contains and exists with
 * false hold. Equality is JSON equality with numbers compared by value: 1 equals 1.0, and true is
 * not 1. Order compares numbers; numeric texts count as numbers, other values do not compare.
 * `contains` looks for a part of a text, or for an item of a list. Texts are compared code point by
 * code point as they were sent, without folding of case and without normalization: the forms NFC
 * and NFD of a letter differ. Versions compare by base/version.h. A segment that is not among those
 * of the subject has no users. */
bool targeting_holds(const struct payload_setup *setup, const struct targeting_subject *subject,
                     struct targeting_failure *failure);

/* The same of a list of rules; `match` is an enum targeting_match. A failure has no group. */
bool targeting_rules_hold(const struct object_list *rules, int match,
                          const struct targeting_subject *subject,
                          struct targeting_failure *failure);

/* The names of the segments that the design asks for, each once, from the arena. */
struct string_list targeting_segment_names(const struct payload_setup *setup, struct arena *arena);

/* Whether the design has rules or groups. */
bool targeting_is_set(const struct payload_setup *setup);

#endif
