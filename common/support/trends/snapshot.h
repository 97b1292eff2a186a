/*
 * Daily evaluation snapshots of all tenants: a file reports/eval_daily/<date>.json. Also evaluates
 * answers without evaluations.
 */
#ifndef ASSAY_SUPPORT_TRENDS_SNAPSHOT_H
#define ASSAY_SUPPORT_TRENDS_SNAPSHOT_H

#include "support/settings.h"
#include "support/traces/trace_store.h"

#include <stdbool.h>

struct snapshot_result {
    const char *date, *path;           /* of the file, below DATA_DIR */
    int64_t evaluators;                /* number of evaluators with a result */
    int64_t promises, promises_broken; /* of chosen thresholds (threshold_choice.h) */
};

/* Whether the text is a date as YYYY-MM-DD. */
bool snapshot_is_date(const char *text);
/* Yesterday, UTC. From the arena. */
const char *snapshot_yesterday(struct arena *arena);

/* Writes the file of the day, and checks the guarantees. */
MUST_CHECK enum error snapshot_take(const struct trace_call *call,
                                    const struct support_settings *settings, const char *date,
                                    struct snapshot_result *result);

/* Evaluates finished live answers since a time (NULL = all of them) that have no evaluations, or
 * all with `force`; of the call's tenant, or of all tenants. */
MUST_CHECK enum error snapshot_evaluate(const struct trace_call *call, const char *since,
                                        bool force, int64_t *evaluated);

#endif
