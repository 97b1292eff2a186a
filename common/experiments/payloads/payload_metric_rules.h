/* How the values of a metric count: its own window after the exposure, and caps. Fixed before the
 * data, as everything that decides what is compared. */
#ifndef ASSAY_EXPERIMENTS_PAYLOADS_PAYLOAD_METRIC_RULES_H
#define ASSAY_EXPERIMENTS_PAYLOADS_PAYLOAD_METRIC_RULES_H

#include "base/schema.h"

enum { PAYLOAD_METRIC_RULES_MAX = 16 };

/* The counted events: all, or those after the exposure. */
enum conversion_window { WINDOW_ALL, WINDOW_AFTER_EXPOSURE, WINDOW__MAX };
extern const char *const conversion_window_names[WINDOW__MAX];

struct metric_rule {
    const char *name;
    int conversion_window; /* enum conversion_window; -1 = that of the experiment */
    struct optional_number conversion_window_days;
    struct optional_number lower_cap, upper_cap; /* of the sum of a user's values */
};

SCHEMA_OF(payload_metric_rule_schema, struct metric_rule);

/* NULL when the metric has no rule of its own. */
const struct metric_rule *payload_find_rule(const struct object_list *rules, const char *name);

/* Whether no metric has two rules. */
bool payload_rules_differ(const struct object_list *rules);

#endif
