/* Rows of runs, and runs as jobs: answered outside a transaction, kept with the end of the job. */
#include "support/regression/run_store.h"
#include "base/log.h"
#include "crypto/token.h"
#include "db/query.h"
#include "support/curated/curated.h"
#include "support/metrics.h"
#include "support/programs/data_files.h"

#include <stdio.h>
#include <string.h>

enum { PAYLOAD_MAX = 4096, ID_DIGITS = 12 };

static const struct statement keep_run = {
    .name = "run_keep",
    .sql = "INSERT INTO eval_results (created_at, tenant_id, metric_name, value, sample_size,"
           " drift_alert, kind, run_id, baseline_experiment_id, candidate_experiment_id,"
           " report_path, started_at, quality_delta, cost_delta, latency_delta, mode)"
           " VALUES ({now}, ?, 'regression_candidate_pass_rate', ?, ?, ?, 'regression', ?, ?, ?, ?,"
           " ?, ?, ?, ?, ?) ON CONFLICT (run_id) DO NOTHING",
};
#define OWNER struct run_row
static const struct field run_fields[] = {STRING(OWNER, run_id),
                                          STRING(OWNER, tenant_id),
                                          STRING(OWNER, created_at),
                                          STRING(OWNER, baseline),
                                          STRING(OWNER, candidate),
                                          STRING(OWNER, report_path, .nullable = true),
                                          STRING(OWNER, mode, .nullable = true),
                                          NUMBER(OWNER, pass_rate),
                                          INTEGER(OWNER, sample_size),
                                          BOOLEAN(OWNER, drift_alert)};
#undef OWNER
static SCHEMA(run_schema, struct run_row, "RunRow", run_fields);

#define OWNER struct run_deltas
static const struct field deltas_fields[] = {
    STRING(OWNER, run_id), NULLABLE_NUMBER(OWNER, quality_delta),
    NULLABLE_NUMBER(OWNER, cost_delta), NULLABLE_NUMBER(OWNER, latency_delta)};
#undef OWNER
SCHEMA(run_deltas_schema, struct run_deltas, "RunDeltas", deltas_fields);

#define RUN                                                                                        \
    "run_id, tenant_id, created_at, coalesce(baseline_experiment_id, 'current') AS baseline,"      \
    " coalesce(candidate_experiment_id, 'current') AS candidate, report_path, mode,"               \
    " value AS pass_rate, sample_size, drift_alert FROM eval_results WHERE kind = 'regression' "   \
    "AND (? = '' OR tenant_id = ?)"
static const struct statement list_runs = {
    .name = "run_list",
    .sql = "SELECT " RUN " ORDER BY created_at DESC, id DESC LIMIT ?",
};
static const struct statement find_run = {
    .name = "run_find",
    .sql = "SELECT " RUN " AND run_id = ?",
};
#define NEWEST                                                                                     \
    " FROM eval_results WHERE kind = 'regression' AND candidate_experiment_id = ?"                 \
    " AND (? = '' OR tenant_id = ?) ORDER BY created_at DESC, id DESC LIMIT 1"
static const struct statement newest_deltas = {
    .name = "run_deltas",
    .sql = "SELECT run_id, quality_delta, cost_delta, latency_delta" NEWEST,
};

enum error run_keep(struct db *db, const struct regression_plan *plan,
                    const struct regression_result *result, struct problem *problem)
{
    struct query *query = db_query(db, &keep_run);

    query_bind_text(query, plan->tenant ? plan->tenant : "all");
    query_bind_number(query, result->pass_rate);
    query_bind_integer(query, result->cases);
    query_bind_boolean(query, result->exit_code != 0);
    query_bind_text(query, plan->run_id);
    query_bind_text(query, plan->baseline);
    query_bind_text(query, plan->candidate);
    query_bind_text(query, result->report_json);
    query_bind_text(query, result->created_at);
    query_bind_number(query, result->quality_delta);
    query_bind_number(query, result->cost_delta);
    query_bind_number(query, result->latency_delta);
    query_bind_text(query, result->mode);
    return query_end(query, problem);
}

enum error run_list(struct db *db, struct arena *arena, const char *tenant, int64_t limit,
                    struct object_list *rows, struct problem *problem)
{
    struct run_row *items = ARENA_ARRAY(arena, struct run_row, (size_t)limit + 1);
    struct query *query = db_query(db, &list_runs);

    query_bind_text(query, tenant ? tenant : "");
    query_bind_text(query, tenant ? tenant : "");
    query_bind_integer(query, limit);
    *rows = (struct object_list){.items = items};
    while (rows->count < (size_t)limit && query_next(query))
        query_read(query, &run_schema, &items[rows->count++], arena);
    return query_end(query, problem);
}

enum error run_find(struct db *db, struct arena *arena, const char *tenant, const char *run_id,
                    struct run_row *row, bool *found, struct problem *problem)
{
    struct query *query = db_query(db, &find_run);

    query_bind_text(query, tenant ? tenant : "");
    query_bind_text(query, tenant ? tenant : "");
    query_bind_text(query, run_id);
    return query_read_one(query, &run_schema, row, arena, found, problem);
}

enum error run_deltas_of(struct db *db, struct arena *arena, const char *tenant,
                         const char *candidate, struct run_deltas *deltas, bool *found,
                         struct problem *problem)
{
    struct query *query = db_query(db, &newest_deltas);

