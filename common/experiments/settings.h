/* The settings of the experiments service: one table, read from AB_* variables at start. */
#ifndef ASSAY_EXPERIMENTS_SETTINGS_H
#define ASSAY_EXPERIMENTS_SETTINGS_H

#include "accounts/store.h"
#include "base/confine.h"
#include "base/settings.h"
#include "db/replica.h"
#include "experiments/sources/source_settings.h"
#include "jobs/clock_watch.h"
#include "kafka/kafka_settings.h"

struct experiments_settings {
    const char *app_name;
    const char *app_version;
    const char *build_sha;
    const char *environment;
    const char *host;
    int64_t port;

    const char *database_url; /* NULL = the SQLite file */
    struct replica_settings replica;
    int64_t db_pool_size;
    const char *db_path;
    int64_t sqlite_busy_timeout_ms;
    int sqlite_journal_mode; /* enum db_journal_mode */
    int sqlite_synchronous;  /* enum db_synchronous */
    const char *sql_directory;
    const char *state_directory;       /* NULL = the identity of the database is not recorded */
    struct accounts_settings accounts; /* of the store that all services share */
    struct clock_limits clock;         /* limits for deletion by age */

    const char *frontend_dist_path;
    bool serve_frontend_dist;
    bool seed_demo_on_startup;
    const char *demo_language; /* NULL = no demonstration */

    struct string_list cors_origins;
    struct string_list cors_methods;
    struct string_list cors_headers;

    int confine; /* enum confine_mode */

    int log_level;  /* enum log_level */
    int log_format; /* enum log_format */

    const char *api_token;
    const char *readonly_api_token;
    const char *admin_token;
    const char *operator_token; /* the same, else made at the first start; NULL = none */
    const char *workspace_signing_key;
    bool public_demo;
    bool readonly_compute;
    bool allow_insecure_production;

    bool rate_limit_enabled;
    int64_t rate_limit_requests;
    int64_t preflight_rate_limit_requests;
    int64_t rate_limit_window_seconds;
    int64_t heavy_rate_limit_requests;
    int64_t heavy_rate_limit_window_seconds;
    int64_t auth_failure_limit;
    int64_t auth_failure_window_seconds;

    int64_t max_request_body_bytes;
    int64_t max_workspace_body_bytes;
    int64_t max_data_upload_bytes;
    int64_t data_uploads;
    int64_t data_temporary_bytes;
    int64_t data_tasks_bytes;
    int64_t data_tasks_kept;
    int64_t data_task_seconds;
    int64_t max_unpacked_body_bytes;
    int64_t max_chatapp_body_bytes;
    int64_t chatapp_rate_limit_requests;
    int64_t chatapp_rate_limit_window_seconds;
    int64_t chatapp_invalid_signature_limit;
    int64_t chatapp_invalid_signature_window_seconds;
    int64_t max_request_memory_bytes;
    int64_t max_json_depth;

    bool compute_admission_enabled;
    int64_t compute_max_heavy_concurrent;
    int64_t compute_max_cheap_concurrent;
    int64_t compute_max_cost_units_in_flight;
    int64_t compute_acquire_timeout_ms;
    int64_t compute_retry_after_seconds;

    int64_t report_max_pages;
    int64_t report_max_text_bytes;
    int64_t report_seconds;
    int64_t share_max_days; /* 0 = reports are not shared */
    int64_t page_memory_bytes;
    int64_t workspace_memory_bytes;
    int64_t max_templates;
    int64_t max_metrics;
    int64_t max_segments;
    int64_t segment_users_max;
    int64_t max_segment_upload_bytes;
    int64_t max_webhooks;
    int64_t webhook_runners;
    int64_t webhook_round_deliveries;
    double webhook_retry_hours;
    int64_t webhook_answer_bytes;
    int64_t webhook_answer_kept_bytes;
    int64_t webhook_history_days;
    int64_t webhook_purge_rows;
    int64_t idempotency_seconds;
    int64_t retention_exposures_days;
    int64_t retention_conversions_days;
    int64_t retention_audit_days;
    int64_t retention_webhook_deliveries_days;

    struct kafka_settings kafka;
    const char *kafka_topic_prefix;
    int intake; /* enum kafka_intake */

    struct source_settings sources;

    int64_t live_spike_events;
    int64_t live_clusters_max;
    int64_t ofrep_bulk_flags;
    double client_event_value_max;
    int64_t live_mixture_users;
    int64_t live_settling_seconds;
    int64_t interaction_users;
    int64_t error_rate_runs;
    int64_t error_rate_users;
    int64_t error_rate_seconds;

    const char *llm_base_url; /* token of the orchestrator; "" = none */
    const char *llm_path;
    const char *llm_api_key; /* NULL = no token */
    const char *llm_model;
    double llm_timeout_seconds;
    double llm_connect_timeout_seconds;
    double llm_deadline_seconds;
    int64_t llm_max_attempts;
    double llm_initial_backoff_seconds;
    double llm_backoff_multiplier;
    double llm_max_retry_after_seconds;
    int64_t llm_max_response_bytes;
    int64_t llm_breaker_failures;
    double llm_breaker_seconds;
    const char *openai_base_url;
    const char *openai_model;
    const char *anthropic_base_url;
    const char *anthropic_model;
    const char *mistral_base_url;
    const char *mistral_model;
    const char *mistral_api_key; /* NULL = Mistral is not offered */
    bool outbound_allow_private;

    const char *chatapp_client_id; /* all three are required for the chat platform */
    const char *chatapp_client_secret;
    const char *chatapp_signing_secret;
    const char *chatapp_base_url; /* NULL = no messages are sent */
    struct string_list chatapp_response_hosts;
    struct string_list chatapp_teams;
    const char *chatapp_review_channel; /* NULL = no reviews */
    const char *chatapp_language;       /* a tag, as language_find() takes it */
    double chatapp_timeout_seconds;
    int64_t chatapp_signature_seconds;
    int64_t chatapp_state_seconds;
    int64_t chatapp_projects_shown;
    int64_t chatapp_message_bytes;
    int64_t chatapp_name_bytes;
    int64_t chatapp_attempts;
    int64_t chatapp_round_jobs;

    int64_t trusted_proxy_hops;
    struct string_list trusted_proxies;
};

extern const struct setting experiments_settings_table[];
extern const size_t experiments_settings_count;

/* Loads the table and checks rules across several settings. ERROR_INVALID names the variable. */
MUST_CHECK enum error experiments_settings_load(struct experiments_settings *settings,
                                                struct arena *arena,
                                                const char *(*lookup)(const char *name),
                                                struct problem *problem);

/* Whether calls to vendors may go to loopback and private addresses: AB_ENV is local, or a setting
 * allows it. */
bool experiments_may_call_private(const struct experiments_settings *settings);

/* Whether the chat platform is configured: its three credentials are set. */
bool experiments_has_chat(const struct experiments_settings *settings);

/* AB_ENV is production or prod, in any letter case. */
bool experiments_is_production(const struct experiments_settings *settings);

/* Why clients without a token may write while no key was issued; NULL when a token is required. */
const char *experiments_open_by(const struct experiments_settings *settings);

#endif
