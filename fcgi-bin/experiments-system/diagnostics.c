/* Diagnostics: settings in force, the caller, and the counters that all workers share. */
#include "experiments-system/diagnostics.h"
#include "base/clock.h"
#include "base/log.h"
#include "experiments-system/diagnostics_schema.h"
#include "experiments/advice/providers.h"
#include "experiments/service.h"
#include "experiments/storage/storage_state.h"
#include "experiments/webhooks/subscription_store.h"
#include "experiments/workspace/bundle.h"
#include "shm/admission.h"
#include "shm/rate.h"

#include <string.h>
#include <unistd.h>

/* Paths and proxies are shown only to callers who may write. */
static bool is_operator(const struct request *request)
{
    return request->who.role >= ROLE_WRITER;
}

static const char *moment(struct arena *arena, int64_t unix_microseconds)
{
    char *text;

    if (unix_microseconds == 0)
        return NULL;
    text = arena_alloc(arena, CLOCK_TEXT_MAX);
    clock_format(unix_microseconds, text);
    return text;
}

static void add_counts(struct request *request, struct storage *storage)
{
    struct storage_counts counts;
    struct db *db;

    if (service_database(request, &db) ||
        storage_count(db, request->arena, &counts, &request->problem))
        return;
    storage->projects_total = GIVEN_INTEGER(counts.projects_total);
    storage->archived_projects_total = GIVEN_INTEGER(counts.archived_projects_total);
    storage->analysis_runs_total = GIVEN_INTEGER(counts.analysis_runs_total);
    storage->export_events_total = GIVEN_INTEGER(counts.export_events_total);
    storage->project_revisions_total = GIVEN_INTEGER(counts.project_revisions_total);
    storage->latest_project_updated_at = counts.latest_project_updated_at;
}

static const struct storage *describe_storage(struct request *request)
{
    struct storage_state *state = ARENA_NEW(request->arena, struct storage_state);
    struct storage *storage = ARENA_NEW(request->arena, struct storage);
    struct db *db = store_handle(service_store(request));

    add_counts(request, storage);
    storage_read_state(service_store(request), request->arena, state);
    storage->workspace_bundle_schema_version = BUNDLE_SCHEMA_VERSION;
    storage->workspace_signature_enabled = service_settings(request)->workspace_signing_key;
    storage->db_exists = state->health.reachable;
    storage->journal_mode = state->health.journal_mode;
    storage->synchronous = state->health.synchronous;
    storage->write_probe_ok = state->health.writable;
    storage->write_probe_detail = state->health.write_detail;
    if (state->engine == DB_SQLITE)
        storage->busy_timeout_ms = service_settings(request)->sqlite_busy_timeout_ms;
    if (state->health.size_bytes >= 0)
        storage->db_size_bytes = GIVEN_INTEGER(state->health.size_bytes);
    if (state->schema_known) {
        storage->schema_version = GIVEN_INTEGER(state->schema.current);
        storage->sqlite_user_version = GIVEN_INTEGER(state->schema.current);
    }
    if (is_operator(request)) {
        storage->db_path = db_shown_target(db);
        storage->db_parent_path = db_location(db);
        storage->disk_free_bytes = GIVEN_INTEGER(state->health.disk_free_bytes);
    }
    return storage;
}

static const struct frontend *describe_frontend(const struct request *request)
{
    const struct experiments_settings *settings = service_settings(request);
    struct frontend *frontend = ARENA_NEW(request->arena, struct frontend);

    frontend->serve_frontend_dist = settings->serve_frontend_dist;
    frontend->dist_path = is_operator(request) ? settings->frontend_dist_path : NULL;
    frontend->dist_exists = access(settings->frontend_dist_path, R_OK) == 0;
    return frontend;
}

static const struct llm *describe_llm(const struct request *request)
{
    const struct experiments_settings *settings = service_settings(request);
    struct llm *llm = ARENA_NEW(request->arena, struct llm);

    *llm = (struct llm){.provider = orchestrator_provider_name,
                        .base_url = is_operator(request) ? settings->llm_base_url : NULL,
                        .timeout_seconds = settings->llm_timeout_seconds,
                        .max_attempts = settings->llm_max_attempts,
                        .initial_backoff_seconds = settings->llm_initial_backoff_seconds,
                        .backoff_multiplier = settings->llm_backoff_multiplier,
                        .breaker_state = breaker_state_name(
                            fetch_breaker_state(request->server->region, settings->llm_base_url))};
    return llm;
}

static const char *auth_mode(const struct experiments_settings *settings, bool keys)
{
    if (keys)
        return settings->api_token || settings->readonly_api_token ? "hybrid" : "api_keys";
    if (settings->api_token && settings->readonly_api_token)
        return "dual_token";
    if (settings->api_token)
        return "token";
    if (settings->readonly_api_token)
        return "readonly";
    if (settings->public_demo)
        return "public_demo";
    return settings->admin_token ? "admin_only" : "open";
}

