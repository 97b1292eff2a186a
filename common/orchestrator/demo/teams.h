/* The teams of the demonstration: a customer, two teams, four keys with budgets, and what they have
 * spent in the last weeks. */
#ifndef ASSAY_ORCHESTRATOR_DEMO_TEAMS_H
#define ASSAY_ORCHESTRATOR_DEMO_TEAMS_H

#include "db/db.h"

/* Joins the caller's transaction. The keys themselves are shown to nobody: they cannot be used. */
MUST_CHECK enum error demo_teams_make(struct db *db, struct arena *arena, int64_t now,
                                      struct problem *problem);

#endif
