/* A project together with one of its analyses, for comparisons and reports. */
#ifndef ASSAY_EXPERIMENTS_PROJECTS_SNAPSHOT_STORE_H
#define ASSAY_EXPERIMENTS_PROJECTS_SNAPSHOT_STORE_H

#include "experiments/projects/project_store.h"

struct project_snapshot {
    struct project project; /* without its document */
    const struct experiment_payload *payload;
    struct analysis_run run; /* its id is NULL when no run was named and the project has none */
};

/* Selects projects and their analysis: the newest unless `run_id` names one. */
struct snapshot_choice {
    bool archived_too;
    const char *run_id;
};

/* ERROR_NOT_FOUND with `not_found` for an unknown project, an archived one unless allowed, or a
 * named analysis of another project. */
MUST_CHECK enum error snapshot_read(const struct project_call *call, const char *id,
                                    const struct snapshot_choice *choice,
                                    struct project_snapshot *snapshot);

/* The same, but ERROR_NOT_FOUND when the project has no analysis. */
MUST_CHECK enum error snapshot_read_analysed(const struct project_call *call, const char *id,
                                             bool archived_too, struct project_snapshot *snapshot);

#endif
