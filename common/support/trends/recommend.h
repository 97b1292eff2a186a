/* Recommendations from all reports: the backlog, thresholds that could be better, experiments that
 * passed, stale curated cases. */
#ifndef ASSAY_SUPPORT_TRENDS_RECOMMEND_H
#define ASSAY_SUPPORT_TRENDS_RECOMMEND_H

#include "support/settings.h"
#include "support/traces/trace_store.h"

struct recommendation {
    const char *title, *action, *evidence, *source;
    double priority;
};

/* The data of the call's tenant, or of `all`, as JSON: {backlog, thresholds, regressions,
 * stale}. */
MUST_CHECK enum error recommend_signals(const struct trace_call *call,
                                        const struct support_settings *settings,
                                        const char **signals);

/* Most urgent first: struct recommendation. ERROR_MALFORMED when the text is not such an object. */
MUST_CHECK enum error recommend_from(struct arena *arena, const char *signals,
                                     struct object_list *rows, struct problem *problem);

/* The report of a week. From the arena. */
const char *recommend_markdown(struct arena *arena, const char *week,
                               const struct object_list *rows);

#endif
