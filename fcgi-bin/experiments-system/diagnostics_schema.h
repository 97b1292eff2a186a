/* The schema of the diagnostics, block by block. */
#ifndef ASSAY_EXPERIMENTS_SYSTEM_DIAGNOSTICS_SCHEMA_H
#define ASSAY_EXPERIMENTS_SYSTEM_DIAGNOSTICS_SCHEMA_H

#include "base/schema.h"

struct storage {
    const char *db_path;
    const char *db_parent_path;
    struct optional_integer disk_free_bytes;
    bool db_exists;
    struct optional_integer db_size_bytes;
    struct optional_integer schema_version;
    struct optional_integer sqlite_user_version;
    int64_t busy_timeout_ms;
    const char *journal_mode;
    const char *synchronous;
    bool write_probe_ok;
    const char *write_probe_detail;
    struct optional_integer projects_total;
    struct optional_integer archived_projects_total;
    struct optional_integer analysis_runs_total;
    struct optional_integer export_events_total;
    struct optional_integer project_revisions_total;
    int64_t workspace_bundle_schema_version;
    bool workspace_signature_enabled;
    const char *latest_project_updated_at;
};

struct webhooks {
    struct optional_integer pending;
    struct optional_integer retrying;
    struct optional_integer delivered;
    struct optional_integer failed;
    struct optional_number oldest_due_age_seconds;
};

struct retention {
    int64_t exposures_days;
    int64_t conversions_days;
    int64_t audit_days;
    int64_t webhook_deliveries_days;
    bool auto_purge_enabled;
    const char *notes;
};

struct frontend {
    bool serve_frontend_dist;
    const char *dist_path;
    bool dist_exists;
};

struct llm {
    const char *provider;
    const char *base_url;
    double timeout_seconds;
    int64_t max_attempts;
    double initial_backoff_seconds;
    double backoff_multiplier;
    const char *breaker_state;
};

struct logging {
    const char *level;
    const char *format;
};

struct authentication {
    bool enabled;
    const char *mode;
    bool write_enabled;
    bool readonly_enabled;
    bool legacy_tokens_enabled;
    bool api_keys_enabled;
    bool admin_token_enabled;
    bool public_demo;
    bool readonly_compute;
    const char *session_scope;
    const char *session_source;
    bool session_can_write;
    bool session_admin_authenticated;
    struct string_list accepted_headers;
    struct string_list read_only_methods;
};

struct guards {
    bool security_headers_enabled;
    bool rate_limit_enabled;
    int64_t rate_limit_requests;
    int64_t rate_limit_window_seconds;
    int64_t auth_failure_limit;
    int64_t auth_failure_window_seconds;
    int64_t max_request_body_bytes;
    int64_t max_workspace_body_bytes;
    int64_t max_chatapp_body_bytes;
    int64_t chatapp_rate_limit_requests;
    bool compute_admission_enabled;
    int64_t compute_max_heavy_concurrent;
    const char *confine;
    bool confined_files;
    bool confined_calls;
};

struct network {
    const char *direct_peer;
    struct string_list forwarded_for_chain;
    int64_t trusted_proxy_hops;
    struct string_list trusted_proxies;
    const char *resolved_client;
    const char *resolved_from;
};

struct runtime {
    int64_t total_requests;
    int64_t success_responses;
    int64_t client_error_responses;
    int64_t server_error_responses;
    int64_t auth_rejections;
    int64_t rate_limited_responses;
    int64_t request_body_rejections;
    int64_t compute_capacity_rejections;
    int64_t heavy_in_flight_peak;
    int64_t cheap_in_flight_peak;
    int64_t cost_in_flight_peak;
    int64_t admission_slots_reclaimed;
    int64_t rate_limit_keys;
    int64_t rate_limit_keys_evicted;
    int64_t rate_limit_overflows;
    const char *last_request_at;
    const char *last_error_at;
    const char *last_error_code;
    int64_t process_time_ms_count;
    struct optional_number process_time_ms_avg;
    struct optional_number process_time_ms_max;
    struct optional_number process_time_ms_p50;
    struct optional_number process_time_ms_p99;
    double error_rate;
};

struct topology {
    const char *supported;
    const char *rate_limit_state;
    const char *runtime_counters_scope;
    const char *notes;
};

struct diagnostics {
    const char *status;
    const char *generated_at;
    const char *started_at;
    double uptime_seconds;
    const char *environment;
    const char *app_version;
    const char *app_git_sha;
    bool request_timing_headers_enabled;
    const struct storage *storage;
    const struct frontend *frontend;
    const struct llm *llm;
    const struct logging *logging;
    const struct authentication *auth;
    const struct guards *guards;
    const struct network *network;
    const struct runtime *runtime;
    const struct webhooks *webhooks;
    const struct topology *topology;
    const struct retention *retention;
};

SCHEMA_OF(diagnostics_reply_schema, struct diagnostics);

#endif
