/* The support service, family improvement: how answers are made better. Routes only. */
#include "support-improvement/curated.h"
#include "support-improvement/experiments.h"
#include "support-improvement/review.h"
#include "support-improvement/splits.h"
#include "support/service.h"

#define GET(path_, role_, handler_, name_, tag_, reply_, summary_)                                 \
    .method = METHOD_GET, .path = (path_), .role = (role_), .handler = (handler_),                 \
    .name = (name_), .tag = (tag_), .reply = (reply_), .summary = (summary_)
#define POST(path_, role_, handler_, name_, tag_, reply_, summary_)                                \
    .method = METHOD_POST, .path = (path_), .role = (role_), .handler = (handler_),                \
    .name = (name_), .tag = (tag_), .reply = (reply_), .summary = (summary_)

static const struct route routes[] = {
    {GET("/api/admin/review-queue", SUPPORT_REVIEWER, review_list_handle, "review_queue", "review",
         &review_list_schema, "Answers that need a look, newest first"),
     .query = &review_query_schema, .errors = ERRORS(404, 422)},
    {POST("/api/admin/review-queue", SUPPORT_REVIEWER, review_add_handle, "review_add", "review",
          &review_added_schema, "Make a case of an answer by hand"),
     .status = 201, .body = &review_add_schema, .errors = ERRORS(404, 409)},
    {GET("/api/admin/review-queue/stats", SUPPORT_REVIEWER, review_stats_handle, "review_stats",
         "review", &review_stats_schema, "How many wait, and for how long"),
     .errors = ERRORS(404)},
    {GET("/api/admin/review-queue/{review_id}", SUPPORT_REVIEWER, review_detail_handle,
         "review_case", "review", &review_detail_schema, "What a case is about"),
     .errors = ERRORS(422)},
    {POST("/api/admin/review-queue/{review_id}", SUPPORT_REVIEWER, review_decide_handle,
          "review_decide", "review", &review_done_schema, "Judge a case"),
     .body = &review_body_schema, .errors = ERRORS(409),
     .help = "What was judged stays so until it is opened again with status `pending`."},
    {GET("/api/admin/curated-dataset/stats", SUPPORT_REVIEWER, curated_stats_handle,
         "curated_stats", "curated", &curated_stats_schema,
         "Curated cases by verdict, tenant and channel")},
    {GET("/api/admin/curated-dataset/cases", SUPPORT_REVIEWER, curated_cases_handle,
         "curated_cases", "curated", &curated_cases_schema, "The curated cases"),
     .query = &curated_cases_query_schema},
    {POST("/api/admin/curated-dataset/rebuild", SUPPORT_REVIEWER, rebuild_handle, "curated_rebuild",
          "curated", &rebuild_schema, "Build the curated data anew"),
     .query = &rebuild_query_schema, .errors = ERRORS(422)},
    {GET("/api/admin/curated-dataset/jobs/{job_id}", SUPPORT_REVIEWER, rebuild_job_handle,
         "curated_job", "curated", &rebuild_job_schema, "How far a rebuild is")},
    {GET("/api/admin/curated-dataset/stale", SUPPORT_REVIEWER, curated_stale_handle,
         "curated_stale", "curated", &curated_stale_schema,
         "Curated cases that do not hold any more")},
    {GET("/api/admin/experiments", SUPPORT_ADMIN, experiments_handle, "experiments", "experiments",
         &experiments_schema, "Experiments by name")},
    {POST("/api/admin/experiments", SUPPORT_ADMIN, experiment_new_handle, "experiment_new",
          "experiments", &experiment_schema, "Make the draft of an experiment"),
     .status = 201, .body = &experiment_new_schema, .errors = ERRORS(404, 409),
     .help = "The operator's, as staging, deploying, rolling back and archiving are."},
    {GET("/api/admin/experiments/comparison", SUPPORT_REVIEWER, comparison_handle,
         "experiment_comparison", "experiments", &comparison_schema,
         "What is deployed, staged and proposed, side by side"),
     .query = &comparison_query_schema},
    {GET("/api/admin/experiments/{experiment_id}", SUPPORT_ADMIN, experiment_handle, "experiment",
         "experiments", &experiment_schema, "What an experiment changes")},
    {POST("/api/admin/experiments/{experiment_id}/stage", SUPPORT_ADMIN, experiment_stage_handle,
          "experiment_stage", "experiments", &experiment_changed_schema,
          "Answer by an experiment from now on, until it is deployed or taken back"),
     .access = "operator", .query = &stage_query_schema, .errors = ERRORS(409)},
    {POST("/api/admin/experiments/{experiment_id}/deploy", SUPPORT_ADMIN, experiment_deploy_handle,
          "experiment_deploy", "experiments", &deployed_schema,
          "Make an experiment the default, once a regression run is green"),
     .access = "operator", .errors = ERRORS(409)},
    {POST("/api/admin/experiments/{experiment_id}/rollback", SUPPORT_ADMIN,
          experiment_rollback_handle, "experiment_rollback", "experiments", &rolled_back_schema,
          "Take a deployed experiment back"),
     .access = "operator", .errors = ERRORS(409)},
    {POST("/api/admin/experiments/{experiment_id}/archive", SUPPORT_ADMIN,
          experiment_archive_handle, "experiment_archive", "experiments",
          &experiment_changed_schema, "Put an experiment away"),
     .access = "operator"},
    {POST("/api/admin/experiments/{experiment_id}/assignments", SUPPORT_ADMIN,
          experiment_assign_handle, "experiment_assign", "experiments", &assigned_schema,
          "Answer a part of a tenant's conversations by an experiment"),
     .body = &assignment_body_schema, .errors = ERRORS(400, 409)},
    {GET("/api/admin/experiments/{experiment_id}/assignments", SUPPORT_ADMIN,
         experiment_assignments_handle, "experiment_assignments", "experiments",
         &assignments_schema, "Who is assigned to an experiment")},
    {GET("/api/admin/experiments/{experiment_id}/splits", SUPPORT_ADMIN, experiment_splits_handle,
         "experiment_splits", "experiments", &splits_schema,
         "What the experiments service says of its shares of live traffic"),
     .help = "Newest first. Told by `split-report`, where AB_BASE_URL and AB_API_KEY are set."},
    {POST("/api/admin/experiments/{experiment_id}/regression-run", SUPPORT_ADMIN, run_start_handle,
          "regression_run", "regression", &run_started_schema,
          "Hold an experiment against what is in force"),
     .status = 202, .query = &run_query_schema},
    {GET("/api/admin/regression-runs", SUPPORT_ADMIN, runs_handle, "regression_runs", "regression",
         &runs_schema, "Regression runs, newest first"),
     .query = &runs_query_schema},
    {GET("/api/admin/regression-runs/{run_id}", SUPPORT_ADMIN, run_handle, "regression_report",
         "regression", &run_schema, "A regression run with its report")},
};

static const struct http_family family = {
    .service = &support_service, .name = "improvement", ROUTES(routes)};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