static const struct authentication *describe_auth(struct request *request)
{
    static const char *headers[] = {"Authorization: Bearer", "X-API-Key"};
    static const char *methods[] = {"GET", "HEAD", "OPTIONS"};
    const struct experiments_settings *settings = service_settings(request);
    const struct caller *caller = service_caller(request);
    struct authentication *auth = ARENA_NEW(request->arena, struct authentication);
    struct key_census census = {0};

    /* While the database is unavailable the keys are unknown, and none of them works. */
    if (service_key_census(request, &census))
        census = (struct key_census){0};
    *auth = (struct authentication){
        .enabled = caller->auth_enabled,
        .mode = auth_mode(settings, census.any),
        .write_enabled = settings->api_token || census.any_active_write,
        .readonly_enabled = settings->readonly_api_token || census.any_active,
        .legacy_tokens_enabled = settings->api_token || settings->readonly_api_token,
        .api_keys_enabled = census.any,
        .admin_token_enabled = settings->admin_token != NULL,
        .public_demo = settings->public_demo,
        .readonly_compute = settings->readonly_compute,
        .session_scope = scope_names[caller->scope],
        .session_source = request->who.source,
        .session_can_write = is_operator(request) && !caller->read_only,
        .session_admin_authenticated = caller->scope == SCOPE_ADMIN,
        .accepted_headers = {COUNT_OF(headers), headers},
        .read_only_methods = {COUNT_OF(methods), methods}};
    return auth;
}

static const struct guards *describe_guards(const struct request *request)
{
    const struct experiments_settings *settings = service_settings(request);
    struct guards *guards = ARENA_NEW(request->arena, struct guards);

    *guards =
        (struct guards){.security_headers_enabled = true,
                        .rate_limit_enabled = settings->rate_limit_enabled,
                        .rate_limit_requests = settings->rate_limit_requests,
                        .rate_limit_window_seconds = settings->rate_limit_window_seconds,
                        .auth_failure_limit = settings->auth_failure_limit,
                        .auth_failure_window_seconds = settings->auth_failure_window_seconds,
                        .max_request_body_bytes = settings->max_request_body_bytes,
                        .max_workspace_body_bytes = settings->max_workspace_body_bytes,
                        .max_chatapp_body_bytes = settings->max_chatapp_body_bytes,
                        .chatapp_rate_limit_requests = settings->chatapp_rate_limit_requests,
                        .compute_admission_enabled = settings->compute_admission_enabled,
                        .compute_max_heavy_concurrent = settings->compute_max_heavy_concurrent,
                        .confine = confine_mode_names[settings->confine],
                        .confined_files = confine_state()->files,
                        .confined_calls = confine_state()->calls};
    return guards;
}

static const struct network *describe_network(const struct request *request)
{
    const struct experiments_settings *settings = service_settings(request);
    struct network *network = ARENA_NEW(request->arena, struct network);

    *network = (struct network){.direct_peer = request->client.direct_peer,
                                .forwarded_for_chain = request->client.chain,
                                .trusted_proxy_hops = settings->trusted_proxy_hops,
                                .resolved_client = request->client.resolved,
                                .resolved_from = request->client.from_header ? "forwarded_header"
                                                                             : "direct_peer"};
    if (is_operator(request)) {
        network->trusted_proxies = settings->trusted_proxies;
        if (!network->trusted_proxies.items)
            network->trusted_proxies.items = ARENA_ARRAY(request->arena, const char *, 1);
    }
    return network;
}

static int64_t answers(const struct metrics *metrics, const char *class)
{
    return (int64_t)metric_sum(metrics, HTTP_METRIC_REQUESTS, (const char *const[]){class, NULL});
}

static int64_t total(const struct metrics *metrics, enum http_metric metric)
{
    return (int64_t)metric_read(metrics, metric, NULL);
}

static void add_times(const struct metrics *metrics, struct runtime *runtime)
{
    struct metric_times times;

    metric_read_times(metrics, HTTP_METRIC_SECONDS, &times);
    runtime->process_time_ms_count = (int64_t)times.count;
    if (times.count == 0)
        return;
    runtime->process_time_ms_avg = GIVEN_NUMBER(times.sum / times.count * 1000);
    runtime->process_time_ms_max = GIVEN_NUMBER(times.largest * 1000);
    runtime->process_time_ms_p50 = GIVEN_NUMBER(metric_quantile(&times, 0.5) * 1000);
    runtime->process_time_ms_p99 = GIVEN_NUMBER(metric_quantile(&times, 0.99) * 1000);
}

