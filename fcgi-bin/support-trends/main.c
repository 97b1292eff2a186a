/* The support service, family trends: what verdicts, votes and evaluations say over time, and what
 * to do about it. Each reads many answers, so they have a pool of their own. Routes only. */
#include "support-trends/changed_citations.h"
#include "support-trends/improvements.h"
#include "support-trends/thresholds.h"
#include "support/service.h"

#define GET(path_, role_, handler_, name_, tag_, reply_, summary_)                                 \
    .method = METHOD_GET, .path = (path_), .role = (role_), .handler = (handler_),                 \
    .name = (name_), .tag = (tag_), .reply = (reply_), .summary = (summary_)

static const struct route routes[] = {
    {GET("/api/admin/thresholds/analysis", SUPPORT_REVIEWER, thresholds_handle,
         "threshold_analysis", "improvement", &thresholds_schema,
         "Where thresholds should lie by what people said of answers"),
     .query = &thresholds_query_schema,
     .help = "The analysis of the last day, made when there is none."},
    {.method = METHOD_POST,
     .path = "/api/admin/thresholds/refresh",
     .role = SUPPORT_REVIEWER,
     .query = &thresholds_refresh_schema,
     .reply = &thresholds_schema,
     .handler = thresholds_refresh_handle,
     .name = "refresh_thresholds",
     .tag = "improvement",
     .summary = "Analyse thresholds anew"},
    {GET("/api/admin/thresholds/choices", SUPPORT_REVIEWER, choices_handle, "threshold_choices",
         "improvement", &choices_schema, "Cutoffs chosen in place of the settings")},
    {.method = METHOD_POST,
     .path = "/api/admin/thresholds/choices",
     .role = SUPPORT_ADMIN,
     .body = &choose_schema,
     .reply = &choice_schema,
     .errors = ERRORS(409),
     .handler = choose_handle,
     .name = "choose_threshold",
     .tag = "improvement",
     .summary = "Go by another cutoff",
     .help = "In force for the tenant's next question."},
    {.method = METHOD_DELETE,
     .path = "/api/admin/thresholds/choices/{metric}",
     .role = SUPPORT_ADMIN,
     .reply = &unchosen_schema,
     .handler = unchoose_handle,
     .name = "unchoose_threshold",
     .tag = "improvement",
     .summary = "Go by the settings again"},
    {GET("/api/admin/improvement-backlog/current", SUPPORT_ADMIN, backlog_handle, "backlog",
         "improvement", &backlog_schema, "What to improve next")},
    {GET("/api/admin/improvement-backlog/archive", SUPPORT_ADMIN, archive_handle, "backlog_archive",
         "improvement", &archive_schema, "Reports of earlier weeks"),
     .query = &archive_query_schema},
    {GET("/api/admin/recommendations/current", SUPPORT_REVIEWER, recommendations_handle,
         "recommendations", "improvement", &recommendations_schema,
         "What to do next, the most urgent first")},
    {GET("/api/admin/citations/changed", SUPPORT_REVIEWER, changed_citations_handle,
         "changed_citations", "improvement", &changed_citations_schema,
         "Answers that stood on passages which have changed"),
     .query = &changed_citations_query_schema},
    {.method = METHOD_POST,
     .path = "/api/admin/citations/changed/{trace_id}/review",
     .role = SUPPORT_REVIEWER,
     .reply = &changed_citations_reviewed_schema,
     .handler = changed_citations_review_handle,
     .name = "review_changed_citations",
     .tag = "improvement",
     .summary = "Say that an answer's changed citations were looked at"},
};

static const struct http_family family = {
    .service = &support_service, .name = "trends", ROUTES(routes)};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
