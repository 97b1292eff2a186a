/* Settings of the support service: a struct that is read from the environment once. */
#ifndef ASSAY_SUPPORT_SETTINGS_H
#define ASSAY_SUPPORT_SETTINGS_H

#include "accounts/oidc/config.h"
#include "accounts/store.h"
#include "base/settings.h"
#include "db/replica.h"
#include "jobs/clock_watch.h"

enum email_mode { EMAIL_DISABLED, EMAIL_IMAP, EMAIL_WEBHOOK, EMAIL_MODE__MAX };

struct support_settings {
    int environment; /* enum support_environment */
    const char *host;
    int64_t port;
    int64_t shutdown_ready_delay_seconds;
    const char *data_directory;
    const char *sql_directory;
    const char *demo_language;   /* NULL = no demonstration */
    const char *first_password;  /* created at the first start; NULL = must exist */
    const char *state_directory; /* of the record of the database's identity; NULL = no record */
    struct accounts_settings accounts; /* of the store that all services share */
    /* Providers of sign-in: that of the suite, and those of contract 2.4. */
    struct oidc_config oidc;
    const char *google_client_id, *google_client_secret;
    const char *azure_tenant, *azure_client_id, *azure_client_secret;
    struct string_list tenant_email_domains; /* "DOMAIN:TENANT" */
    struct clock_limits clock;               /* limits for deletion by age */
    const char *database_url;                /* NULL = SQLite below data_directory */
    struct replica_settings replica;
    int64_t db_pool_size;
    int64_t sqlite_busy_timeout_ms;
    int confine;
    int log_level;
    int log_format;

    const char *api_key;
    bool allow_anonymous_admin;
    const char *help_visitor_tenant; /* NULL = the help page wants a sign-in */
    struct string_list widget_allowed_origins;
    const char *admin_username;
    const char *admin_password_hash;
    const char *admin_default_tenant;
    bool allow_dev_admin_login;
    int64_t sign_in_failures, sign_in_failure_seconds;
    const char *jwt_secret;
    int64_t jwt_access_ttl; /* seconds, as the next */
    int64_t jwt_refresh_ttl;
    bool metrics_require_auth;

    struct string_list cors_origins;
    bool rate_limit_enabled;
    int64_t auth_failure_limit;
    int64_t auth_failure_window_seconds;
    int64_t max_request_body_bytes;
    int64_t max_upload_bytes;
    int64_t max_request_memory_bytes;
    int64_t max_json_depth;
    int64_t trusted_proxy_hops;
    struct string_list trusted_proxies;

    const char *blob_url;        /* NULL = files with SQLite, the database with PostgreSQL */
    const char *blob_url_before; /* a bucket that files are moved out of; NULL = none */
    const char *blob_region, *blob_access_key, *blob_secret_key;
    double blob_seconds;

    int64_t chunk_size; /* code points, as the next */
    int64_t chunk_overlap;
    bool structural_chunking, semantic_chunking;
    bool contextual_headers;
    bool contexts_by_model;
    int64_t contexts_at_once;
    int ingest_async; /* enum support_ingest */
    int64_t ingest_async_min_bytes;
    int64_t reader_memory_bytes;
    int64_t reader_seconds;
    int64_t reader_text_bytes;
    int64_t scan_seconds, scan_pixels, scan_pages;
    int64_t index_memory_bytes;
    int64_t ingest_processes, ingest_per_tenant;

