/* Diagnostics: settings in force, who is asking, and the counters that all workers share. */
#include "experiments-system/diagnostics.h"
#include "base/clock.h"
#include "base/log.h"
#include "experiments/service.h"
#include "shm/histogram.h"

#include <string.h>
#include <unistd.h>

struct frontend {
    bool serve_frontend_dist;
    const char *dist_path;
    bool dist_exists;
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
    const struct frontend *frontend;
    const struct logging *logging;
    const struct authentication *auth;
    const struct guards *guards;
    const struct network *network;
    const struct runtime *runtime;
    const struct topology *topology;
};

#define SHAPE(variable, type, title, table)                                                        \
    static const struct schema variable = {                                                        \
        .name = (title), .size = sizeof(type), .fields = (table), .field_count = COUNT_OF(table)}

#define OWNER struct frontend
static const struct field frontend_fields[] = {
    BOOLEAN(OWNER, serve_frontend_dist),
    STRING(OWNER, dist_path, .nullable = true, .help = "Operators only."),
    BOOLEAN(OWNER, dist_exists),
};
#undef OWNER
SHAPE(frontend_schema, struct frontend, "FrontendDiagnostics", frontend_fields);

#define OWNER struct logging
static const struct field logging_fields[] = {STRING(OWNER, level), STRING(OWNER, format)};
#undef OWNER
SHAPE(logging_schema, struct logging, "LoggingDiagnostics", logging_fields);

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
SHAPE(auth_schema, struct authentication, "AuthDiagnostics", auth_fields);

#define OWNER struct guards
static const struct field guards_fields[] = {
    BOOLEAN(OWNER, security_headers_enabled),  BOOLEAN(OWNER, rate_limit_enabled),
    INTEGER(OWNER, rate_limit_requests),       INTEGER(OWNER, rate_limit_window_seconds),
    INTEGER(OWNER, auth_failure_limit),        INTEGER(OWNER, auth_failure_window_seconds),
    INTEGER(OWNER, max_request_body_bytes),    INTEGER(OWNER, max_workspace_body_bytes),
    INTEGER(OWNER, max_chatapp_body_bytes),    INTEGER(OWNER, chatapp_rate_limit_requests),
    BOOLEAN(OWNER, compute_admission_enabled), INTEGER(OWNER, compute_max_heavy_concurrent),
};
#undef OWNER
SHAPE(guards_schema, struct guards, "GuardDiagnostics", guards_fields);

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
SHAPE(network_schema, struct network, "NetworkDiagnostics", network_fields);

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
    STRING(OWNER, last_request_at, .nullable = true),
    STRING(OWNER, last_error_at, .nullable = true),
    STRING(OWNER, last_error_code, .nullable = true),
    INTEGER(OWNER, process_time_ms_count),
    NULLABLE_NUMBER(OWNER, process_time_ms_avg, ROUNDED(3)),
    NULLABLE_NUMBER(OWNER, process_time_ms_max, ROUNDED(3)),
    NULLABLE_NUMBER(OWNER, process_time_ms_p50, ROUNDED(3)),
    NULLABLE_NUMBER(OWNER, process_time_ms_p99, ROUNDED(3)),
    NUMBER(OWNER, error_rate, ROUNDED(6)),
};
#undef OWNER
SHAPE(runtime_schema, struct runtime, "RuntimeDiagnostics", runtime_fields);

#define OWNER struct topology
static const struct field topology_fields[] = {
    STRING(OWNER, supported),
    STRING(OWNER, rate_limit_state),
    STRING(OWNER, runtime_counters_scope),
    STRING(OWNER, notes),
};
#undef OWNER
SHAPE(topology_schema, struct topology, "TopologyDiagnostics", topology_fields);

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
    OBJECT(OWNER, frontend, &frontend_schema),
    OBJECT(OWNER, logging, &logging_schema),
    OBJECT(OWNER, auth, &auth_schema),
    OBJECT(OWNER, guards, &guards_schema),
    OBJECT(OWNER, network, &network_schema),
    OBJECT(OWNER, runtime, &runtime_schema),
    OBJECT(OWNER, topology, &topology_schema),
};
#undef OWNER
const struct schema diagnostics_reply_schema = {.name = "Diagnostics",
                                                .size = sizeof(struct diagnostics),
                                                .fields = diagnostics_fields,
                                                .field_count = COUNT_OF(diagnostics_fields)};