    query_bind_text(query, candidate);
    query_bind_text(query, tenant ? tenant : "");
    query_bind_text(query, tenant ? tenant : "");
    return query_read_one(query, &run_deltas_schema, deltas, arena, found, problem);
}

enum error run_newest(struct db *db, struct arena *arena, const char *tenant, const char *candidate,
                      const char **run_id, struct problem *problem)
{
    struct run_deltas deltas = {.run_id = NULL};
    bool found;
    enum error error = run_deltas_of(db, arena, tenant, candidate, &deltas, &found, problem);

    *run_id = deltas.run_id;
    return error;
}

void run_count(struct metrics *metrics, const struct regression_plan *plan,
               const struct regression_result *result, bool passed)
{
    const char *how = passed ? "pass" : "fail";

    metric_add(metrics, METRIC_REGRESSION_RUNS, &how, 1);
    if (!result)
        return;
    metric_observe(metrics, METRIC_REGRESSION_SECONDS, NULL, result->seconds);
    metric_set(metrics, METRIC_REGRESSION_PASS_RATE,
               (const char *const[]){plan->baseline, plan->candidate}, result->pass_rate);
}

/* What a run in the background works with. */
struct runner {
    struct regression_tools *tools;
    struct metrics *metrics;
};

/* What it leaves to be kept. */
struct ran {
    struct regression_plan plan;
    struct regression_result result;
};

#define OWNER struct run_progress
static const struct field progress_fields[] = {INTEGER(OWNER, cases_done),
                                               INTEGER(OWNER, cases_total)};
#undef OWNER
SCHEMA(run_progress_schema, struct run_progress, "RegressionProgress", progress_fields);

static enum error report_progress(void *context, int64_t done, int64_t of, struct problem *problem)
{
    struct job *job = context;
    const struct run_progress progress = {.cases_done = done, .cases_total = of};

    return background_say(
        job, schema_json(job->arena, PAYLOAD_MAX, &run_progress_schema, &progress), problem);
}

#define OWNER struct run_request
static const struct field request_fields[] = {STRING(OWNER, baseline, .default_text = "current"),
                                              STRING(OWNER, candidate, .default_text = "current"),
                                              STRING(OWNER, tenant, .internal = true),
                                              BOOLEAN(OWNER, simulated)};
#undef OWNER
SCHEMA(run_request_schema, struct run_request, "RegressionRequest", request_fields);

static enum error do_run(struct job *job, struct ran *ran, struct problem *problem)
{
    const struct runner *runner = job->context;
    struct regression_tools tools = *runner->tools;
    struct run_request request = {0};

    if (!schema_from_json(job->arena, &run_request_schema, job->payload, &request))
        return problem_set(problem, ERROR_MALFORMED, "payload", "the request cannot be read");
    regression_plan_start(&ran->plan, tools.settings);
    ran->plan.run_id = job->key;
    ran->plan.baseline = request.baseline;
    ran->plan.candidate = request.candidate;
    ran->plan.tenant = strcmp(job->lane, "all") == 0 ? NULL : job->lane;
    ran->plan.simulated = request.simulated;
    ran->plan.dataset = data_file_path(job->arena, tools.settings, curated_default_path);
    tools.arena = job->arena;
    tools.problem = problem;
    tools.on_case = report_progress;
    tools.context = job;
    return regression_run(&tools, &ran->plan, &ran->result);
}

static void perform(struct job *job, struct job_verdict *verdict)
{
    const struct runner *runner = job->context;
    struct ran *ran = ARENA_NEW(job->arena, struct ran);
    struct problem problem = {0};
    enum error error = do_run(job, ran, &problem);

    if (!error && ran->result.exit_code == 2)
        error = problem_set(&problem, ERROR_UNAVAILABLE, "no_case", "no case could be evaluated");
    run_count(runner->metrics, &ran->plan, error ? NULL : &ran->result,
              !error && ran->result.exit_code == 0);
    job->result = error ? NULL : ran;
    if (!error)
        return;
    verdict->outcome = JOB_REFUSED;
    (void)!snprintf(verdict->error, sizeof verdict->error, "%s", problem.text);
}

static enum error record(struct job *job, const struct job_verdict *verdict,
                         struct problem *problem)
{
    const struct ran *ran = job->result;

    (void)verdict;
    return ran ? run_keep(job->db, &ran->plan, &ran->result, problem) : ERROR_NONE;
}

struct job_kind run_kind(const struct support_settings *settings)
{
    return background_kind("support.regression", settings->regression_lease, perform, record);
}

enum error run_ask(struct db *db, struct arena *arena, const struct support_settings *settings,
                   const struct run_request *request, const char **id, struct problem *problem)
{
    const struct job_kind kind = run_kind(settings);
    unsigned char bytes[ID_DIGITS / 2];

    token_random_bytes(bytes, sizeof bytes);
    *id = arena_print(arena, "regression-%02x%02x%02x%02x%02x%02x", bytes[0], bytes[1], bytes[2],
                      bytes[3], bytes[4], bytes[5]);
    return background_add(db, &kind, *id, request->tenant ? request->tenant : "all",
                          schema_json(arena, PAYLOAD_MAX, &run_request_schema, request), problem);
}

enum error run_due(struct regression_tools *tools, struct metrics *metrics,
                   struct job_counts *tally)
{
    const struct job_kind kind = run_kind(tools->settings);
    struct runner runner = {tools, metrics};

    return job_run_due(tools->db, tools->arena, &kind, &runner, 1, tally, tools->problem);
}
