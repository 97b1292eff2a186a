/* The schema of a metric's rule. */
#include "experiments/payloads/payload_metric_rules.h"

#include <string.h>

enum { NAME_MAX_LENGTH = 100 };

const char *const conversion_window_names[WINDOW__MAX] = {"all", "after_exposure"};

#define OWNER struct metric_rule
static const struct field rule_fields[] = {
    STRING(OWNER, name, .required = true, .min_length = 1, .max_length = NAME_MAX_LENGTH),
    CHOICE(OWNER, conversion_window, conversion_window_names, .choice_count = WINDOW__MAX,
           .nullable = true, .help = "In place of the experiment's."),
    NULLABLE_NUMBER(OWNER, conversion_window_days, .lower = ABOVE(0), .upper = AT_MOST(3650),
                    .help = "With after_exposure: how long after the exposure events count."),
    NULLABLE_NUMBER(OWNER, lower_cap, .upper = AT_MOST(0),
                    .help = "Smaller sums of a user's values count as this."),
    NULLABLE_NUMBER(OWNER, upper_cap, .lower = ABOVE(0),
                    .help = "Larger sums of a user's values count as this."),
};
#undef OWNER

static bool days_have_a_window(const void *object)
{
    const struct metric_rule *rule = object;

    return !rule->conversion_window_days.given || rule->conversion_window == WINDOW_AFTER_EXPOSURE;
}

static const struct schema_rule rule_rules[] = {
    {"errors.schemas.conversion_window_days", days_have_a_window},
};
SCHEMA(payload_metric_rule_schema, struct metric_rule, "MetricRule", rule_fields,
       .help = "How the values of one metric count.", RULES(rule_rules));

const struct metric_rule *payload_find_rule(const struct object_list *rules, const char *name)
{
    const struct metric_rule *items = rules->items;

    for (size_t i = 0; name && i < rules->count; i++)
        if (strcmp(items[i].name, name) == 0)
            return &items[i];
    return NULL;
}

bool payload_rules_differ(const struct object_list *rules)
{
    const struct metric_rule *items = rules->items;

    for (size_t i = 0; i < rules->count; i++)
        if (payload_find_rule(rules, items[i].name) != &items[i])
            return false;
    return true;
}
