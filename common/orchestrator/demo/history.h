/* The tasks that the demonstration shows of the last day: as if people had asked the simulated
 * models, with steps, tokens and costs. */
#ifndef ASSAY_ORCHESTRATOR_DEMO_HISTORY_H
#define ASSAY_ORCHESTRATOR_DEMO_HISTORY_H

#include "db/db.h"
#include "orchestrator/demo/simulated.h"

/* Stores the tasks unless there is any task; `count` is the number of those stored. Costs of today
 * are booked. */
MUST_CHECK enum error history_make(struct db *db, struct arena *arena,
                                   const struct catalog *catalog,
                                   const struct simulated_texts *texts, int64_t *count,
                                   struct problem *problem);

#endif
