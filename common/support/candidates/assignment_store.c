/* Deployments and assignments in the database. */
#include "support/candidates/assignment_store.h"
#include "db/query.h"

#define OWNER struct assignment
static const struct field assignment_fields[] = {
    STRING(OWNER, tenant_id), STRING(OWNER, experiment_id), INTEGER(OWNER, rollout_percentage),
    STRING(OWNER, rolled_out_at)};
#undef OWNER
SCHEMA(assignment_schema, struct assignment, "Assignment", assignment_fields);

#define OWNER struct deployment
static const struct field deployment_fields[] = {
    INTEGER(OWNER, id, .internal = true),
    STRING(OWNER, experiment_id, .internal = true),
    STRING(OWNER, regression_run_id, .nullable = true),
    STRING(OWNER, staged_at, .nullable = true),
    STRING(OWNER, deployed_at, .nullable = true),
    STRING(OWNER, rolled_back_at, .nullable = true),
    STRING(OWNER, superseded_at, .nullable = true),
    STRING(OWNER, rollback_reason, .nullable = true,
           .help = "`by hand`, or what the watch found.")};
#undef OWNER
SCHEMA(deployment_schema, struct deployment, "Deployment", deployment_fields);

#define OWNER struct answer_metrics
static const struct field answer_fields[] = {INTEGER(OWNER, count), NULLABLE_NUMBER(OWNER, quality),
                                             NULLABLE_NUMBER(OWNER, cost),
                                             NULLABLE_NUMBER(OWNER, latency)};
#undef OWNER
static SCHEMA(answer_schema, struct answer_metrics, "AnswerMetrics", answer_fields);

#define OWNER struct judged_run
static const struct field judged_fields[] = {STRING(OWNER, run_id, .nullable = true),
                                             BOOLEAN(OWNER, drift_alert)};
#undef OWNER
static SCHEMA(judged_schema, struct judged_run, "JudgedRun", judged_fields);

#define ASSIGNMENT "tenant_id, experiment_id, rollout_percentage, rolled_out_at"
static const struct statement find_assignment = {
    .name = "assignment_find",
    .sql = "SELECT " ASSIGNMENT " FROM experiment_assignments WHERE tenant_id = ?",
};
static const struct statement put_assignment = {
    .name = "assignment_put",
    .sql = "INSERT INTO experiment_assignments (tenant_id, experiment_id, rollout_percentage,"
           " rolled_out_at) VALUES (?, ?, ?, {now}) ON CONFLICT (tenant_id) DO UPDATE SET"
           " experiment_id = excluded.experiment_id,"
           " rollout_percentage = excluded.rollout_percentage,"
           " rolled_out_at = excluded.rolled_out_at RETURNING " ASSIGNMENT,
};
static const struct statement list_assignments = {
    .name = "assignment_list",
    .sql = "SELECT " ASSIGNMENT " FROM experiment_assignments WHERE experiment_id = ?"
           " AND (? = '' OR tenant_id = ?) ORDER BY rolled_out_at DESC, tenant_id LIMIT ?",
};
static const struct statement end_assignments = {
    .name = "assignment_end",
    .sql = "DELETE FROM experiment_assignments WHERE experiment_id = ?",
};
static const struct statement stage = {
    .name = "deployment_stage",
    .sql = "INSERT INTO experiment_deployments (experiment_id, staged_at) VALUES (?, {now})",
};
#define DEPLOYMENT                                                                                 \
    "id, experiment_id, regression_run_id, staged_at, deployed_at, rolled_back_at, superseded_at," \
    " rollback_reason"
