/*
 * What people decided about an experiment: ship a variation, stop, or reopen. Every decision stays,
 * with its note, the recommendation of that moment and who made it; each is in the audit log and
 * goes to webhooks.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_OUTCOME_STORE_H
#define ASSAY_EXPERIMENTS_LIVE_OUTCOME_STORE_H

#include "experiments/audit/audit_store.h"
#include "experiments/live/records.h"

enum outcome_decision { OUTCOME_SHIP, OUTCOME_STOP, OUTCOME_REOPEN, OUTCOME__MAX };
extern const char *const outcome_decision_names[OUTCOME__MAX];

enum { OUTCOME_NOTE_MAX = 4000, OUTCOMES_SHOWN = 100 };

struct outcome {
    int64_t id;
    int decision;                            /* enum outcome_decision */
    struct optional_integer variation_index; /* of OUTCOME_SHIP */
    const char *note;
    const char *verdict, *headline; /* as recommended then */
    const char *actor;
    const char *created_at;
};
SCHEMA_OF(outcome_schema, struct outcome);

/* Adds a decision, and fills in its id and time. ERROR_NOT_FOUND with `not_found`, ERROR_INVALID
 * with `project_archived`, ERROR_CONFLICT with `not_decided` when there is nothing to reopen. */
MUST_CHECK enum error outcome_record(const struct live_call *call, const struct actor *actor,
                                     const char *id, struct outcome *outcome);

/* The newest OUTCOMES_SHOWN decisions, newest first: a list of struct outcome. */
MUST_CHECK enum error outcome_list(const struct live_call *call, const char *id,
                                   struct object_list *outcomes);

#endif
