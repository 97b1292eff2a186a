/*
 * Cutoffs that a tenant has chosen instead of the settings: in force from the next question on. The
 * guarantee of a cutoff is checked every day.
 */
#ifndef ASSAY_SUPPORT_TRENDS_THRESHOLD_CHOICE_H
#define ASSAY_SUPPORT_TRENDS_THRESHOLD_CHOICE_H

#include "base/schema.h"
#include "support/settings.h"
#include "support/traces/trace_store.h"
#include "support/trends/threshold.h"

extern const char *const threshold_source_names[4]; /* risk, f1, manual */

struct threshold_choice {
    const char *metric; /* as in threshold_kinds */
    double cutoff;
    const char *source;
    struct optional_number risk, confidence, coverage;
    const char *chosen_at, *chosen_by;
    const char *state; /* of risk_state_names; NULL until it was checked */
    const char *checked_at;
    struct optional_integer given, wrong;
};
SCHEMA_OF(threshold_choice_schema, struct threshold_choice);

/* Whether answering uses the metric: only quality and facts. False for other names. */
bool threshold_is_choosable(const char *metric, enum threshold_metric *which);

/* Replaces the tenant's choice of the metric. */
MUST_CHECK enum error threshold_choose(const struct trace_call *call,
                                       const struct threshold_choice *choice);
/* Returns to the settings; `removed` says whether there was a choice. */
MUST_CHECK enum error threshold_unchoose(const struct trace_call *call, const char *metric,
                                         bool *removed);
/* The tenant's choices: struct threshold_choice. */
MUST_CHECK enum error threshold_choices(const struct trace_call *call, struct object_list *rows);

/* The settings with the tenant's choices applied; `settings` itself without any. */
MUST_CHECK enum error threshold_in_force(const struct trace_call *call,
                                         const struct support_settings *settings,
                                         const struct support_settings **in_force);

/* Checks every guarantee of every tenant against the answers judged since; counts the guarantees,
 * and those that do not hold. Ignores the call's tenant. */
MUST_CHECK enum error threshold_check_choices(const struct trace_call *call, int64_t *looked_at,
                                              int64_t *broken);

#endif
