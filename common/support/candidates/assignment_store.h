/*
 * Deployments of experiments, and assignments of experiments to a share of a tenant's
 * conversations. Contains their SQL.
 */
#ifndef ASSAY_SUPPORT_CANDIDATES_ASSIGNMENT_STORE_H
#define ASSAY_SUPPORT_CANDIDATES_ASSIGNMENT_STORE_H

#include "base/schema.h"
#include "db/db.h"

enum { ASSIGNMENTS_MOST = 1000, DEPLOYMENTS_MOST = 100 };

struct assignment {
    const char *tenant_id, *experiment_id;
    int64_t rollout_percentage;
    const char *rolled_out_at;
};
SCHEMA_OF(assignment_schema, struct assignment);

MUST_CHECK enum error assignment_of_tenant(struct db *db, struct arena *arena, const char *tenant,
                                           struct assignment *assignment, bool *found,
                                           struct problem *problem);
/* Replaces the tenant's assignment; `assignment` receives the new one. */
MUST_CHECK enum error assignment_put(struct db *db, struct arena *arena, const char *tenant,
                                     const char *experiment_id, int64_t percentage,
                                     struct assignment *assignment, struct problem *problem);
/* Of an experiment, newest first, of one tenant or (NULL) all. */
MUST_CHECK enum error assignment_list(struct db *db, struct arena *arena, const char *experiment_id,
                                      const char *tenant, struct object_list *rows,
                                      struct problem *problem);
MUST_CHECK enum error assignment_end(struct db *db, const char *experiment_id,
                                     struct problem *problem);

struct deployment {
    int64_t id;
    const char *experiment_id, *regression_run_id, *staged_at, *deployed_at;
    const char *rolled_back_at, *superseded_at, *rollback_reason; /* NULL = it is in force */
};
SCHEMA_OF(deployment_schema, struct deployment);
MUST_CHECK enum error deployment_stage(struct db *db, const char *experiment_id,
                                       struct problem *problem);
MUST_CHECK enum error deployment_add(struct db *db, struct arena *arena, const char *experiment_id,
                                     const char *run_id, struct deployment *deployment,
                                     struct problem *problem);
/* Deployed and neither rolled back nor superseded: struct deployment. */
MUST_CHECK enum error deployment_active(struct db *db, struct arena *arena,
                                        struct object_list *rows, struct problem *problem);
/* Of an experiment, newest first: struct deployment. */
MUST_CHECK enum error deployment_list(struct db *db, struct arena *arena, const char *experiment_id,
                                      struct object_list *rows, struct problem *problem);
MUST_CHECK enum error deployment_supersede(struct db *db, int64_t id, struct problem *problem);
MUST_CHECK enum error deployment_end(struct db *db, struct arena *arena, int64_t id,
                                     const char *reason, const char **at, struct problem *problem);

/* The newest run of a candidate, except simulations. */
struct judged_run {
    const char *run_id;
    bool drift_alert; /* the run failed */
};
MUST_CHECK enum error deployment_judged(struct db *db, struct arena *arena,
                                        const char *experiment_id, struct judged_run *run,
                                        bool *found, struct problem *problem);

/* Means of an evaluator over the latest live evaluations: with an experiment, or (NULL) without
 * any. */
struct evaluator_mean {
    double mean;
    int64_t count;
};
MUST_CHECK enum error deployment_evaluations(struct db *db, const char *experiment_id,
                                             const char *evaluator, int64_t window,
                                             struct evaluator_mean *mean, struct problem *problem);

/* Metrics of an experiment's live answers, of one tenant or (NULL) all. */
struct answer_metrics {
    int64_t count;
    struct optional_number quality, cost, latency;
};
MUST_CHECK enum error deployment_answers(struct db *db, const char *experiment_id,
                                         const char *tenant, struct answer_metrics *metrics,
                                         struct problem *problem);
/* The n-th smallest value, from 0. */
MUST_CHECK enum error deployment_ranked(struct db *db, const char *experiment_id,
                                        const char *tenant, bool latency, int64_t rank,
                                        struct optional_number *value, struct problem *problem);

#endif
