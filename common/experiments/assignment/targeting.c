/* One function per kind of comparison. */
#include "experiments/assignment/targeting.h"

#include "base/number.h"
#include "base/version.h"

#include <string.h>

enum { USER_TEXT_MAX = 4096 /* bytes of a user's id as JSON */ };

static bool same_value(const json_t *one, const json_t *other)
{
    if (json_is_integer(one) && json_is_integer(other))
        return json_integer_value(one) == json_integer_value(other);
    if (json_is_number(one) && json_is_number(other))
        return json_number_value(one) == json_number_value(other);
    if (!json_is_array(one) || !json_is_array(other))
        return json_equal(one, other);
    if (json_array_size(one) != json_array_size(other))
        return false;
    for (size_t i = 0; i < json_array_size(one); i++)
        if (!same_value(json_array_get(one, i), json_array_get(other, i)))
            return false;
    return true;
}

static bool is_among(const json_t *attribute, const json_t *values)
{
    for (size_t i = 0; i < json_array_size(values); i++)
        if (same_value(attribute, json_array_get(values, i)))
            return true;
    return false;
}

static bool read_number(const json_t *value, double *number)
{
    if (json_is_string(value))
        return number_parse(json_string_value(value), number);
    *number = json_number_value(value);
    return json_is_number(value);
}

static bool is_in_order(const json_t *attribute, int comparison, const json_t *value)
{
    double left, right;

    if (!read_number(attribute, &left) || !read_number(value, &right))
        return false;
    switch (comparison) {
    case TARGETING_GT:
        return left > right;
    case TARGETING_LT:
        return left < right;
    case TARGETING_GTE:
        return left >= right;
    default:
        return left <= right;
    }
}

/* A part of a text, or an item of a list. */
static bool contains(const json_t *attribute, const json_t *value)
{
    if (json_is_array(attribute))
        return is_among(value, attribute);
    return json_is_string(attribute) && json_is_string(value) &&
           memmem(json_string_value(attribute), json_string_length(attribute),
                  json_string_value(value), json_string_length(value));
}

static bool starts_with(const json_t *attribute, const json_t *value)
{
    return json_is_string(attribute) &&
           json_string_length(attribute) >= json_string_length(value) &&
           memcmp(json_string_value(attribute), json_string_value(value),
                  json_string_length(value)) == 0;
}

static bool ends_with(const json_t *attribute, const json_t *value)
{
    size_t whole = json_string_length(attribute), part = json_string_length(value);

    return json_is_string(attribute) && whole >= part &&
           memcmp(json_string_value(attribute) + whole - part, json_string_value(value), part) == 0;
}

static bool is_in_version_order(const json_t *attribute, int comparison, const json_t *value)
{
    const char *version = json_string_value(attribute), *bound = json_string_value(value);
    int order;

    if (!version_is_valid(version) || !version_is_valid(bound))
        return false;
    order = version_compare(version, bound);
    switch (comparison) {
    case TARGETING_VERSION_EQUALS:
        return order == 0;
    case TARGETING_VERSION_GT:
        return order > 0;
    case TARGETING_VERSION_LT:
        return order < 0;
    case TARGETING_VERSION_GTE:
        return order >= 0;
    default:
        return order <= 0;
    }
}

/* Of an attribute that is not there. */
static bool holds_without(const struct targeting_rule *rule)
{
    switch (rule->comparison) {
    case TARGETING_NOT_EQUALS:
    case TARGETING_NOT_IN:
    case TARGETING_NOT_CONTAINS:
        return true;
    case TARGETING_EXISTS:
        return json_is_false(rule->value);
    default:
        return false;
    }
}

static bool holds_for(const struct targeting_rule *rule, const json_t *attribute)
{
    switch (rule->comparison) {
    case TARGETING_EQUALS:
        return same_value(attribute, rule->value);
    case TARGETING_NOT_EQUALS:
        return !same_value(attribute, rule->value);
    case TARGETING_IN:
        return is_among(attribute, rule->value);
    case TARGETING_NOT_IN:
        return !is_among(attribute, rule->value);
    case TARGETING_CONTAINS:
        return contains(attribute, rule->value);
    case TARGETING_NOT_CONTAINS:
        return !contains(attribute, rule->value);
    case TARGETING_STARTS_WITH:
        return starts_with(attribute, rule->value);
    case TARGETING_ENDS_WITH:
        return ends_with(attribute, rule->value);
    case TARGETING_EXISTS:
        return json_is_true(rule->value);
    default:
        return rule->comparison >= TARGETING_VERSION_EQUALS
                   ? is_in_version_order(attribute, rule->comparison, rule->value)
                   : is_in_order(attribute, rule->comparison, rule->value);
    }
}

static const json_t *user_as_attribute(const struct targeting_subject *subject)
{
    const char *text;
    struct json_fault fault;
    json_t *user = NULL;

    if (!subject->user_id)
        return NULL;
    text = json_of_strings(subject->arena, USER_TEXT_MAX, &subject->user_id, 1);
    if (!text || json_read(subject->arena, text, strlen(text), JSON_DEPTH_LIMIT, &user, &fault))
        return NULL;
    return json_array_get(user, 0);
}

static const json_t *find_attribute(const struct targeting_subject *subject, const char *name)
{
    const json_t *attribute = json_object_get(subject->attributes, name);

    if (!attribute && strcmp(name, TARGETING_USER) == 0)
        attribute = user_as_attribute(subject);
    return json_is_null(attribute) ? NULL : attribute;
}

