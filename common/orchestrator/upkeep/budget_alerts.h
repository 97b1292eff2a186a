/* Notices of budgets: a webhook is sent when a share of a budget is spent, once per window and
 * share. */
#ifndef ASSAY_ORCHESTRATOR_UPKEEP_BUDGET_ALERTS_H
#define ASSAY_ORCHESTRATOR_UPKEEP_BUDGET_ALERTS_H

#include "db/db.h"
#include "orchestrator/settings.h"

struct upkeep_call {
    struct db *db;
    struct arena *arena;
    const struct orchestrator_settings *settings;
    struct problem *problem;
};

/* Finds shares that were reached, in the current windows and in those that have just ended, and
 * enqueues a notice for each. */
MUST_CHECK enum error budget_alerts_find(const struct upkeep_call *call);

/* Sends what is due to ORCH_ALERT_WEBHOOK_URL; without it notices wait. The settings must outlive
 * the program. */
MUST_CHECK enum error budget_alerts_send(const struct upkeep_call *call);

/* Deletes what is known of old notices. */
MUST_CHECK enum error budget_alerts_forget(const struct upkeep_call *call);

#endif
