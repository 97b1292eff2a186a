/* Numbers of questions and their outcomes by category and by day, for one tenant. */
#ifndef ASSAY_SUPPORT_TRACES_ANALYTICS_H
#define ASSAY_SUPPORT_TRACES_ANALYTICS_H

#include "support/traces/trace_store.h"

struct topic_row {
    const char *category;
    int64_t count, resolved;            /* all answers; answers with route auto */
    struct optional_number avg_quality; /* two decimals */
};

/* By category; an answer counts once for each of its categories: struct topic_row. */
MUST_CHECK enum error analytics_topics(const struct trace_call *call, int64_t days,
                                       struct object_list *rows);

enum analytics_metric { ANALYTICS_QUALITY, ANALYTICS_COST, ANALYTICS_RESOLUTION, ANALYTICS__MAX };
extern const char *const analytics_metric_names[ANALYTICS__MAX + 1];

struct day_row {
    const char *date;
    double value; /* the day's mean, four decimals */
};
MUST_CHECK enum error analytics_days(const struct trace_call *call, int64_t days,
                                     enum analytics_metric metric, struct object_list *rows);

/* Cost of models: the sum over the steps of all traces. */
struct cost_row {
    const char *name; /* name of the model, or of the category */
    double cost_usd;
};
MUST_CHECK enum error analytics_costs(const struct trace_call *call, int64_t days,
                                      struct object_list *by_model,
                                      struct object_list *by_category);

#endif
