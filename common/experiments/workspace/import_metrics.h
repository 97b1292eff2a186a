/*
 * Private to common/experiments/workspace: brings the metrics of a bundle into the catalog. What
 * the catalog has already, by id or by name, is taken as it is, and must be the same.
 */
#ifndef ASSAY_EXPERIMENTS_WORKSPACE_IMPORT_METRICS_H
#define ASSAY_EXPERIMENTS_WORKSPACE_IMPORT_METRICS_H

#include "db/db.h"
#include "experiments/workspace/bundle.h"

struct metrics_in {
    struct db *db;
    struct bundle_call *call;
    const struct bundle *bundle;
    bool keep_ids;         /* each must be new */
    struct bundle_ids ids; /* of the bundle, sorted */
    const char **there;    /* by their order: the id that it has here */
    bool *known;           /* likewise: the catalog had it */
    int64_t added;
};

/* In the transaction of the import, before the projects. ERROR_CONFLICT with `workspace_id_taken`,
 * `workspace_metric_differs` or `metric_limit_reached`; the text names the field. */
MUST_CHECK enum error import_metrics(struct metrics_in *in);

/* The design with the id that its metric has here: itself, or a copy from `arena`. */
const struct experiment_payload *import_metric_name(const struct metrics_in *in,
                                                    struct arena *arena,
                                                    const struct experiment_payload *design);

#endif
