/* Which users a design lets in: rules on what is known about a user, and groups of rules. */
#ifndef ASSAY_EXPERIMENTS_PAYLOADS_PAYLOAD_TARGETING_H
#define ASSAY_EXPERIMENTS_PAYLOADS_PAYLOAD_TARGETING_H

#include "base/schema.h"

enum {
    TARGETING_RULES_MAX = 20, /* of a design, and of a group */
    TARGETING_GROUPS_MAX = 10,
    TARGETING_ATTRIBUTE_MAX = 100, /* code points of its name */
    SEGMENT_NAME_MAX = 120         /* code points */
};

enum targeting_operator {
    TARGETING_EQUALS,
    TARGETING_NOT_EQUALS,
    TARGETING_IN,
    TARGETING_GT,
    TARGETING_LT,
    TARGETING_GTE,
    TARGETING_LTE,
    TARGETING_NOT_IN,
    TARGETING_CONTAINS,
    TARGETING_NOT_CONTAINS,
    TARGETING_STARTS_WITH,
    TARGETING_ENDS_WITH,
    TARGETING_VERSION_EQUALS,
    TARGETING_VERSION_GT,
    TARGETING_VERSION_LT,
    TARGETING_VERSION_GTE,
    TARGETING_VERSION_LTE,
    TARGETING_EXISTS,
    TARGETING_IN_SEGMENT,
    TARGETING_NOT_IN_SEGMENT,
    TARGETING__MAX
};
extern const char *const targeting_operator_names[TARGETING__MAX];

/* The name by which rules ask for the id of the user. */
#define TARGETING_USER "targetingKey"

enum targeting_match { TARGETING_ALL, TARGETING_ANY, TARGETING_MATCH__MAX };
extern const char *const targeting_match_names[TARGETING_MATCH__MAX];

struct targeting_rule {
    const char *attribute;
    int comparison; /* enum targeting_operator */
    json_t *value;  /* text, number, boolean, or an array of those */
};
SCHEMA_OF(targeting_rule_schema, struct targeting_rule);

struct targeting_group {
    int match; /* enum targeting_match: how many of its rules must hold */
    OBJECT_LIST(struct targeting_rule, rules);
};
SCHEMA_OF(targeting_group_schema, struct targeting_group);

/* Whether the rule asks for a segment: its value is the name. */
bool targeting_names_segment(const struct targeting_rule *rule);

#endif
