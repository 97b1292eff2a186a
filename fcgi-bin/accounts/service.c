/* The life cycle of the accounts service in a worker, and what its families share. */
#include "accounts/service_internal.h"

#include "accounts/account_audit.h"
#include "accounts/service_metrics.h"
#include "base/log.h"
#include "http/cookie.h"

#include <stdlib.h>
#include <string.h>

static const struct reason_answer reasons[] = {
    {"credentials_refused", 401, "credentials_refused"},
    {"too_many_failures", 429, "too_many_failures"},
    {"person_unknown", 404, "person_unknown"},
    {"session_unknown", 404, "session_unknown"},
    {"token_unknown", 404, "token_unknown"},
    {"invitation_unknown", 404, "invitation_unknown"},
    {"oauth_client_unknown", 404, "oauth_client_unknown"},
    {"grant_unknown", 404, "grant_unknown"},
    {"too_many_grants", 409, "too_many_grants"},
    {"too_many_clients", 429, "too_many_clients"},
    {"oauth_redirect_unknown", 422, "oauth_redirect_unknown"},
    {"invalid_redirect_uri", 400, "invalid_redirect_uri"},
    {"invalid_client_metadata", 400, "invalid_client_metadata"},
    {"invalid_client", 400, "invalid_client"},
    {"invalid_request", 400, "invalid_request"},
    {"invalid_grant", 400, "invalid_grant"},
    {"invalid_target", 400, "invalid_target"},
    {"invalid_scope", 400, "invalid_scope"},
    {"unsupported_grant_type", 400, "unsupported_grant_type"},
    {"unsupported_response_type", 400, "unsupported_response_type"},
    {"username_taken", 409, "username_taken"},
    {"last_administrator", 409, "last_administrator"},
    {"too_many_tokens", 409, "too_many_tokens"},
    {"password_in_settings", 409, "password_in_settings"},
    {"person_invalid", 422, "person_invalid"},
    {"password_too_short", 422, "password_too_short"},
};

static void set_policy(const struct accounts_service_settings *settings, struct http_policy *policy)
{
    policy->host = settings->host;
    policy->host_setting = "ASSAY_BIND";
    policy->production = settings->production;
    policy->confine = (enum confine_mode)settings->confine;
    policy->auth_failures = (struct rate_rule){60, 60};
    policy->body_limits[BODY_LIMIT] = (size_t)settings->max_request_body_bytes;
    policy->body_limits[MESSAGE_LIMIT] = (size_t)settings->max_message_bytes;
    policy->memory_limit = (size_t)settings->max_request_memory_bytes;
    policy->json_depth = (int)settings->max_json_depth;
    policy->trusted_proxy_hops = settings->trusted_proxy_hops;
}

static enum error start(struct server *server, struct arena *arena, struct problem *problem)
{
    struct service *service = ARENA_NEW(arena, struct service);
    struct accounts_service_settings *settings = &service->settings;
    enum error error = accounts_settings_load(settings, arena, NULL, problem);

    if (error)
        return error;
    log_open("assay.accounts", (enum log_level)settings->log_level,
             (enum log_format)settings->log_format);
    set_policy(settings, &server->policy);
    server->info = (struct document_info){
        .title = "Assay accounts",
        .version = "1.0.0",
        .description = "The people of the suite: signing in, sessions, personal tokens, roles and "
                       "invitations."};
    service->arena = arena;
    server->settings = settings;
    server->state = service;
    error = policy_read_networks(&server->policy.trusted_proxies, &settings->trusted_proxies,
                                 "ASSAY_ACCOUNTS_TRUSTED_PROXIES", problem);
    if (!error)
        error = accounts_open(arena, &settings->accounts, settings->sql_directory,
                              settings->state_directory, getenv("ASSAY_RUN_DIR"),
                              &service->accounts, problem);
    if (!error)
        server->policy.data_directory = accounts_folder(service->accounts, arena);
    return error;
}

static enum error ready(struct server *server, bool starts, struct problem *problem)
{
    const struct service *service = server->state;

    (void)problem;
    if (server->region)
        db_queue_writers(store_handle(accounts_store(service->accounts)), server->region);
    if (!starts)
        accounts_attach(service->accounts);
    return ERROR_NONE;
}

static void each_second(struct server *server)
{
    accounts_attach(((const struct service *)server->state)->accounts);
}

static void idle(struct server *server)
{
    accounts_idle(((const struct service *)server->state)->accounts);
}

static void stop(void *state)
{
    const struct service *service = state;

    oidc_client_close(service->oidc);
    accounts_close(service->accounts);
}