/* Paths and proxies are shown to those who could change things anyway. */
static bool is_operator(const struct request *request)
{
    return !request->who.auth_enabled || request->who.scope == SCOPE_WRITE ||
           request->who.scope == SCOPE_ADMIN;
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

static const struct frontend *describe_frontend(const struct request *request)
{
    const struct experiments_settings *settings = service_settings(request);
    struct frontend *frontend = ARENA_NEW(request->arena, struct frontend);

    frontend->serve_frontend_dist = settings->serve_frontend_dist;
    frontend->dist_path = is_operator(request) ? settings->frontend_dist_path : NULL;
    frontend->dist_exists = access(settings->frontend_dist_path, R_OK) == 0;
    return frontend;
}

static const char *auth_mode(const struct experiments_settings *settings)
{
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

static const struct authentication *describe_auth(const struct request *request)
{
    static const char *headers[] = {"Authorization: Bearer", "X-API-Key"};
    static const char *methods[] = {"GET", "HEAD", "OPTIONS"};
    const struct experiments_settings *settings = service_settings(request);
    const struct credentials *who = &request->who;
    struct authentication *auth = ARENA_NEW(request->arena, struct authentication);

    *auth = (struct authentication){.enabled = who->auth_enabled,
                                    .mode = auth_mode(settings),
                                    .write_enabled = settings->api_token != NULL,
                                    .readonly_enabled = settings->readonly_api_token != NULL,
                                    .legacy_tokens_enabled =
                                        settings->api_token || settings->readonly_api_token,
                                    .admin_token_enabled = settings->admin_token != NULL,
                                    .public_demo = settings->public_demo,
                                    .readonly_compute = settings->readonly_compute,
                                    .session_scope = scope_names[who->scope],
                                    .session_source = who->source,
                                    .session_can_write = is_operator(request),
                                    .session_admin_authenticated = who->scope == SCOPE_ADMIN,
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
                        .compute_max_heavy_concurrent = settings->compute_max_heavy_concurrent};
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

static int64_t total(const struct shm_region *region, enum http_counter counter)
{
    return (int64_t)counters_total(region, counter);
}

static void add_times(const struct shm_region *region, struct runtime *runtime)
{
    struct histogram_view view = {0};

    histogram_add_all(&view, region, HISTOGRAM_REQUEST);
    runtime->process_time_ms_count = (int64_t)view.count;
    if (view.count == 0)
        return;
    runtime->process_time_ms_avg = GIVEN_NUMBER(histogram_mean(&view) / 1000);
    runtime->process_time_ms_max = GIVEN_NUMBER((double)view.max / 1000);
    runtime->process_time_ms_p50 = GIVEN_NUMBER(histogram_quantile(&view, 0.5) / 1000);
    runtime->process_time_ms_p99 = GIVEN_NUMBER(histogram_quantile(&view, 0.99) / 1000);
}

static const struct runtime *describe_runtime(const struct request *request)
{
    const struct shm_region *region = request->server->region;
    struct runtime *runtime = ARENA_NEW(request->arena, struct runtime);
    struct note note;
    int64_t errors;

    *runtime = (struct runtime){
        .total_requests = total(region, COUNTER_REQUESTS),
        .success_responses = total(region, COUNTER_SUCCESS),
        .client_error_responses = total(region, COUNTER_CLIENT_ERROR),
        .server_error_responses = total(region, COUNTER_SERVER_ERROR),
        .auth_rejections = total(region, COUNTER_AUTH_REJECTION),
        .rate_limited_responses = total(region, COUNTER_RATE_LIMITED),
        .request_body_rejections = total(region, COUNTER_BODY_REJECTION),
        .compute_capacity_rejections = total(region, COUNTER_CAPACITY_REJECTION),
        .last_request_at = moment(request->arena, stamps_latest(region, STAMP_LAST_REQUEST)),
        .last_error_at = moment(request->arena, stamps_latest(region, STAMP_LAST_ERROR))};
    if (notes_latest(region, NOTE_LAST_ERROR_CODE, &note))
        runtime->last_error_code = arena_copy_string(request->arena, note.text);
    errors = runtime->client_error_responses + runtime->server_error_responses;
    if (runtime->total_requests)
        runtime->error_rate = (double)errors / (double)runtime->total_requests;
    add_times(region, runtime);
    return runtime;
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
    struct diagnostics *answer = ARENA_NEW(request->arena, struct diagnostics);
    int64_t started = shm_region_created_at(request->server->region);
    int64_t now = clock_unix_microseconds();

    logging->level = log_level_names[settings->log_level];
    logging->format = log_format_names[settings->log_format];
    *answer = (struct diagnostics){.status = "ok",
                                   .generated_at = moment(request->arena, now),
                                   .started_at = moment(request->arena, started),
                                   .uptime_seconds = (double)(now - started) / 1e6,
                                   .environment = settings->environment,
                                   .app_version = settings->app_version,
                                   .app_git_sha = settings->build_sha,
                                   .request_timing_headers_enabled = true,
                                   .frontend = describe_frontend(request),
                                   .logging = logging,
                                   .auth = describe_auth(request),
                                   .guards = describe_guards(request),
                                   .network = describe_network(request),
                                   .runtime = describe_runtime(request),
                                   .topology = &topology};
    reply->object = answer;
    return ERROR_NONE;
}
