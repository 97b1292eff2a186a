/* The settings of the orchestrator: one table, read from ORCH_* variables at start. */
#ifndef ASSAY_ORCHESTRATOR_SETTINGS_H
#define ASSAY_ORCHESTRATOR_SETTINGS_H

#include "accounts/store.h"
#include "base/confine.h"
#include "base/settings.h"
#include "db/replica.h"
#include "orchestrator/names.h"

/* One provider's API. */
struct provider_settings {
    const char *api_key; /* NULL = the API is not called */
    const char *base_url;
    double timeout_seconds;
    int64_t max_retries;
    double backoff_seconds;
};

enum storage_backend { STORAGE_SQLITE, STORAGE_POSTGRES, STORAGE_MEMORY, STORAGE_BACKEND__MAX };
extern const char *const storage_backend_names[STORAGE_BACKEND__MAX + 1];

/* Which requests a kept answer may answer. */
enum answer_cache { ANSWER_CACHE_ASKED, ANSWER_CACHE_STEADY, ANSWER_CACHE_ALL, ANSWER_CACHE__MAX };
extern const char *const answer_cache_names[ANSWER_CACHE__MAX + 1];

enum browser_driver { BROWSER_NULL, BROWSER_SCRIPTED, BROWSER_CDP, BROWSER_DRIVER__MAX };
extern const char *const browser_driver_names[BROWSER_DRIVER__MAX + 1];

struct orchestrator_settings {
    const char *version;
    const char *build_sha;
    const char *environment;
    const char *host;
    int64_t port;

    int log_level;  /* enum log_level */
    int log_format; /* enum log_format */
    int confine;    /* enum confine_mode */

    const char *api_key;     /* NULL = no key is required */
    const char *secrets_key; /* encrypts stored keys of providers; NULL = none can be stored */
    bool require_auth;

    int storage; /* enum storage_backend */
    const char *db_path;
    const char *db_dsn;
    struct replica_settings replica;
    double db_connect_timeout_seconds;
    bool db_pool_enabled;
    int64_t db_pool_min_size, db_pool_max_size;
    int64_t sqlite_busy_timeout_ms;
    int sqlite_synchronous; /* enum db_synchronous */
    const char *sql_directory;
    const char *state_directory; /* of the record of the database's identity; NULL = no record */
    struct accounts_settings accounts; /* of the store that all services share */

    int profile; /* enum execution_profile */
    struct provider_settings openai, anthropic, mistral;
    const char *models_file;   /* NULL = none */
    const char *demo_language; /* NULL = no demonstration */
    int64_t demo_port;
    bool outbound_allow_private;
    int64_t max_answer_tokens; /* 0 = only the request sets it */
    int64_t anthropic_max_tokens, reserved_answer_tokens;
    int64_t max_answer_bytes;
    int64_t max_gateway_body_bytes;
    int64_t responses_days;
    bool redact_prompts;
    int answer_cache; /* enum answer_cache */
    int64_t answer_cache_seconds, answer_cache_rows, answer_cache_bytes;
    double stream_silence_seconds;
    int64_t max_prompt_chars, judged_answer_chars;
    const char *tracing_endpoint; /* NULL = no spans */
    const char *tracing_service_name;
    struct string_list tracing_headers;
    double tracing_sample, tracing_timeout;
    const char *error_tracking_dsn; /* NULL = no reports */
    const char *error_tracking_environment;
    int64_t votes_kept, votes_enough;
    double votes_gain;
    struct string_list stream_fallback_models;
    int64_t breaker_failures;
    double breaker_seconds;
    double daily_cost_limit_usd;
    const char *alert_webhook_url, *alert_webhook_secret; /* NULL = none */
    int64_t retention_days;                               /* 0 = tasks are kept for ever */
    const char *retention_export_dir;                     /* NULL = they are not exported */
    const char *time_zone; /* of budgets and of days; the zone of the process */

    bool browser_enabled;
    int browser_driver; /* enum browser_driver */
    const char *browser_profile_dir;
    const char *browser_base_url; /* NULL = none is set */
    const char *browser_channel;
    const char *browser_display; /* NULL = none */
    bool browser_headless;
    struct string_list browser_arguments;
    const char *browser_site_directory;
    const char *browser_screenshots_dir; /* NULL = attachments are disabled */
    double browser_call_seconds, browser_action_seconds, browser_navigation_seconds;
    double browser_start_seconds, browser_shell_seconds, browser_poll_seconds,
        browser_retry_seconds;
    double browser_human_delay_seconds, browser_end_seconds;
    int64_t browser_stable_polls, browser_message_bytes, browser_queue_max;
    bool browser_breaker_enabled;
    int64_t browser_breaker_failures;
    double browser_breaker_seconds;
    double analyze_seconds;
    double catalog_refresh_hours;                       /* 0 = only on request */
    int64_t max_submits_per_task, max_submits_per_hour; /* 0 = no limit */
    bool scripted_logged_in;
    const char *scripted_model_label;
    const char *scripted_output;

    bool model_fallback;
    double orchestrate_timeout_seconds; /* 0 = none is set */
    int64_t context_window_turns, max_context_chars;

    struct optional_integer rate_limit_rpm;
    int64_t rate_limit_burst;
    const char *cache_url; /* NULL = none */
    double cache_timeout_seconds, cache_retry_seconds;
    bool health_exposes_details;

    bool telemetry_enabled;
    const char *telemetry_path;

    int64_t max_request_body_bytes;
    int64_t max_request_memory_bytes;
    int64_t max_json_depth;
    int64_t reader_memory_bytes, reader_seconds, reader_text_bytes;
    int64_t trusted_proxy_hops;
    struct string_list trusted_proxies;
};

extern const struct setting orchestrator_settings_table[];
extern const size_t orchestrator_settings_count;

/* Loads the table and checks rules across several settings. Invalid booleans and numbers count as
 * unset, with a warning; any other invalid value is ERROR_INVALID, with the name of the
 * variable. */
MUST_CHECK enum error orchestrator_settings_load(struct orchestrator_settings *settings,
                                                 struct arena *arena,
                                                 const char *(*lookup)(const char *name),
                                                 struct problem *problem);

/* Upper limit of the setting for the length of prompts, in characters. */
enum { ORCHESTRATOR_PROMPT_CHARS_MAX = 1000000 };

/* The time limit of a request in seconds when no timeout is set. */
enum { ORCHESTRATOR_DEADLINE_SECONDS = 120 };

/* Whether calls use Chromium, by the profile, the settings and the driver. */
bool orchestrator_uses_chromium(const struct orchestrator_settings *settings);

/* Whether the service listens on an address that other hosts can reach. */
bool orchestrator_is_exposed(const struct orchestrator_settings *settings);

#endif