static void after(struct request *request, int status)
{
    struct service *service = request->state;

    (void)status;
    service->caller = (struct account_caller){.kind = CALLER_NONE};
    accounts_end_of_request(service->accounts);
}

const struct accounts_service_settings *service_settings(const struct request *request)
{
    return &((const struct service *)request->state)->settings;
}

enum error service_call(struct request *request, struct accounts_call *call)
{
    return accounts_begin(((const struct service *)request->state)->accounts, request->arena,
                          &request->problem, call);
}

const struct person *service_person(const struct request *request)
{
    return ((const struct service *)request->state)->caller.person;
}

const char *service_session_id(const struct request *request)
{
    const struct account_caller *caller = &((const struct service *)request->state)->caller;

    return caller->kind == CALLER_SESSION ? caller->id : NULL;
}

int64_t service_expires_at(const struct request *request)
{
    return ((const struct service *)request->state)->caller.expires_at;
}

struct sign_in_rules service_sign_in_rules(const struct request *request)
{
    const struct accounts_service_settings *settings = service_settings(request);

    return (struct sign_in_rules){&settings->administrator, settings->sign_in_failures,
                                  settings->sign_in_failure_seconds};
}

void service_audit(struct request *request, const char *actor, const char *action,
                   const char *resource, const char *detail)
{
    struct accounts_call call;
    struct problem kept = request->problem;

    if (service_call(request, &call))
        log_event(LOG_ERROR, "audit_not_written", request->problem.text);
    else
        account_audit_note(&call, &(struct account_event){
                                      .actor = request->who.subject ? request->who.subject : actor,
                                      .action = action,
                                      .resource = resource,
                                      .detail = detail,
                                      .ip_address = request->client.resolved});
    request->problem = kept;
}

struct oidc_client *service_oidc(const struct request *request)
{
    struct service *service = request->state;

    if (!service->oidc && service->settings.oidc.issuer)
        service->oidc =
            oidc_client_open(service->arena, &service->settings.oidc, request->server->region);
    return service->oidc;
}

const char *service_portal(const struct request *request)
{
    const char *origin = request_header(request, "SITE_ORIGIN");

    return origin ? origin : "";
}

/* Browsers send a Secure cookie only over TLS, which the portal's address tells. */
static void set_cookie(struct request *request, struct reply *reply, const char *token,
                       int64_t seconds)
{
    bool over_tls = strncmp(service_portal(request), "https://", 8) == 0;

    reply_set_cookie(request, reply,
                     &(struct cookie){.name = SESSION_COOKIE,
                                      .value = token,
                                      .max_age = seconds,
                                      .same_site = SAME_SITE_LAX,
                                      .secure = over_tls});
}

enum error service_sign_in(struct request *request, struct reply *reply,
                           const struct person *person, const char *source,
                           struct person_session *session)
{
    const struct accounts_service_settings *settings = service_settings(request);
    const struct session_terms terms = {.person_id = person->id,
                                        .source = source,
                                        .idle_seconds = settings->session_idle_seconds,
                                        .lifetime_seconds = settings->session_lifetime_seconds,
                                        .user_agent = request_header(request, "HTTP_USER_AGENT"),
                                        .ip_address = request->client.resolved};
    struct accounts_call call;
    const char *token;
    enum error error = service_call(request, &call);

    if (!error)
        error = account_audit_purge(&call, settings->audit_days);
    if (!error)
        error = session_start(&call, &terms, session, &token);
    if (error)
        return error;
    set_cookie(request, reply, token, settings->session_lifetime_seconds);
    metric_add(request->server->metrics, SERVICE_METRIC_SIGN_INS, &source, 1);
    service_audit(request, person->username, "sign_in",
                  arena_print(request->arena, "person:%s", person->username), source);
    return ERROR_NONE;
}

void service_forget_cookie(struct request *request, struct reply *reply)
{
    set_cookie(request, reply, "", 0);
}

const struct http_service accounts_service = {
    .name = "accounts",
    .format = &accounts_wire_format,
    .settings = accounts_settings_table,
    .setting_count = &accounts_settings_count,
    .reasons = reasons,
    .reason_count = COUNT_OF(reasons),
    .metrics = service_metrics,
    .metric_count = SERVICE_METRIC__MAX,
    .counts_http = true,
    .start = start,
    .ready = ready,
    .authenticate = service_authenticate,
    .access = service_access,
    .refuse = service_refuse,
    .buckets = service_buckets,
    .after = after,
    .idle = idle,
    .each_second = each_second,
    .stop = stop,
};