static void add_limits(struct shm_region *region, struct runtime *runtime)
{
    struct admission_figures admission;
    struct rate_figures rate;

    admission_read_figures(region, &admission);
    rate_read_figures(region, &rate);
    runtime->heavy_in_flight_peak = admission.heavy_peak;
    runtime->cheap_in_flight_peak = admission.cheap_peak;
    runtime->cost_in_flight_peak = (int64_t)admission.cost_peak;
    runtime->admission_slots_reclaimed = (int64_t)admission.reclaimed;
    runtime->rate_limit_keys = (int64_t)rate.keys;
    runtime->rate_limit_keys_evicted = (int64_t)rate.evicted;
    runtime->rate_limit_overflows = (int64_t)rate.unchecked;
}

static const struct runtime *describe_runtime(const struct request *request)
{
    const struct metrics *metrics = request->server->metrics;
    struct runtime *runtime = ARENA_NEW(request->arena, struct runtime);
    double last_error;

    *runtime = (struct runtime){
        .total_requests = answers(metrics, NULL),
        .success_responses = answers(metrics, "success"),
        .client_error_responses = answers(metrics, "client_error"),
        .server_error_responses = answers(metrics, "server_error"),
        .auth_rejections = total(metrics, HTTP_METRIC_AUTH_REJECTIONS),
        .rate_limited_responses = total(metrics, HTTP_METRIC_RATE_LIMITED),
        .request_body_rejections = total(metrics, HTTP_METRIC_BODY_REJECTIONS),
        .compute_capacity_rejections = total(metrics, HTTP_METRIC_CAPACITY_REJECTIONS),
        .last_request_at = moment(request->arena, total(metrics, HTTP_METRIC_LAST_REQUEST)),
        .last_error_code = metric_largest(metrics, HTTP_METRIC_LAST_ERROR, &last_error)};
    runtime->last_error_at = moment(request->arena, (int64_t)last_error);
    if (runtime->total_requests)
        runtime->error_rate =
            (double)runtime->server_error_responses / (double)runtime->total_requests;
    add_times(metrics, runtime);
    add_limits(request->server->region, runtime);
    return runtime;
}

static const struct webhooks *describe_webhooks(struct request *request)
{
    struct webhooks *webhooks = ARENA_NEW(request->arena, struct webhooks);
    int64_t counts[DELIVERY__MAX];
    double oldest;
    struct db *db;

    if (service_database(request, &db) ||
        subscription_metrics(db, counts, &oldest, &request->problem))
        return webhooks;
    *webhooks = (struct webhooks){.pending = GIVEN_INTEGER(counts[DELIVERY_PENDING]),
                                  .retrying = GIVEN_INTEGER(counts[DELIVERY_RETRYING]),
                                  .delivered = GIVEN_INTEGER(counts[DELIVERY_DELIVERED]),
                                  .failed = GIVEN_INTEGER(counts[DELIVERY_FAILED])};
    if (oldest >= 0)
        webhooks->oldest_due_age_seconds = GIVEN_NUMBER(oldest);
    return webhooks;
}

enum error diagnostics_handle(struct request *request, struct reply *reply)
{
    static const struct topology topology = {
        .supported = "single_host",
        .rate_limit_state = "shared_memory",
        .runtime_counters_scope = "host",
        .notes = "Limits, admission and counters hold for all workers of this host together."};
    const struct experiments_settings *settings = service_settings(request);
    struct logging *logging = ARENA_NEW(request->arena, struct logging);
    struct retention *retention = ARENA_NEW(request->arena, struct retention);
    struct diagnostics *answer = ARENA_NEW(request->arena, struct diagnostics);
    int64_t started = shm_region_created_at(request->server->region);
    int64_t now = clock_unix_microseconds();

    logging->level = log_level_names[settings->log_level];
    logging->format = log_format_names[settings->log_format];
    *retention = (struct retention){
        .exposures_days = settings->retention_exposures_days,
        .conversions_days = settings->retention_conversions_days,
        .audit_days = settings->retention_audit_days,
        .webhook_deliveries_days = settings->retention_webhook_deliveries_days,
        .auto_purge_enabled =
            settings->retention_exposures_days > 0 || settings->retention_conversions_days > 0 ||
            settings->retention_audit_days > 0 || settings->retention_webhook_deliveries_days > 0,
        .notes = "Nothing is purged by itself: schedule retention-purge, or post to the route."};
    *answer = (struct diagnostics){.status = "ok",
                                   .generated_at = moment(request->arena, now),
                                   .started_at = moment(request->arena, started),
                                   .uptime_seconds = (double)(now - started) / 1e6,
                                   .environment = settings->environment,
                                   .app_version = settings->app_version,
                                   .app_git_sha = settings->build_sha,
                                   .request_timing_headers_enabled = true,
                                   .storage = describe_storage(request),
                                   .frontend = describe_frontend(request),
                                   .llm = describe_llm(request),
                                   .logging = logging,
                                   .auth = describe_auth(request),
                                   .guards = describe_guards(request),
                                   .network = describe_network(request),
                                   .runtime = describe_runtime(request),
                                   .webhooks = describe_webhooks(request),
                                   .topology = &topology,
                                   .retention = retention};
    reply->object = answer;
    return ERROR_NONE;
}
