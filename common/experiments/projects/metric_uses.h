/* Which version of which metric of the catalog a project was planned with. */
#ifndef ASSAY_EXPERIMENTS_PROJECTS_METRIC_USES_H
#define ASSAY_EXPERIMENTS_PROJECTS_METRIC_USES_H

#include "experiments/projects/project_store.h"

/*
 * Notes the metric that the design names, in place of the one before; inside the transaction that
 * saves the design. ERROR_INVALID with `catalog_metric_unknown` where there is no such metric or
 * version, unless the design `before` (NULL = none) names the same: it came from another
 * installation. ERROR_INVALID with `livedata_metric_design` where a metric of live data has another
 * primary_metric_name, or events before the exposure count. ERROR_CONFLICT with
 * `livedata_event_taken` where another metric has the name of its events in this experiment.
 */
MUST_CHECK enum error metric_use_note(const struct project_call *call, const char *project_id,
                                      const struct experiment_payload *payload,
                                      const struct experiment_payload *before);

#endif
