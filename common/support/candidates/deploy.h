/* Staging, deploying and rolling back an experiment: changes files and rows together, under one
 * lock of the host. */
#ifndef ASSAY_SUPPORT_CANDIDATES_DEPLOY_H
#define ASSAY_SUPPORT_CANDIDATES_DEPLOY_H

#include "support/candidates/assignment_store.h"
#include "support/candidates/experiment.h"

extern const char candidates_lock[]; /* the name for data_file_lock(), which callers hold */

struct candidate_call {
    struct db *db;
    struct arena *arena;
    const struct support_settings *settings;
    struct problem *problem;
};

/* Applies from the next question on, if experiment_active() returns the experiment; `activate`
 * makes it return this one. ERROR_CONFLICT experiment_archived. */
MUST_CHECK enum error candidate_stage(const struct candidate_call *call, const char *id,
                                      bool activate);
/* Removes the staged changes. */
MUST_CHECK enum error candidate_unstage(const struct candidate_call *call, const char *id);

/* Makes the experiment's changes the defaults. Without `force`, its newest regression run other
 * than a simulation must have passed: ERROR_CONFLICT regression_not_green. If the same deployment
 * is already in force, `deployment` is that one. */
MUST_CHECK enum error candidate_deploy(const struct candidate_call *call, const char *id,
                                       bool force, struct deployment *deployment);

/* ERROR_CONFLICT deployment_not_active. */
MUST_CHECK enum error candidate_roll_back(const struct candidate_call *call, const char *id,
                                          const char *reason, const char **at);

/* Sets the status `completed`, unless it is archived. */
MUST_CHECK enum error candidate_complete(const struct candidate_call *call, const char *id);

MUST_CHECK enum error candidate_archive(const struct candidate_call *call, const char *id);

/* Result of checking the active deployments. */
struct watch_finding {
    const char *experiment_id, *reason;
    double drop_pct;
    const char *worst_evaluator; /* NULL = none */
    bool rolled_back;
};
/* Rolls back harmful deployments: struct watch_finding, one per deployment. */
MUST_CHECK enum error candidate_watch(const struct candidate_call *call,
                                      struct object_list *findings);

/* The current and the changed settings and prompts, as two unified diffs. */
MUST_CHECK enum error candidate_difference(const struct candidate_call *call, const char *id,
                                           const char **text);

#endif
