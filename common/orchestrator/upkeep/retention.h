/* Deletes tasks that are older than ORCH_RETENTION_DAYS, after writing them into a snapshot when
 * ORCH_RETENTION_EXPORT_DIR says where. What they did cost stays in the reports. */
#ifndef ASSAY_ORCHESTRATOR_UPKEEP_RETENTION_H
#define ASSAY_ORCHESTRATOR_UPKEEP_RETENTION_H

#include "db/migrate.h"
#include "orchestrator/upkeep/budget_alerts.h"

/* Deletes at most one batch of ended tasks, the oldest first; *more says that there are others.
 * A batch that cannot be exported is not deleted. With `dry_run` tasks are only counted. */
MUST_CHECK enum error retention_run(const struct upkeep_call *call, const struct db_schema *schema,
                                    bool dry_run, int64_t *count, bool *more);

#endif
