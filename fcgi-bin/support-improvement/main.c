/* The support service, family improvement: how answers are made better. Routes only. */
#include "support-improvement/curated.h"
#include "support-improvement/review.h"
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
};

static const struct http_family family = {
    .service = &support_service, .name = "improvement", ROUTES(routes)};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