static const struct statement add_deployment = {
    .name = "deployment_add",
    .sql = "INSERT INTO experiment_deployments (experiment_id, regression_run_id, staged_at,"
           " deployed_at) VALUES (?, ?, coalesce((SELECT max(staged_at) FROM"
           " experiment_deployments WHERE experiment_id = ?), {now}), {now})"
           " RETURNING " DEPLOYMENT,
};
#define ACTIVE " deployed_at IS NOT NULL AND rolled_back_at IS NULL AND superseded_at IS NULL"
static const struct statement list_active = {
    .name = "deployment_active",
    .sql = "SELECT " DEPLOYMENT " FROM experiment_deployments WHERE" ACTIVE
           " ORDER BY id DESC LIMIT ?",
};
static const struct statement list_deployments = {
    .name = "deployment_list",
    .sql = "SELECT " DEPLOYMENT " FROM experiment_deployments WHERE experiment_id = ?"
           " AND deployed_at IS NOT NULL ORDER BY id DESC LIMIT ?",
};
static const struct statement supersede = {
    .name = "deployment_supersede",
    .sql = "UPDATE experiment_deployments SET superseded_at = {now} WHERE id = ?",
};
static const struct statement end_deployment = {
    .name = "deployment_end",
    .sql = "UPDATE experiment_deployments SET rolled_back_at = {now}, rollback_reason = ?"
           " WHERE id = ? RETURNING rolled_back_at",
};
/* Over the cases of all tenants or of the operator: another tenant's own cases do not count. */
static const struct statement find_judged = {
    .name = "deployment_judged",
    .sql = "SELECT run_id, drift_alert FROM eval_results WHERE kind = 'regression'"
           " AND candidate_experiment_id = ? AND coalesce(mode, '') NOT LIKE 'mock-%'"
           " AND tenant_id IN ('all', 'default')"
           " ORDER BY created_at DESC, id DESC LIMIT 1",
};
static const struct statement read_mean = {
    .name = "deployment_mean",
    .sql = "SELECT avg(score), count(*) FROM (SELECT e.score FROM trace_evaluations e"
           " JOIN traces t ON t.trace_id = e.trace_id WHERE e.evaluator_name = ?"
           " AND e.verdict NOT IN ('error', 'timeout', 'unknown') AND t.origin = 'live'"
           " AND coalesce(t.experiment_id, '') = ? AND NOT EXISTS (SELECT 1 FROM"
           " evaluator_switches s WHERE s.tenant_id = e.tenant_id"
           " AND s.evaluator = e.evaluator_name) ORDER BY e.evaluated_at DESC LIMIT ?) w",
};
#define ANSWERS                                                                                    \
    " FROM traces WHERE origin = 'live' AND finished_at IS NOT NULL AND experiment_id = ?"         \
    " AND (? = '' OR tenant_id = ?)"
static const struct statement read_answers = {
    .name = "deployment_answers",
    .sql = "SELECT count(*) AS count, CAST(avg(final_quality) AS DOUBLE PRECISION) AS quality,"
           " avg(cost_usd) AS cost, avg(duration_ms) AS latency" ANSWERS,
};
static const struct statement rank_quality = {
    .name = "deployment_rank_quality",
    .sql = "SELECT CAST(final_quality AS DOUBLE PRECISION)" ANSWERS
           " AND final_quality IS NOT NULL ORDER BY final_quality LIMIT 1 OFFSET ?",
};
static const struct statement rank_latency = {
    .name = "deployment_rank_latency",
    .sql = "SELECT duration_ms" ANSWERS
           " AND duration_ms IS NOT NULL ORDER BY duration_ms LIMIT 1 OFFSET ?",
};

enum error assignment_of_tenant(struct db *db, struct arena *arena, const char *tenant,
                                struct assignment *assignment, bool *found, struct problem *problem)
{
    struct query *query = db_query(db, &find_assignment);

    query_bind_text(query, tenant);
    return query_read_one(query, &assignment_schema, assignment, arena, found, problem);
}

enum error assignment_put(struct db *db, struct arena *arena, const char *tenant,
                          const char *experiment_id, int64_t percentage,
                          struct assignment *assignment, struct problem *problem)
{
    struct query *query = db_query(db, &put_assignment);

    query_bind_text(query, tenant);
    query_bind_text(query, experiment_id);
    query_bind_integer(query, percentage);
    if (query_next(query))
        query_read(query, &assignment_schema, assignment, arena);
    return query_end(query, problem);
}

enum error assignment_list(struct db *db, struct arena *arena, const char *experiment_id,
                           const char *tenant, struct object_list *rows, struct problem *problem)
{
    struct assignment *items = ARENA_ARRAY(arena, struct assignment, ASSIGNMENTS_MOST);
    struct query *query = db_query(db, &list_assignments);

    query_bind_text(query, experiment_id);
    query_bind_text(query, tenant ? tenant : "");
    query_bind_text(query, tenant ? tenant : "");
    query_bind_integer(query, ASSIGNMENTS_MOST);
    *rows = (struct object_list){.items = items};
    while (rows->count < ASSIGNMENTS_MOST && query_next(query))
        query_read(query, &assignment_schema, &items[rows->count++], arena);
    return query_end(query, problem);
}

static enum error run_text(struct db *db, const struct statement *statement, const char *text,
                           struct problem *problem)
{
    struct query *query = db_query(db, statement);

