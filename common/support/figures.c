/* The table of figures. Names and buckets are those that dashboards and alert rules know. */
#include "support/figures.h"

#define COUNTER(name_, help_) .name = (name_), .kind = METRIC_COUNTER, .help = (help_)
#define GAUGE(name_, help_) .name = (name_), .kind = METRIC_GAUGE, .help = (help_)
#define HISTOGRAM(name_, help_) .name = (name_), .kind = METRIC_HISTOGRAM, .help = (help_)
#define SUMMARY(name_, help_) .name = (name_), .kind = METRIC_SUMMARY, .help = (help_)

enum { HTTP_SETS = 1024, TENANT_SETS = 1024 };

const struct metric support_figures[FIGURE__MAX] = {
    [FIGURE_REQUESTS] = {COUNTER("rag_requests_total", "Questions answered, by route."),
                         .labels = {"route"}},
    [FIGURE_REQUEST_SECONDS] = {HISTOGRAM("rag_request_duration_seconds", "How long answers took."),
                                .buckets = {0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 8, 10, 15, 30}},
    [FIGURE_HTTP_REQUESTS] = {COUNTER("rag_http_requests_total", "Requests that were answered."),
                              .labels = {"endpoint", "method", "status"}, .sets = HTTP_SETS},
    [FIGURE_HTTP_SECONDS] = {HISTOGRAM("rag_http_request_duration_seconds",
                                       "How long requests took."),
                             .labels = {"endpoint", "method"},
                             .buckets = {0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30}},
    [FIGURE_QUALITY] = {SUMMARY("rag_quality_score", "Quality of answers, 0 to 100.")},
    [FIGURE_FACTUALITY] = {SUMMARY("rag_factuality_score",
                                   "Share of supported sentences of answers, 0 to 100.")},
    [FIGURE_QUALITY_SOURCE] = {COUNTER("rag_quality_score_source_total",
                                       "Who judged the quality of answers."),
                               .labels = {"source"}},
    [FIGURE_ESCALATIONS] = {COUNTER("rag_escalation_total",
                                    "Answers that were handed to a person.")},
    [FIGURE_FEEDBACK] = {COUNTER("rag_feedback_total", "Votes on answers."), .labels = {"rating"}},
    [FIGURE_MODEL_ROUTING] = {COUNTER("rag_model_routing_total",
                                      "Questions by how complex they were found."),
                              .labels = {"complexity"}},
    [FIGURE_CONSENSUS] = {COUNTER("rag_fact_verification_consensus_total",
                                  "Answers checked by several models."),
                          .labels = {"level", "verdict"}},
    [FIGURE_ROLLBACKS] = {COUNTER("rag_experiment_auto_rollback_total",
                                  "Deployed experiments that were taken back."),
                          .labels = {"experiment_id", "reason"}},
    [FIGURE_EVAL_DRIFT] = {GAUGE("rag_eval_drift", "Drift of evaluation metrics."),
                           .labels = {"metric_name"}},
    [FIGURE_REGRESSION_RUNS] = {COUNTER("regression_runs_total", "Regression runs."),
                                .labels = {"result"}},
    [FIGURE_REGRESSION_SECONDS] = {HISTOGRAM("regression_runs_duration_seconds",
                                             "How long regression runs took."),
                                   .buckets = {0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600}},
    [FIGURE_REGRESSION_PASS_RATE] = {GAUGE("regression_last_pass_rate",
                                           "Pass rate of the last regression run."),
                                     .labels = {"baseline", "candidate"}},
    [FIGURE_EVALUATOR_SCORE] = {HISTOGRAM("online_evaluator_score", "Scores of evaluators."),
                                .labels = {"evaluator"}, .buckets = {0.1, 0.25, 0.5, 0.75, 0.9, 1}},
    [FIGURE_EVALUATOR_RUNS] = {COUNTER("online_evaluator_runs_total", "Verdicts of evaluators."),
                               .labels = {"evaluator", "verdict"}},
    [FIGURE_EVALUATOR_ERRORS] = {COUNTER("online_evaluator_errors_total",
                                         "Evaluators that failed."),
                                 .labels = {"evaluator"}},
    [FIGURE_EVALUATIONS_DROPPED] = {COUNTER("rag_online_evaluators_dropped_total",
                                            "Answers whose evaluation was not kept."),
                                    .labels = {"reason"}},
    [FIGURE_BREAKER_STATE] = {GAUGE("rag_circuit_breaker_state", "0 closed, 1 half open, 2 open."),
                              .labels = {"name"}},
    [FIGURE_BREAKER_TRANSITIONS] = {COUNTER("rag_circuit_breaker_transitions_total",
                                            "Changes of circuit breakers."),
                                    .labels = {"name", "to_state"}},
    [FIGURE_RETRY_EVENTS] = {COUNTER("rag_ollama_retry_events_total",
                                     "Calls of model endpoints and their repetitions."),
                             .labels = {"event"}},
    [FIGURE_FALLBACKS] = {COUNTER("llm_provider_fallback_total",
                                  "Calls that another provider answered."),
                          .labels = {"from_provider", "reason", "to_provider"}},
    [FIGURE_TIMEOUTS] = {COUNTER("rag_request_timeouts_total", "Questions that ran out of time."),
                         .labels = {"endpoint"}},
    [FIGURE_INFLIGHT] = {GAUGE("rag_inflight_pipelines", "Questions being answered now.")},
    [FIGURE_PIPELINE_REJECTIONS] = {COUNTER("rag_pipeline_rejections_total",
                                            "Questions refused because others were running."),
                                    .labels = {"reason"}},
    [FIGURE_RATE_REJECTIONS] = {COUNTER("rag_rate_limit_rejections_total",
                                        "Requests over a limit of calls."),
                                .labels = {"endpoint"}},
    [FIGURE_BODY_REJECTIONS] = {COUNTER("rag_body_size_rejections_total", "Bodies too large."),
                                .labels = {"reason"}},
    [FIGURE_COMPONENT_UP] = {GAUGE("rag_component_up", "Whether a component works."),
                             .labels = {"component"}},
    [FIGURE_POOL_SIZE] = {GAUGE("rag_db_pool_size", "Database connections that may be held.")},
    [FIGURE_POOL_TAKEN] = {GAUGE("rag_db_pool_checked_out", "Database connections that are held.")},
    [FIGURE_POOL_OVERFLOW] = {GAUGE("rag_db_pool_overflow", "Connections beyond the pool.")},
    [FIGURE_ACTIVE_SESSIONS] = {GAUGE("rag_active_sessions",
                                      "Conversations within SESSION_TTL_SECONDS.")},
    [FIGURE_INDEXED_CHUNKS] = {GAUGE("rag_vector_store_documents", "Chunks that are indexed.")},
    [FIGURE_LEXICAL_ENABLED] = {GAUGE("rag_retriever_bm25_enabled",
                                      "Whether words are searched for."),
                                .labels = {"tenant"}, .sets = TENANT_SETS},
    [FIGURE_COST] = {COUNTER("llm_cost_usd_total", "What models cost."),
                     .labels = {"model", "provider", "tenant"}, .sets = TENANT_SETS},
    [FIGURE_CACHE_HITS] = {COUNTER("llm_cache_hits_total", "Answers from the cache."),
                           .labels = {"tenant"}, .sets = TENANT_SETS},
    [FIGURE_CACHE_MISSES] = {COUNTER("llm_cache_misses_total", "Answers not in the cache."),
                             .labels = {"tenant"}, .sets = TENANT_SETS},
    [FIGURE_STALE_DOCUMENTS] = {GAUGE("rag_stale_important_docs_count",
                                      "Much cited documents that nobody has looked at for long.")},
    [FIGURE_PERSIST_FAILURES] = {COUNTER("rag_message_persist_failures_total",
                                         "Conversations that could not be read or kept."),
                                 .labels = {"operation"}},
    [FIGURE_TRACES_PURGED] = {COUNTER("rag_traces_purged_total", "Rows of old traces deleted."),
                              .labels = {"table"}},
    [FIGURE_AUDIT_PURGED] = {COUNTER("rag_audit_purged_total",
                                     "Old entries of the audit log deleted.")},
    [FIGURE_AUTH_FAILURES] = {COUNTER("rag_auth_failures_total", "Failed sign-ins."),
                              .labels = {"reason"}},
    [FIGURE_REVIEW_PENDING] = {GAUGE("review_queue_pending_total", "Cases waiting for review."),
                               .labels = {"reason"}},
    [FIGURE_REVIEW_CONFIRMED] = {GAUGE("review_queue_confirmed_total", "Reviewed cases."),
                                 .labels = {"verdict"}},
    [FIGURE_REVIEW_OLDEST] = {GAUGE("review_queue_oldest_pending_seconds",
                                    "Age of the case that has waited longest.")},
    [FIGURE_CURATED_SIZE] = {GAUGE("curated_dataset_size", "Cases of the curated dataset."),
                             .labels = {"tenant", "verdict"}, .sets = TENANT_SETS},
    [FIGURE_CURATED_BUILT] = {GAUGE("curated_dataset_last_build_timestamp_seconds",
                                    "When the curated dataset was built.")},
    [FIGURE_MAIL_FETCHED] = {COUNTER("email_poller_fetched_total", "Messages fetched.")},
    [FIGURE_MAIL_ERRORS] = {COUNTER("email_poller_errors_total", "Failed looks at the mailbox.")},
    [FIGURE_MAIL_SUCCESS] = {GAUGE("email_poller_last_success_timestamp_seconds",
                                   "When the mailbox was read last.")},
};

static void add_purged(struct metrics *metrics, const char *table, int64_t rows)
{
    metric_add(metrics, FIGURE_TRACES_PURGED, &table, (double)rows);
}

void figures_add_purged(struct metrics *metrics, int64_t traces, int64_t steps, int64_t feedback)
{
    add_purged(metrics, "traces", traces);
    add_purged(metrics, "trace_steps", steps);
    add_purged(metrics, "feedback", feedback);
}

void figures_add_audit_purged(struct metrics *metrics, int64_t entries)
{
    metric_add(metrics, FIGURE_AUDIT_PURGED, NULL, (double)entries);
}
