/*
 * Evaluates alerts: every rule at an interval, and soon after an event that changes its metric. One
 * transaction writes the result of an evaluation and its notices. Workers on several hosts may
 * evaluate; each rule is leased to one of them at a time.
 */
#ifndef ASSAY_LIVEDATA_ALERTS_WATCH_H
#define ASSAY_LIVEDATA_ALERTS_WATCH_H

#include "livedata/access/tenants.h"
#include "livedata/alerts/rules.h"
#include "livedata/catalog/catalog.h"

/* Evaluates the due rules, each by what its tenant sees; `evaluations` counts them. A rule whose
 * metric cannot be computed is logged and waits for its next evaluation; returned errors are those
 * of storing. */
MUST_CHECK enum error alert_watch(struct db *db, struct arena *arena,
                                  const struct livedata_settings *settings,
                                  const struct catalog *catalog, const struct tenants *tenants,
                                  int64_t *evaluations, struct problem *problem);

/* The current evaluation of a rule's metric. */
MUST_CHECK enum error alert_evaluate(const struct storage_call *call,
                                     const struct livedata_settings *settings,
                                     const struct catalog *catalog, const struct alert_rule *rule,
                                     struct alert_reading *reading);

/* The payload: sorted keys, no white space. */
const char *alert_body(const struct storage_call *call, const struct alert_rule *rule,
                       const struct alert_reading *reading, const struct alert_decision *decision);
const char *alert_test_body(const struct storage_call *call, const struct alert_rule *rule);

#endif