    int64_t retrieval_top_k;
    int64_t rerank_top_k;
    const char *retrieval_strategy; /* graph; any other word is hybrid */
    const char *graph_retrieval;    /* off, on or auto; others count as off */
    int64_t graph_chunks_least;
    double graph_share, graph_share_least; /* the first 0 = not known */
    bool parent_child;
    bool parent_expansion;
    int64_t parent_expansion_window;
    int64_t parent_expansion_max_chars;
    double embedded_min_evidence;
    int64_t quality_threshold;
    bool fact_verification;
    int64_t fact_verification_min_score;
    bool fact_consensus;
    int fact_reliability_level;                              /* enum fact_level */
    int64_t fact_context_documents, fact_context_characters; /* of a verification by a model */
    int unsupported;                                         /* enum unsupported_action */
    double escalation_threshold;
    int64_t threshold_labels_least;
    double threshold_risk, threshold_confidence;
    int64_t self_rag_max_iterations;
    bool suggested_questions;
    bool model_routing;
    bool agentic;
    int64_t tool_loops;
    int64_t session_ttl_seconds;
    int64_t trace_retention_days; /* 0 = kept forever, like the next two */
    int64_t audit_retention_days;
    int64_t message_retention_days;
    int64_t trace_purge_interval; /* seconds, as the next */
    int64_t audit_purge_interval;
    bool review_queue;
    int64_t slow_trace_ms;
    int64_t review_random, review_unsure; /* cases that a choice takes of each kind */
    int64_t evaluator_cases_least;
    double evaluator_kappa_least;
    const char *reviewer_email; /* NULL = reviews are not imported */
    int64_t regression_most;    /* number of regressions that a gate tolerates */
    double regression_pass_rate;
    double regression_drop; /* fall of the pass rate that a run should be able to detect */
    int64_t eval_gate_cases;
    double eval_gate_faithfulness, eval_gate_precision, eval_gate_relevancy;
    int64_t regression_lease; /* seconds */
    bool benchmark_calls; /* regression runs may call providers under comparison, and paid ones */
    const char *experiment_id; /* NULL = the value of the next member */
    const char *experiment_id_file;
    bool experiment_assignment;
    const char *ab_base_url; /* NULL = splits are not reported to experiments; as the next */
    const char *ab_api_key;
    double ab_timeout, ab_connect; /* seconds, as the interval */
    int64_t ab_request_bytes, ab_answer_bytes;
    int64_t ab_decision_interval;
    double split_mde, split_margin; /* percent */
    int64_t split_looks;
    bool auto_rollback;
    double rollback_drift;                   /* percent */
    int64_t rollback_window, rollback_least; /* evaluations */
    int64_t curated_stale_days;
    bool recommendations;
    const char *report_webhook; /* NULL = reports are not posted */
    struct string_list report_readers;
    const char *tenant_admin_email; /* NULL = no e-mail is sent */
    bool backlog_mail;
    const char *smtp_host, *smtp_user, *smtp_password, *smtp_from; /* NULL = not set */
    const char *smtp_ca_file;
    int64_t smtp_port;
    double smtp_timeout;
    int email_mode; /* enum email_mode */
    const char *imap_host, *imap_user, *imap_password, *imap_folder,
        *imap_ca_file; /* NULL = not set, but for the folder */
    int64_t imap_port;
    double imap_poll_interval, imap_timeout;
    int64_t email_poll_batch, email_max_bytes, email_question_max, email_replies_per_hour,
        email_send_attempts;
    const char *email_webhook_secret;
    const char *other_smtp_password, *other_imap_password,
        *other_email_webhook_secret; /* the same under their second names */
    const char *report_smtp_host, *report_smtp_user,
        *report_smtp_password; /* NULL = the other recipients */
    int64_t report_smtp_port;  /* 0 = the other value */
    double backlog_review, backlog_thumbs_down, backlog_slow, backlog_freshness, backlog_drift;
    int64_t backlog_items, backlog_freshness_days;
    const char *alert_webhook_url; /* NULL = no notice is sent */
    double analyze_interval;       /* seconds */
    int64_t alert_check_interval;  /* seconds, as the next */
    int64_t alert_cooldown;
    int64_t alert_least;     /* answers */
    double alert_escalation; /* percent */
    double alert_quality;
    double alert_low_quality; /* percent */
    double alert_latency;     /* seconds */
    double alert_thumbs_down; /* percent */
    int64_t alert_thumbs_down_least;
    int64_t alert_stale_documents;
    int64_t request_timeout_sec;
    int64_t max_concurrent_pipelines;
    double pipeline_acquire_timeout_sec;
    bool auto_ticket_on_human;
    bool online_evaluators;