static const struct targeting_segment *find_segment(const struct targeting_rule *rule,
                                                    const struct targeting_subject *subject)
{
    const char *name = json_string_value(rule->value);

    if (!targeting_names_segment(rule) || !name)
        return NULL;
    for (size_t i = 0; i < subject->segment_count; i++)
        if (strcmp(subject->segments[i].name, name) == 0)
            return &subject->segments[i];
    return NULL;
}

static bool is_in_segment(const struct targeting_segment *segment)
{
    return segment && (segment->listed || (segment->has_rules && segment->rules_hold));
}

static bool rule_holds(const struct targeting_rule *rule, const struct targeting_subject *subject)
{
    const json_t *attribute;

    if (targeting_names_segment(rule))
        return is_in_segment(find_segment(rule, subject)) ==
               (rule->comparison == TARGETING_IN_SEGMENT);
    attribute = find_attribute(subject, rule->attribute);
    return attribute ? holds_for(rule, attribute) : holds_without(rule);
}

/* The index of the first rule that fails where all must hold; -1 = they hold, or, where one is
 * enough, none does. */
static bool rules_hold(const struct object_list *rules, int match,
                       const struct targeting_subject *subject, int64_t *failed)
{
    const struct targeting_rule *rule = rules->items;

    *failed = -1;
    for (size_t i = 0; i < rules->count; i++) {
        bool holds = rule_holds(&rule[i], subject);

        if (match == TARGETING_ANY && holds)
            return true;
        if (match != TARGETING_ANY && !holds) {
            *failed = (int64_t)i;
            return false;
        }
    }
    return match != TARGETING_ANY;
}

static void explain(struct targeting_failure *failure, const struct object_list *rules,
                    int64_t group, int64_t rule, const struct targeting_subject *subject)
{
    const struct targeting_rule *items = rules->items;
    const struct targeting_rule *what = NULL;

    if (!failure)
        return;
    /* The only rule is named, whether all must hold or any. */
    if (rule < 0 && rules->count == 1)
        rule = 0;
    if (rule >= 0)
        what = &items[rule];
    *failure = (struct targeting_failure){
        .group = group,
        .rule = rule,
        .what = what,
        .attribute = what ? find_attribute(subject, what->attribute) : NULL,
        .segment = what ? find_segment(what, subject) : NULL};
}

bool targeting_rules_hold(const struct object_list *rules, int match,
                          const struct targeting_subject *subject,
                          struct targeting_failure *failure)
{
    int64_t failed;

    if (rules_hold(rules, match, subject, &failed))
        return true;
    explain(failure, rules, -1, failed, subject);
    return false;
}

static bool group_holds(const struct payload_setup *setup, size_t index,
                        const struct targeting_subject *subject, struct targeting_failure *failure)
{
    const struct targeting_group *group = setup->targeting_groups.items;
    int64_t failed;

    if (rules_hold(&group[index].rules, group[index].match, subject, &failed))
        return true;
    explain(failure, &group[index].rules, (int64_t)index, failed, subject);
    return false;
}

/* One rule or group is enough. */
static bool any_holds(const struct payload_setup *setup, const struct targeting_subject *subject,
                      struct targeting_failure *failure)
{
    int64_t failed;

    if (rules_hold(&setup->targeting_rules, TARGETING_ANY, subject, &failed))
        return true;
    for (size_t i = 0; i < setup->targeting_groups.count; i++)
        if (group_holds(setup, i, subject, NULL))
            return true;
    if (failure)
        *failure = (struct targeting_failure){.group = -1, .rule = -1};
    return false;
}

static void add_names(const struct object_list *rules, struct string_list *names)
{
    const struct targeting_rule *rule = rules->items;

    for (size_t i = 0; i < rules->count; i++) {
        const char *name =
            targeting_names_segment(&rule[i]) ? json_string_value(rule[i].value) : NULL;
        bool known = !name;

        for (size_t k = 0; !known && k < names->count; k++)
            known = strcmp(names->items[k], name) == 0;
        if (!known)
            names->items[names->count++] = name;
    }
}

struct string_list targeting_segment_names(const struct payload_setup *setup, struct arena *arena)
{
    const struct targeting_group *groups = setup->targeting_groups.items;
    struct string_list names = {0};
    size_t most = setup->targeting_rules.count;

    for (size_t i = 0; i < setup->targeting_groups.count; i++)
        most += groups[i].rules.count;
    names.items = ARENA_ARRAY(arena, const char *, most);
    add_names(&setup->targeting_rules, &names);
    for (size_t i = 0; i < setup->targeting_groups.count; i++)
        add_names(&groups[i].rules, &names);
    return names;
}

bool targeting_is_set(const struct payload_setup *setup)
{
    return setup->targeting_rules.count > 0 || setup->targeting_groups.count > 0;
}

bool targeting_holds(const struct payload_setup *setup, const struct targeting_subject *subject,
                     struct targeting_failure *failure)
{
    int64_t failed;

    if (setup->targeting_match == TARGETING_ANY && targeting_is_set(setup))
        return any_holds(setup, subject, failure);
    if (!rules_hold(&setup->targeting_rules, TARGETING_ALL, subject, &failed)) {
        explain(failure, &setup->targeting_rules, -1, failed, subject);
        return false;
    }
    for (size_t i = 0; i < setup->targeting_groups.count; i++)
        if (!group_holds(setup, i, subject, failure))
            return false;
    return true;
}
