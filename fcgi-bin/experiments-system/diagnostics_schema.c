/* Schemas of the diagnostics. */
#include "experiments-system/diagnostics_schema.h"

#define OWNER struct storage
static const struct field storage_fields[] = {
    STRING(OWNER, db_path, .nullable = true, .help = "Operators only; never with credentials."),
    STRING(OWNER, db_parent_path, .nullable = true, .help = "Operators only."),
    NULLABLE_INTEGER(OWNER, disk_free_bytes, .help = "Operators only; 0 on a server."),
    BOOLEAN(OWNER, db_exists),
    NULLABLE_INTEGER(OWNER, db_size_bytes),
    NULLABLE_INTEGER(OWNER, schema_version, .help = "null while the database is away."),
    NULLABLE_INTEGER(OWNER, sqlite_user_version),
    INTEGER(OWNER, busy_timeout_ms),
    STRING(OWNER, journal_mode),
    STRING(OWNER, synchronous),
    BOOLEAN(OWNER, write_probe_ok),
    STRING(OWNER, write_probe_detail),
    NULLABLE_INTEGER(OWNER, projects_total, .help = "Active projects."),
    NULLABLE_INTEGER(OWNER, archived_projects_total),
    NULLABLE_INTEGER(OWNER, analysis_runs_total),
    NULLABLE_INTEGER(OWNER, export_events_total),
    NULLABLE_INTEGER(OWNER, project_revisions_total),
    INTEGER(OWNER, workspace_bundle_schema_version, .help = "Of backups that are written."),
    BOOLEAN(OWNER, workspace_signature_enabled,
            .help = "Backups are signed, and only signed ones are taken."),
    STRING(OWNER, latest_project_updated_at, .nullable = true),
};
#undef OWNER
static SCHEMA(storage_schema, struct storage, "StorageDiagnostics", storage_fields);

#define OWNER struct webhooks
static const struct field webhooks_fields[] = {
    NULLABLE_INTEGER(OWNER, pending),
    NULLABLE_INTEGER(OWNER, retrying),
    NULLABLE_INTEGER(OWNER, delivered),
    NULLABLE_INTEGER(OWNER, failed, .help = "Dead letters."),
    NULLABLE_NUMBER(OWNER, oldest_due_age_seconds, ROUNDED(3),
                    .help = "How long the first due delivery has been waiting."),
};
#undef OWNER
static SCHEMA(webhooks_schema, struct webhooks, "WebhookDiagnostics", webhooks_fields,
              .help = "All null while the database is away.");

#define OWNER struct retention
static const struct field retention_fields[] = {
    INTEGER(OWNER, exposures_days),
    INTEGER(OWNER, conversions_days),
    INTEGER(OWNER, audit_days),
    INTEGER(OWNER, webhook_deliveries_days),
    BOOLEAN(OWNER, auto_purge_enabled, .help = "Whether any window is configured."),
    STRING(OWNER, notes),
};
#undef OWNER
static SCHEMA(retention_schema, struct retention, "RetentionDiagnostics", retention_fields);

#define OWNER struct frontend
static const struct field frontend_fields[] = {
    BOOLEAN(OWNER, serve_frontend_dist),
    STRING(OWNER, dist_path, .nullable = true, .help = "Operators only."),
    BOOLEAN(OWNER, dist_exists),
};
#undef OWNER
static SCHEMA(frontend_schema, struct frontend, "FrontendDiagnostics", frontend_fields);

#define OWNER struct llm
static const struct field llm_fields[] = {
    STRING(OWNER, provider),
    STRING(OWNER, base_url, .nullable = true, .help = "Operators only."),
    NUMBER(OWNER, timeout_seconds),
    INTEGER(OWNER, max_attempts),
    NUMBER(OWNER, initial_backoff_seconds),
    NUMBER(OWNER, backoff_multiplier),
    STRING(OWNER, breaker_state, .help = "closed, open or half_open: whether it is called."),
};
#undef OWNER
static SCHEMA(llm_schema, struct llm, "AdviceDiagnostics", llm_fields);

#define OWNER struct logging
static const struct field logging_fields[] = {STRING(OWNER, level), STRING(OWNER, format)};
#undef OWNER
static SCHEMA(logging_schema, struct logging, "LoggingDiagnostics", logging_fields);

#define OWNER struct authentication
static const struct field auth_fields[] = {
    BOOLEAN(OWNER, enabled),
    STRING(OWNER, mode,
           .help = "open, public_demo, admin_only, readonly, token, dual_token, api_keys, hybrid."),
    BOOLEAN(OWNER, write_enabled),
    BOOLEAN(OWNER, readonly_enabled),
    BOOLEAN(OWNER, legacy_tokens_enabled),
    BOOLEAN(OWNER, api_keys_enabled),
    BOOLEAN(OWNER, admin_token_enabled),
    BOOLEAN(OWNER, public_demo),
    BOOLEAN(OWNER, readonly_compute),
    STRING(OWNER, session_scope, .nullable = true, .help = "Scope of the token of this call."),
    STRING(OWNER, session_source, .nullable = true),
    BOOLEAN(OWNER, session_can_write),
    BOOLEAN(OWNER, session_admin_authenticated),
    STRINGS(OWNER, accepted_headers),
    STRINGS(OWNER, read_only_methods),
};
#undef OWNER
static SCHEMA(auth_schema, struct authentication, "AuthDiagnostics", auth_fields);

