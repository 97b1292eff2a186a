/* Which events of a metric count, and how its values are capped. */
#ifndef ASSAY_EXPERIMENTS_LIVE_METRIC_RULES_H
#define ASSAY_EXPERIMENTS_LIVE_METRIC_RULES_H

#include "experiments/live/rollup_store.h"

/* The rules of a design. `names` has the numbers of the metrics; 0 for those without. */
size_t live_design_rules(const struct experiment_payload *design,
                         const struct live_name_list *names,
                         struct live_metric_rule rules[LIVE_RULES_MAX]);

/* As stored in the row of an experiment: equal rules are equal texts. */
const char *live_rules_text(const struct live_metric_rule *rules, size_t count,
                            struct arena *arena);
size_t live_read_rules(const char *text, struct live_metric_rule rules[LIVE_RULES_MAX]);

#endif
