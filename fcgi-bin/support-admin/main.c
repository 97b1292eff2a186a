/* The support service, family admin: what operators and administrators look at and decide. Routes
 * only. */
#include "support-admin/desk.h"
#include "support-admin/traces.h"
#include "support/service.h"

#define GET(path_, role_, handler_, name_, tag_, reply_, summary_)                                 \
    .method = METHOD_GET, .path = (path_), .role = (role_), .handler = (handler_),                 \
    .name = (name_), .tag = (tag_), .reply = (reply_), .summary = (summary_)

static const struct route routes[] = {
    {GET("/api/sessions", SUPPORT_AGENT, sessions_handle, "sessions", "sessions", &session_schema,
         "Conversations, last used first"),
     .reply_is_list = true, .query = &sessions_query_schema},
    {GET("/api/sessions/{session_id}/history", SUPPORT_AGENT, history_handle, "session_history",
         "sessions", &history_schema, "What was said in a conversation")},
    {.method = METHOD_DELETE,
     .path = "/api/sessions/{session_id}",
     .role = SUPPORT_AGENT,
     .reply = &cleared_schema,
     .handler = session_delete_handle,
     .name = "delete_session",
     .tag = "sessions",
     .summary = "Forget a conversation"},
    {GET("/api/feedback/stats", SUPPORT_AGENT, votes_handle, "feedback_stats", "quality",
         &votes_schema, "Votes by route"),
     .query = &votes_query_schema, .errors = ERRORS(400)},
    {GET("/api/agent/tickets", SUPPORT_AGENT, tickets_handle, "tickets", "desk", &tickets_schema,
         "Tickets, newest first"),
     .query = &tickets_query_schema},
    {GET("/api/agent/tickets/{ticket_id}", SUPPORT_AGENT, ticket_handle, "ticket", "desk",
         &ticket_detail_schema, "A ticket with its conversation and what the answer stood on"),
     .errors = ERRORS(400)},
    {.method = METHOD_POST,
     .path = "/api/agent/tickets/{ticket_id}/respond",
     .role = SUPPORT_AGENT,
     .body = &respond_schema,
     .reply = &responded_schema,
     .errors = ERRORS(400),
     .handler = respond_handle,
     .name = "respond",
     .tag = "desk",
     .summary = "Answer a ticket",
     .help = "The answer also goes into the conversation. May be repeated."},
    {GET("/api/agent/similar", SUPPORT_AGENT, similar_handle, "similar_tickets", "desk",
         &similar_schema, "Resolved tickets like this one"),
     .query = &similar_query_schema, .errors = ERRORS(400, 404)},
    {GET("/api/admin/traces", SUPPORT_AGENT, traces_handle, "traces", "quality", &traces_schema,
         "Answers, newest first"),
     .query = &traces_query_schema},
    {GET("/api/admin/traces/{trace_id}", SUPPORT_AGENT, trace_handle, "trace", "quality",
         &trace_schema, "How an answer came about, step by step"),
     .errors = ERRORS(400)},
    {.method = METHOD_DELETE,
     .path = "/api/admin/traces",
     .role = SUPPORT_ADMIN,
     .query = &purge_query_schema,
     .reply = &traces_purged_schema,
     .errors = ERRORS(400),
     .handler = traces_purge_handle,
     .name = "purge_traces",
     .tag = "quality",
     .summary = "Delete old traces"},
    {GET("/api/admin/evaluations/trends", SUPPORT_ADMIN, trend_handle, "evaluation_trends",
         "quality", &trend_schema, "Mean score of an evaluator by day"),
     .query = &trend_query_schema, .errors = ERRORS(400)},
    {GET("/api/admin/evaluations/worst", SUPPORT_ADMIN, worst_handle, "evaluation_worst", "quality",
         &worst_schema, "The answers an evaluator liked least"),
     .query = &worst_query_schema, .errors = ERRORS(400)},
    {GET("/api/admin/categories", SUPPORT_ADMIN, categories_handle, "categories", "documents",
         &categories_schema, "Categories of documents")},
    {GET("/api/admin/audit", SUPPORT_AGENT, audit_handle, "audit", "audit", &audit_schema,
         "Who did what"),
     .query = &audit_query_schema},
    {GET("/api/metrics", SUPPORT_ADMIN, metrics_handle, "metrics", "quality", &metrics_schema,
         "Figures of the last day and week")},
};

static const struct http_family family = {
    .service = &support_service, .name = "admin", ROUTES(routes)};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