    query_bind_text(query, text);
    return query_end(query, problem);
}

enum error assignment_end(struct db *db, const char *experiment_id, struct problem *problem)
{
    return run_text(db, &end_assignments, experiment_id, problem);
}

enum error deployment_stage(struct db *db, const char *experiment_id, struct problem *problem)
{
    return run_text(db, &stage, experiment_id, problem);
}

enum error deployment_add(struct db *db, struct arena *arena, const char *experiment_id,
                          const char *run_id, struct deployment *deployment,
                          struct problem *problem)
{
    struct query *query = db_query(db, &add_deployment);

    query_bind_text(query, experiment_id);
    query_bind_text(query, run_id);
    query_bind_text(query, experiment_id);
    if (query_next(query))
        query_read(query, &deployment_schema, deployment, arena);
    return query_end(query, problem);
}

static enum error read_deployments(struct query *query, struct arena *arena,
                                   struct object_list *rows, struct problem *problem)
{
    struct deployment *items = ARENA_ARRAY(arena, struct deployment, DEPLOYMENTS_MOST);

    query_bind_integer(query, DEPLOYMENTS_MOST);
    *rows = (struct object_list){.items = items};
    while (rows->count < DEPLOYMENTS_MOST && query_next(query))
        query_read(query, &deployment_schema, &items[rows->count++], arena);
    return query_end(query, problem);
}

enum error deployment_active(struct db *db, struct arena *arena, struct object_list *rows,
                             struct problem *problem)
{
    return read_deployments(db_query(db, &list_active), arena, rows, problem);
}

enum error deployment_list(struct db *db, struct arena *arena, const char *experiment_id,
                           struct object_list *rows, struct problem *problem)
{
    struct query *query = db_query(db, &list_deployments);

    query_bind_text(query, experiment_id);
    return read_deployments(query, arena, rows, problem);
}

enum error deployment_supersede(struct db *db, int64_t id, struct problem *problem)
{
    struct query *query = db_query(db, &supersede);

    query_bind_integer(query, id);
    return query_end(query, problem);
}

enum error deployment_end(struct db *db, struct arena *arena, int64_t id, const char *reason,
                          const char **at, struct problem *problem)
{
    struct query *query = db_query(db, &end_deployment);

    query_bind_text(query, reason);
    query_bind_integer(query, id);
    *at = query_next(query) ? query_text(query, 0, arena) : "";
    return query_end(query, problem);
}

enum error deployment_judged(struct db *db, struct arena *arena, const char *experiment_id,
                             struct judged_run *run, bool *found, struct problem *problem)
{
    struct query *query = db_query(db, &find_judged);

    query_bind_text(query, experiment_id);
    return query_read_one(query, &judged_schema, run, arena, found, problem);
}

enum error deployment_evaluations(struct db *db, const char *experiment_id, const char *evaluator,
                                  int64_t window, struct evaluator_mean *mean,
                                  struct problem *problem)
{
    struct query *query = db_query(db, &read_mean);

    *mean = (struct evaluator_mean){0, 0};
    query_bind_text(query, evaluator);
    query_bind_text(query, experiment_id ? experiment_id : "");
    query_bind_integer(query, window);
    if (query_next(query)) {
        mean->count = query_integer(query, 1);
        mean->mean = mean->count ? query_number(query, 0) : 0;
    }
    return query_end(query, problem);
}

static void bind_answers(struct query *query, const char *experiment_id, const char *tenant)
{
    query_bind_text(query, experiment_id);
    query_bind_text(query, tenant ? tenant : "");
    query_bind_text(query, tenant ? tenant : "");
}

enum error deployment_answers(struct db *db, const char *experiment_id, const char *tenant,
                              struct answer_metrics *metrics, struct problem *problem)
{
    struct query *query = db_query(db, &read_answers);

    *metrics = (struct answer_metrics){0};
    bind_answers(query, experiment_id, tenant);
    if (query_next(query))
        query_read(query, &answer_schema, metrics, NULL);
    return query_end(query, problem);
}

enum error deployment_ranked(struct db *db, const char *experiment_id, const char *tenant,
                             bool latency, int64_t rank, struct optional_number *value,
                             struct problem *problem)
{
    struct query *query = db_query(db, latency ? &rank_latency : &rank_quality);

    *value = (struct optional_number){false, 0};
    bind_answers(query, experiment_id, tenant);
    query_bind_integer(query, rank);
    if (query_next(query))
        *value = query_optional_number(query, 0);
    return query_end(query, problem);
}
