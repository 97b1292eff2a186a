/* Goals of an experiment beside its primary metric, and the rule by which they decide together.
 * Fixed before the data. */
#ifndef ASSAY_EXPERIMENTS_PAYLOADS_PAYLOAD_GOALS_H
#define ASSAY_EXPERIMENTS_PAYLOADS_PAYLOAD_GOALS_H

#include "base/schema.h"
#include "stats/goal_family.h"

enum { PAYLOAD_GOALS_MAX = 8 };

struct payload_goal {
    const char *name;
    int metric_type;                          /* METRIC_BINARY or METRIC_CONTINUOUS */
    int direction;                            /* enum goal_direction */
    struct optional_number worthwhile_effect; /* in its unit: shares of users, or of the mean */
};

enum goals_required { GOALS_ANY, GOALS_ALL, GOALS_REQUIRED__MAX };
enum goals_correction { GOALS_HOLM, GOALS_IN_ORDER, GOALS_CORRECTION__MAX };
enum goals_reading { GOALS_ALWAYS_VALID, GOALS_PLANNED_END, GOALS_READING__MAX };
extern const char *const goals_required_names[GOALS_REQUIRED__MAX];
extern const char *const goals_correction_names[GOALS_CORRECTION__MAX];
extern const char *const goals_reading_names[GOALS_READING__MAX];

struct payload_goals {
    OBJECT_LIST(struct payload_goal, further); /* struct payload_goal; after the primary metric */
    int requires;                              /* enum goals_required */
    int correction;                            /* enum goals_correction; of "any" */
    int reading;                               /* enum goals_reading */
};
SCHEMA_OF(payload_goals_schema, struct payload_goals);

/* NULL where there are none. */
const struct payload_goal *payload_find_goal(const struct payload_goals *goals, const char *name);

enum goal_rule payload_goal_rule(const struct payload_goals *goals);

#endif