    int embedding_backend;          /* enum support_embedding */
    const char *embedder_directory; /* NULL = below the cache of the user */
    int64_t embedder_processes;     /* for questions */
    const char *embedding_url;
    const char *embedding_model;
    const char *embedding_api_key_env;
    int64_t embedding_batch;
    double embedding_timeout_sec;
    double embedding_pause_sec;
    int64_t rrf_k;
    bool hyde;
    const char *reranker_url; /* NULL = none */
    const char *reranker_model;
    const char *reranker_api_key_env;
    const char *reranker_api_key; /* its variable has that name */

    const char *search_url; /* NULL = the embedded index; as the next two, no authorization */
    const char *search_user, *search_password;
    const char *search_index;
    double search_seconds;
    int64_t search_candidates, search_bulk_bytes;
    int64_t search_shards, search_copies; /* when the index is made */

    const char *patterns_path; /* NULL = the built-in patterns */
    const char *registry_path; /* NULL = the built-in providers */
    const char *provider_profile;
    struct string_list model_nodes;
    const char *chat_url; /* NULL = no provider `openai` */
    int chat_protocol;    /* enum llm_protocol */
    const char *chat_model;
    const char *chat_fast_model; /* NULL = the same */
    const char *chat_api_key_env;
    const char *chat_api_key; /* the registry reads this and the next two by name */
    const char *mistral_api_key;
    const char *orch_api_key;
    double chat_timeout_sec;
    double input_price; /* US dollars per million tokens, like the next */
    double output_price;
    const char *model_prices; /* JSON; NULL = none */
    const char *ollama_base_url;
    const char *ollama_model;
    const char *ollama_fast_model;
    double ollama_timeout_sec;
    const char *orch_base_url;
    double orch_timeout_sec;
    bool failover;
    int64_t failover_seconds;
    double daily_cost_limit; /* US dollars; 0 = none, like the next */
    double question_cost_limit;
    double question_seconds; /* of all model calls for one question */
    int64_t question_tokens; /* the same; 0 = unlimited */
    int64_t answer_tokens;
    double stall_seconds;
    double connect_seconds;
    int64_t model_answer_bytes;
    int64_t streaming_timeout_sec;
    bool cache;
    int64_t cache_ttl_seconds;
    bool breaker;
    int64_t breaker_failures;
    double breaker_seconds;
    int64_t retry_attempts;
    double retry_first_delay; /* seconds, as the next */
    double retry_most_delay;
    bool retry_jitter;
};

enum { REVIEW_CASES_MOST = 100 /* of one kind that a choice takes */ };

/* LOCAL is the embedder of the stack, where it has a model. */
enum support_embedding { EMBEDDING_LOCAL, EMBEDDING_REMOTE, EMBEDDING_WORDS, EMBEDDING__MAX };

enum support_ingest { INGEST_AUTO, INGEST_ALWAYS, INGEST_NEVER, INGEST__MAX };

enum support_environment {
    SUPPORT_DEVELOPMENT,
    SUPPORT_STAGING,
    SUPPORT_PRODUCTION,
    SUPPORT_ENVIRONMENT__MAX
};

/* Number of verdicts on each statement of an answer. */
enum fact_level { FACT_QUICK, FACT_STANDARD, FACT_HIGH, FACT_MAXIMUM, FACT_LEVEL__MAX };
extern const char *const fact_level_names[FACT_LEVEL__MAX + 1]; /* NULL ends the list */

/* What happens to sentences of a model's answer that the documents do not support. */
enum unsupported_action { UNSUPPORTED_DROP, UNSUPPORTED_MARK, UNSUPPORTED_KEEP, UNSUPPORTED__MAX };
extern const char *const unsupported_names[UNSUPPORTED__MAX + 1]; /* NULL ends the list */

extern const struct setting support_settings_table[];
extern const size_t support_settings_count;

/* Why every client is an administrator; NULL when credentials are required. */
const char *support_open_by(const struct support_settings *settings);

/* ERROR_INVALID names the variable; in production also for settings that would allow access without
 * credentials. */
MUST_CHECK enum error support_settings_load(struct support_settings *settings, struct arena *arena,
                                            const char *(*lookup)(const char *name),
                                            struct problem *problem);

#endif
