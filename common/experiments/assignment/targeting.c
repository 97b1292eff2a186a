/* One function per kind of comparison. */
#include "experiments/assignment/targeting.h"

#include "base/number.h"

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

static bool rule_holds(const struct targeting_rule *rule, const json_t *attributes)
{
    const json_t *attribute = json_object_get(attributes, rule->attribute);

    if (!attribute || json_is_null(attribute))
        return rule->comparison == TARGETING_NOT_EQUALS;
    switch (rule->comparison) {
    case TARGETING_EQUALS:
        return same_value(attribute, rule->value);
    case TARGETING_NOT_EQUALS:
        return !same_value(attribute, rule->value);
    case TARGETING_IN:
        return is_among(attribute, rule->value);
    default:
        return is_in_order(attribute, rule->comparison, rule->value);
    }
}

bool targeting_holds(const struct object_list *rules, const json_t *attributes)
{
    const struct targeting_rule *rule = rules->items;

    for (size_t i = 0; i < rules->count; i++)
        if (!rule_holds(&rule[i], attributes))
            return false;
    return true;
}
