/* The schema of the goals. */
#include "experiments/payloads/payload_goals.h"

#include "experiments/design/sizing_rules.h"

#include <string.h>

enum { NAME_MAX_LENGTH = 100 };

const char *const goals_required_names[GOALS_REQUIRED__MAX] = {"any", "all"};
const char *const goals_correction_names[GOALS_CORRECTION__MAX] = {"holm", "in_order"};
const char *const goals_reading_names[GOALS_READING__MAX] = {"always_valid", "planned_end"};

#define OWNER struct payload_goal
static const struct field goal_fields[] = {
    STRING(OWNER, name, .required = true, .min_length = 1, .max_length = NAME_MAX_LENGTH),
    CHOICE(OWNER, metric_type, metric_type_names, .choice_count = METRIC_CONTINUOUS + 1,
           .required = true, .help = "binary: share of users with an event; continuous: mean."),
    CHOICE(OWNER, direction, goal_direction_names, .choice_count = GOAL__MAX,
           .help = "Where the goal should go."),
    NULLABLE_NUMBER(OWNER, worthwhile_effect, .lower = ABOVE(0),
                    .help = "The smallest difference worth having, without sign: 0.01 is one "
                            "percentage point of users, or of a mean in its unit."),
};
#undef OWNER
static SCHEMA(goal_schema, struct payload_goal, "FurtherGoal", goal_fields,
              .help = "A goal beside the primary metric.");

#define OWNER struct payload_goals
static const struct field goals_fields[] = {
    OBJECTS(OWNER, further, goal_schema, .required = true, .min_length = 1,
            .max_length = PAYLOAD_GOALS_MAX, .help = "In the order of their weight."),
    CHOICE(OWNER, requires, goals_required_names, .choice_count = GOALS_REQUIRED__MAX,
           .help = "any: one proven goal is enough to ship, and no goal may get worse. all: every "
                   "goal must be proven."),
    CHOICE(OWNER, correction, goals_correction_names, .choice_count = GOALS_CORRECTION__MAX,
           .help = "With any. holm: all goals alike. in_order: the primary metric first, and each "
                   "further goal counts as far as all before it are proven."),
    CHOICE(OWNER, reading, goals_reading_names, .choice_count = GOALS_READING__MAX,
           .help = "always_valid: may decide at every look. planned_end: decides once, when the "
                   "planned sample is complete, with narrower intervals."),
};
#undef OWNER

static bool goals_differ(const void *object)
{
    const struct payload_goals *goals = object;
    const struct payload_goal *items = goals->further.items;

    for (size_t i = 0; i < goals->further.count; i++)
        if (payload_find_goal(goals, items[i].name) != &items[i])
            return false;
    return true;
}

static const struct schema_rule goals_rules[] = {
    {"errors.schemas.goals_differ", goals_differ},
};
SCHEMA(payload_goals_schema, struct payload_goals, "Goals", goals_fields,
       .help = "Several goals that decide together.", RULES(goals_rules));

const struct payload_goal *payload_find_goal(const struct payload_goals *goals, const char *name)
{
    const struct payload_goal *items = goals ? goals->further.items : NULL;

    for (size_t i = 0; items && name && i < goals->further.count; i++)
        if (strcmp(items[i].name, name) == 0)
            return &items[i];
    return NULL;
}

enum goal_rule payload_goal_rule(const struct payload_goals *goals)
{
    if (goals->requires == GOALS_ALL)
        return GOAL_RULE_ALL;
    return goals->correction == GOALS_IN_ORDER ? GOAL_RULE_ANY_IN_ORDER : GOAL_RULE_ANY_HOLM;
}
