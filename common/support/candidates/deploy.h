/* Staging, deploying and rolling back an experiment: files and rows together, under one lock of the
 * host. */
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

/* From the next question on, for those whom experiment_active() names; with `activate` that is this
 * one. ERROR_CONFLICT experiment_archived. */
MUST_CHECK enum error candidate_stage(const struct candidate_call *call, const char *id,
                                      bool activate);
/* Staged changes apply no more. */
MUST_CHECK enum error candidate_unstage(const struct candidate_call *call, const char *id);

/* Makes the experiment's changes the defaults. Without `force` its newest regression run that was
 * no simulation must be green: ERROR_CONFLICT regression_not_green. When just that is in force
 * already, `deployment` is the one there is. */
MUST_CHECK enum error candidate_deploy(const struct candidate_call *call, const char *id,
                                       bool force, struct deployment *deployment);

/* ERROR_CONFLICT deployment_not_active. */
MUST_CHECK enum error candidate_roll_back(const struct candidate_call *call, const char *id,
                                          const char *reason, const char **at);

/* The experiment has been tried: status `completed`, unless it is archived. */
MUST_CHECK enum error candidate_complete(const struct candidate_call *call, const char *id);

MUST_CHECK enum error candidate_archive(const struct candidate_call *call, const char *id);

/* What looking at the active deployments came to. */
struct watch_finding {
    const char *experiment_id, *reason;
    double drop_pct;
    const char *worst_evaluator; /* NULL = none */
    bool rolled_back;
};
/* Rolls back what harms: struct watch_finding, one a deployment. */
MUST_CHECK enum error candidate_watch(const struct candidate_call *call,
                                      struct object_list *findings);

/* What settings and prompts were and would be, as two unified differences. */
MUST_CHECK enum error candidate_difference(const struct candidate_call *call, const char *id,
                                           const char **text);

#endif
