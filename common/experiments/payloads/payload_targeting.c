/* The schemas of rules and groups, and which value fits which operator. */
#include "experiments/payloads/payload_targeting.h"

#include "base/text.h"
#include "base/version.h"

#include <string.h>

const char *const targeting_operator_names[TARGETING__MAX] = {
    "equals",      "not_equals",  "in",         "gt",         "lt",
    "gte",         "lte",         "not_in",     "contains",   "not_contains",
    "starts_with", "ends_with",   "version_eq", "version_gt", "version_lt",
    "version_gte", "version_lte", "exists",     "in_segment", "not_in_segment",
};
const char *const targeting_match_names[TARGETING_MATCH__MAX] = {"all", "any"};

#define OWNER struct targeting_rule
static const struct field rule_fields[] = {
    STRING(OWNER, attribute, .required = true, .min_length = 1,
           .max_length = TARGETING_ATTRIBUTE_MAX, .help = "targetingKey is the id of the user."),
    {.name = "operator",
     .type = FIELD_CHOICE,
     .offset = offsetof(OWNER, comparison),
     .choices = targeting_operator_names,
     .choice_count = TARGETING__MAX,
     .required = true},
    JSON_VALUE(OWNER, value, .required = true,
               .help = "Text, number, boolean, or an array of those; with exists, whether the "
                       "attribute must be there; with in_segment and not_in_segment the name "
                       "of the segment, and the attribute is targetingKey."),
};
#undef OWNER

static bool is_scalar(const json_t *value)
{
    return json_is_string(value) || json_is_number(value) || json_is_boolean(value);
}

static bool value_is_scalar_or_list(const void *object)
{
    const struct targeting_rule *rule = object;

    if (!json_is_array(rule->value))
        return is_scalar(rule->value);
    for (size_t i = 0; i < json_array_size(rule->value); i++)
        if (!is_scalar(json_array_get(rule->value, i)))
            return false;
    return true;
}

static bool in_has_a_list(const void *object)
{
    const struct targeting_rule *rule = object;

    return (rule->comparison != TARGETING_IN && rule->comparison != TARGETING_NOT_IN) ||
           json_is_array(rule->value);
}

static bool order_has_a_number(const void *object)
{
    const struct targeting_rule *rule = object;

    return rule->comparison < TARGETING_GT || rule->comparison > TARGETING_LTE ||
           (!json_is_array(rule->value) && !json_is_boolean(rule->value));
}

/* An empty text is part of every text. */
static bool part_has_a_text(const void *object)
{
    const struct targeting_rule *rule = object;
    const char *text = json_string_value(rule->value);

    switch (rule->comparison) {
    case TARGETING_CONTAINS:
    case TARGETING_NOT_CONTAINS:
        return text ? *text != '\0' : is_scalar(rule->value);
    case TARGETING_STARTS_WITH:
    case TARGETING_ENDS_WITH:
        return text && *text;
    default:
        return true;
    }
}

static bool version_has_a_version(const void *object)
{
    const struct targeting_rule *rule = object;

    return rule->comparison < TARGETING_VERSION_EQUALS ||
           rule->comparison > TARGETING_VERSION_LTE ||
           version_is_valid(json_string_value(rule->value));
}

static bool exists_has_a_boolean(const void *object)
{
    const struct targeting_rule *rule = object;

    return rule->comparison != TARGETING_EXISTS || json_is_boolean(rule->value);
}

bool targeting_names_segment(const struct targeting_rule *rule)
{
    return rule->comparison == TARGETING_IN_SEGMENT || rule->comparison == TARGETING_NOT_IN_SEGMENT;
}

static bool segment_is_of_users(const void *object)
{
    const struct targeting_rule *rule = object;

    return !targeting_names_segment(rule) || strcmp(rule->attribute, TARGETING_USER) == 0;
}

static bool segment_has_a_name(const void *object)
{
    const struct targeting_rule *rule = object;
    const char *name = json_string_value(rule->value);

    return !targeting_names_segment(rule) ||
           (name && *name && utf8_count(name) <= SEGMENT_NAME_MAX);
}

static const struct schema_rule rule_rules[] = {
    {"errors.schemas.targeting_value_type", value_is_scalar_or_list},
    {"errors.schemas.targeting_in_requires_list", in_has_a_list},
    {"errors.schemas.targeting_numeric_requires_number", order_has_a_number},
    {"errors.schemas.targeting_part_requires_text", part_has_a_text},
    {"errors.schemas.targeting_version_requires_version", version_has_a_version},
    {"errors.schemas.targeting_exists_requires_boolean", exists_has_a_boolean},
    {"errors.schemas.targeting_segment_asks_user", segment_is_of_users},
    {"errors.schemas.targeting_segment_requires_name", segment_has_a_name},
};
SCHEMA(targeting_rule_schema, struct targeting_rule, "TargetingRule", rule_fields,
       .help = "One condition on an attribute of a user.", RULES(rule_rules));

#define OWNER struct targeting_group
static const struct field group_fields[] = {
    CHOICE(OWNER, match, targeting_match_names, .required = true,
           .choice_count = TARGETING_MATCH__MAX, .help = "How many of the rules must hold."),
    OBJECTS(OWNER, rules, targeting_rule_schema, .required = true, .min_length = 1,
            .max_length = TARGETING_RULES_MAX),
};
#undef OWNER
SCHEMA(targeting_group_schema, struct targeting_group, "TargetingGroup", group_fields,
       .help = "Conditions that count as one.");
