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

/* A day of a reader: from midnight to midnight where he is. */
struct series_day {
    const char *date;
    int64_t questions, answered, handed_over;
    struct optional_number quality; /* mean of the answers that have one, two decimals */
    double cost_usd;
};
/* Each of the last `days` days up to today in a zone that is `offset_minutes` ahead of UTC, oldest
 * first, also days without questions: struct series_day. */
MUST_CHECK enum error analytics_series(const struct trace_call *call, int64_t days,
                                       int64_t offset_minutes, struct object_list *rows);

/* Cost of models: the sum over the steps of all traces. */
struct cost_row {
    const char *name; /* name of the model, or of the category */
    double cost_usd;
};
MUST_CHECK enum error analytics_costs(const struct trace_call *call, int64_t days,
                                      struct object_list *by_model,
                                      struct object_list *by_category);

enum analytics_questions {
    QUESTIONS_ASKED,
    QUESTIONS_UNANSWERED,
    QUESTIONS_DISLIKED,
    QUESTIONS__MAX
};

/* A question in the words in which it was asked, upper and lower case apart. */
struct question_row {
    const char *question;
    int64_t count;
    const char *last_at, *trace_id; /* of the newest answer */
};
/* The most frequent ones, at most `limit`: all; those that went to a person or failed and were not
 * answered since; those whose answers were voted down, by votes. */
MUST_CHECK enum error analytics_frequent(const struct trace_call *call, int64_t days,
                                         enum analytics_questions kind, int64_t limit,
                                         struct object_list *rows);

#endif