#define OWNER struct guards
static const struct field guards_fields[] = {
    BOOLEAN(OWNER, security_headers_enabled),
    BOOLEAN(OWNER, rate_limit_enabled),
    INTEGER(OWNER, rate_limit_requests),
    INTEGER(OWNER, rate_limit_window_seconds),
    INTEGER(OWNER, auth_failure_limit),
    INTEGER(OWNER, auth_failure_window_seconds),
    INTEGER(OWNER, max_request_body_bytes),
    INTEGER(OWNER, max_workspace_body_bytes),
    INTEGER(OWNER, max_chatapp_body_bytes),
    INTEGER(OWNER, chatapp_rate_limit_requests),
    BOOLEAN(OWNER, compute_admission_enabled),
    INTEGER(OWNER, compute_max_heavy_concurrent),
    STRING(OWNER, confine, .help = "AB_CONFINE: auto, on or off."),
    BOOLEAN(OWNER, confined_files, .help = "The kernel lets workers write their own folders only."),
    BOOLEAN(OWNER, confined_calls, .help = "The kernel refuses to run programs for workers."),
};
#undef OWNER
static SCHEMA(guards_schema, struct guards, "GuardDiagnostics", guards_fields);

#define OWNER struct network
static const struct field network_fields[] = {
    STRING(OWNER, direct_peer, .nullable = true),
    STRINGS(OWNER, forwarded_for_chain),
    INTEGER(OWNER, trusted_proxy_hops),
    STRINGS(OWNER, trusted_proxies, .nullable = true, .help = "Operators only."),
    STRING(OWNER, resolved_client),
    STRING(OWNER, resolved_from, .help = "forwarded_header or direct_peer."),
};
#undef OWNER
static SCHEMA(network_schema, struct network, "NetworkDiagnostics", network_fields);

#define OWNER struct runtime
static const struct field runtime_fields[] = {
    INTEGER(OWNER, total_requests),
    INTEGER(OWNER, success_responses),
    INTEGER(OWNER, client_error_responses),
    INTEGER(OWNER, server_error_responses),
    INTEGER(OWNER, auth_rejections),
    INTEGER(OWNER, rate_limited_responses),
    INTEGER(OWNER, request_body_rejections),
    INTEGER(OWNER, compute_capacity_rejections),
    INTEGER(OWNER, heavy_in_flight_peak, .help = "Most heavy computations at the same time."),
    INTEGER(OWNER, cheap_in_flight_peak),
    INTEGER(OWNER, cost_in_flight_peak, .help = "Most units of cost at the same time."),
    INTEGER(OWNER, admission_slots_reclaimed, .help = "Taken back from workers that died."),
    INTEGER(OWNER, rate_limit_keys, .help = "Clients and keys whose calls are remembered now."),
    INTEGER(OWNER, rate_limit_keys_evicted,
            .help = "Forgotten early for want of memory: such a client began anew."),
    INTEGER(OWNER, rate_limit_overflows,
            .help = "Calls refused because the table of limits stayed locked."),
    STRING(OWNER, last_request_at, .nullable = true),
    STRING(OWNER, last_error_at, .nullable = true),
    STRING(OWNER, last_error_code, .nullable = true),
    INTEGER(OWNER, process_time_ms_count),
    NULLABLE_NUMBER(OWNER, process_time_ms_avg, ROUNDED(3)),
    NULLABLE_NUMBER(OWNER, process_time_ms_max, ROUNDED(3)),
    NULLABLE_NUMBER(OWNER, process_time_ms_p50, ROUNDED(3)),
    NULLABLE_NUMBER(OWNER, process_time_ms_p99, ROUNDED(3)),
    NUMBER(OWNER, error_rate, ROUNDED(6),
           .help = "Answers of 5xx among all; what callers did wrong is no error of the service."),
};
#undef OWNER
static SCHEMA(runtime_schema, struct runtime, "RuntimeDiagnostics", runtime_fields);

#define OWNER struct topology
static const struct field topology_fields[] = {
    STRING(OWNER, supported),
    STRING(OWNER, rate_limit_state),
    STRING(OWNER, runtime_counters_scope),
    STRING(OWNER, notes),
};
#undef OWNER
static SCHEMA(topology_schema, struct topology, "TopologyDiagnostics", topology_fields);

#define OWNER struct diagnostics
static const struct field diagnostics_fields[] = {
    STRING(OWNER, status),
    STRING(OWNER, generated_at),
    STRING(OWNER, started_at, .help = "When the first worker of this run started."),
    NUMBER(OWNER, uptime_seconds, ROUNDED(3)),
    STRING(OWNER, environment),
    STRING(OWNER, app_version),
    STRING(OWNER, app_git_sha),
    BOOLEAN(OWNER, request_timing_headers_enabled),
    OBJECT(OWNER, storage, storage_schema),
    OBJECT(OWNER, frontend, frontend_schema),
    OBJECT(OWNER, llm, llm_schema),
    OBJECT(OWNER, logging, logging_schema),
    OBJECT(OWNER, auth, auth_schema),
    OBJECT(OWNER, guards, guards_schema),
    OBJECT(OWNER, network, network_schema),
    OBJECT(OWNER, runtime, runtime_schema),
    OBJECT(OWNER, webhooks, webhooks_schema),
    OBJECT(OWNER, topology, topology_schema),
    OBJECT(OWNER, retention, retention_schema),
};
#undef OWNER
const struct schema diagnostics_reply_schema = {.name = "Diagnostics",
                                                .size = sizeof(struct diagnostics),
                                                .fields = diagnostics_fields,
                                                .field_count = COUNT_OF(diagnostics_fields)};
