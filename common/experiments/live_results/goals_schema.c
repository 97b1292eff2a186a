/* The schema of several goals. */
#include "experiments/live_results/goals_schema.h"

#define WORTHWHILE_HELP                                                                            \
    "met, uncertain, proven_below, or unavailable where no worthwhile effect is given."

#define OWNER struct live_goal_comparison
static const struct field comparison_fields[] = {
    INTEGER(OWNER, treatment_index),
    STRING(OWNER, status,
           .help = "ok, insufficient_data, too_few_users (for a reading at any look) or "
                   "before_planned_end."),
    NULLABLE_NUMBER(OWNER, control_value, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, treatment_value, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, effect, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, ci_lower, ROUNDED(6),
                    .help = "All intervals hold together, with reading always_valid at every look "
                            "too."),
    NULLABLE_NUMBER(OWNER, ci_upper, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, p_value, ROUNDED(6), .help = "Two-sided, of this goal alone."),
    NULLABLE_NUMBER(OWNER, p_value_adjusted, ROUNDED(6),
                    .help = "Of the claim that the goal is better, or worse where the effect is."),
    BOOLEAN(OWNER, is_proven, .help = "Better, by the adjusted p-value."),
    BOOLEAN(OWNER, is_worse, .help = "Worse, by the adjusted p-value."),
    STRING(OWNER, worthwhile, .help = WORTHWHILE_HELP),
};
#undef OWNER
static SCHEMA(comparison_schema, struct live_goal_comparison, "LiveGoalComparison",
              comparison_fields);

#define OWNER struct live_goal
static const struct field goal_fields[] = {
    STRING(OWNER, name),
    STRING(OWNER, unit, .help = "rate, mean or ratio."),
    STRING(OWNER, direction),
    NULLABLE_NUMBER(OWNER, worthwhile_effect, ROUNDED(8)),
    OBJECTS(OWNER, comparisons, comparison_schema),
};
#undef OWNER
static SCHEMA(goal_schema, struct live_goal, "LiveGoal", goal_fields);

#define OWNER struct live_goal_treatment
static const struct field treatment_fields[] = {
    INTEGER(OWNER, treatment_index),
    NUMBER(OWNER, p_value_adjusted, ROUNDED(6)),
    BOOLEAN(OWNER, is_met, .help = "The goals that the rule requires are proven."),
    BOOLEAN(OWNER, is_worse, .help = "A goal is proven to be worse."),
    STRING(OWNER, worthwhile, .help = WORTHWHILE_HELP),
};
#undef OWNER
static SCHEMA(treatment_schema, struct live_goal_treatment, "LiveGoalTreatment", treatment_fields);

#define OWNER struct live_goals
static const struct field goals_fields[] = {
    STRING(OWNER, requires, .help = "any or all."),
    STRING(OWNER, correction, .help = "holm or in_order; with all always holm, over treatments."),
    STRING(OWNER, reading, .help = "always_valid or planned_end."),
    STRING(OWNER, status, .help = "ok, or before_planned_end: nothing is claimed yet."),
    NUMBER(OWNER, alpha, .help = "Of all claims of better goals together, and of worse ones."),
    NUMBER(OWNER, ci_level, ROUNDED(6), .help = "Of each interval, so that all hold together."),
    OBJECTS(OWNER, goals, goal_schema, .help = "The primary metric, then the further ones."),
    OBJECTS(OWNER, treatments, treatment_schema),
};
#undef OWNER
SCHEMA(live_goals_schema, struct live_goals, "LiveGoals", goals_fields,
       .help = "Several goals that decide together.");
