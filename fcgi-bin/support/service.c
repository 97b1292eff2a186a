/* The life cycle of the support service in a worker: converts settings into the pipeline's policy;
 * the database, the audit log. */
#include "base/clock.h"
#include "base/log.h"
#include "http/hub.h"
#include "http/people.h"
#include "http/replica.h"
#include "support/accounts/audit.h"
#include "support/accounts/sso_providers.h"
#include "support/answer/patterns.h"
#include "support/metrics.h"
#include "support/service_internal.h"

#include <stdlib.h>
#include <string.h>

enum { FORM_ALLOWANCE = 65536 }; /* bytes of a form around its file */

/* Lives as long as the worker. */
struct service {
    struct support_settings settings;
    struct store *store;
    struct replica *replica; /* NULL = there is none */
    struct models *models;   /* NULL = out of memory */
    struct problem models_problem, patterns_problem;
    bool models_are_wrong, patterns_are_wrong;
};

static const struct reason_answer reasons[] = {
    {"credentials_refused", 401, "unauthorized"},
    {"token_refused", 401, "unauthorized"},
    {"sign_in_locked", 429, "rate_limited"},
    {"question_empty", 400, "question_empty"},
    {"bad_upload", 400, "bad_upload"},
    {"text_too_large", 413, "too_large"},
    {"bad_parameter", 400, "bad_parameter"},
    {"sso_failed", 400, "sso_failed"},
    {"sso_not_configured", 404, "not_found"},
    {"sso_unavailable", 503, "unavailable"},
    {"review_filter_invalid", 422, "validation_error"},
    {"since_invalid", 422, "validation_error"},
    {"wall_time", 504, "timeout"},
    {"draft_not_indexed", 502, "draft_not_indexed"},
    {"escalation_failed", 500, "internal_error", "Escalation failed"},
};

/* Order of the checks: 413 by the announced length, then credentials, then the media type, then the
 * content. The rate limits count only requests that pass these checks. */
static const enum http_step order[] = {
    STEP_LENGTH, STEP_PREFLIGHT, STEP_SLASH,     STEP_AUTHENTICATE, STEP_ROUTE,
    STEP_BODY,   STEP_JSON,      STEP_ROLE,      STEP_QUERY,        STEP_FIELDS,
    STEP_FORM,   STEP_RATE,      STEP_ADMISSION, STEP_END};

static void set_policy(const struct support_settings *settings, struct http_policy *policy)
{
    static const char *methods[] = {"GET", "POST", "PATCH", "DELETE", "OPTIONS"};

    policy->host = settings->host;
    policy->host_setting = "SUPPORT_HOST";
    policy->open_by = support_open_by(settings);
    policy->production = settings->environment == SUPPORT_PRODUCTION;
    policy->headers = policy->production ? support_production_headers : NULL;
    policy->confine = (enum confine_mode)settings->confine;
    policy->data_directory = settings->data_directory;
    if (settings->rate_limit_enabled)
        policy->auth_failures = (struct rate_rule){(uint32_t)settings->auth_failure_limit,
                                                   (uint32_t)settings->auth_failure_window_seconds};
    policy->body_limits[LIMIT_STANDARD] = (size_t)settings->max_request_body_bytes;
    policy->body_limits[LIMIT_UPLOAD_BODY] = (size_t)settings->max_upload_bytes + FORM_ALLOWANCE;
    policy->body_limits[LIMIT_UPLOAD_FILE] = (size_t)settings->max_upload_bytes;
    policy->admission_enabled = true;
    policy->admission = (struct admission_limits){
        .max_heavy = (uint32_t)settings->max_concurrent_pipelines,
        .max_cheap = SEMAPHORE_TICKETS_MAX,
        .budget = (uint32_t)settings->max_concurrent_pipelines,
        .acquire_timeout_ms = (uint32_t)(settings->pipeline_acquire_timeout_sec * 1000)};
    policy->admission_retry_after = 1;
    policy->memory_limit = (size_t)settings->max_request_memory_bytes;
    policy->json_depth = (int)settings->max_json_depth;
    policy->cors_origins = settings->cors_origins;
    policy->cors_methods = (struct string_list){COUNT_OF(methods), methods};
    policy->trusted_proxy_hops = settings->trusted_proxy_hops;
}

static enum error open_replica(struct arena *arena, struct service *service,
                               struct problem *problem)
{
    struct store_plan plan;

    support_store_plan(arena, &service->settings, &plan);
    plan.options.pool_directory = getenv("ASSAY_RUN_DIR");
    return replica_open(arena, &plan, &service->settings.replica, "DATABASE_REPLICA_URL",
                        &service->replica, problem);
}

static enum error start(struct server *server, struct arena *arena, struct problem *problem)
{
    struct service *service = ARENA_NEW(arena, struct service);
    struct support_settings *settings = &service->settings;
    enum error error = support_settings_load(settings, arena, NULL, problem);

    if (error)
        return error;
    log_open("assay.support", (enum log_level)settings->log_level,
             (enum log_format)settings->log_format);
    set_policy(settings, &server->policy);
    server->info = (struct document_info){
        .title = "Assay support",
        .version = "1.0.0",
        .description = "Answers questions from uploaded documents, with their sources, and shows "
                       "how good the answers are."};
    server->settings = settings;
    server->state = service;
    error = policy_read_networks(&server->policy.trusted_proxies, &settings->trusted_proxies,
                                 "TRUSTED_PROXIES", problem);
    if (!error)
        error = sso_check(arena, settings, problem);
    if (!error)
        error = people_open(server, arena, &settings->accounts, settings->sql_directory,
                            settings->state_directory, problem);
    if (!error && models_open(settings, &service->models, &service->models_problem))
        service->models_are_wrong = true;
    if (!error && patterns_load(arena, settings, &service->patterns_problem))
        service->patterns_are_wrong = true;
    if (!error)
        error = open_replica(arena, service, problem);
    return error ? error
                 : support_store_open(arena, settings, getenv("ASSAY_RUN_DIR"), &service->store,
                                      problem);
}

static enum error ready(struct server *server, bool starts, struct problem *problem)
{
    const struct service *service = server->state;

    /* The stack does not start with an invalid registry; one that becomes invalid later disables
     * the models, not the service. */
    if (service->models_are_wrong && starts) {
        *problem = service->models_problem;
        return ERROR_INVALID;
    }
    if (service->models_are_wrong)
        log_event(LOG_ERROR, "registry_not_read", service->models_problem.text);
    if (service->patterns_are_wrong && starts) {
        *problem = service->patterns_problem;
        return ERROR_INVALID;
    }
    if (service->patterns_are_wrong) /* the built-in ones are in force */
        log_event(LOG_ERROR, "patterns_not_read", service->patterns_problem.text);
    if (server->region)
        db_queue_writers(store_handle(service->store), server->region);
    if (!starts)
        store_attach(service->store);
    return ERROR_NONE;
}

/* A worker that could not open the database tries again. */
static void each_second(struct server *server)
{
    store_attach(((const struct service *)server->state)->store);
}

static void idle(struct server *server)
{
    const struct service *service = server->state;

    db_release(store_handle(service->store));
    replica_release(service->replica);
}

static void stop(void *state)
{
    struct service *service = state;

    replica_close(service->replica);
    store_close(service->store);
    models_close(service->models);
}

static void after_turn(struct server *server)
{
    const struct service *service = server->state;

    db_end_of_request(store_handle(service->store));
    replica_end_of_request(service->replica);
}

static void finish(struct request *request, struct reply *reply)
{
    const struct service *service = request->state;

    reply_state_position(request, reply, service->replica, store_handle(service->store));
}

static void after(struct request *request, int status)
{
    service_count(request, status,
                  (double)(clock_monotonic_microseconds() - request_started(request)) / 1e6);
    db_end_of_request(store_handle(service_store(request)));
    replica_end_of_request(((const struct service *)request->state)->replica);
}

const struct support_settings *service_settings(const struct request *request)
{
    return &((const struct service *)request->state)->settings;
}

struct store *service_store(const struct request *request)
{
    return ((const struct service *)request->state)->store;
}

struct models *service_models(const struct request *request)
{
    return ((const struct service *)request->state)->models;
}

enum error service_database(struct request *request, struct db **db)
{
    const struct service *service = request->state;

    if (request_reads_replica(request, service->replica, store_handle(service->store), db))
        return ERROR_NONE;
    return store_database(service_store(request), db, &request->problem);
}

void service_notify(const struct request *request)
{
    (void)request;
    hub_notify(getenv("ASSAY_RUN_DIR"), support_service.name);
}

void service_audit(struct request *request, const char *action, const char *resource,
                   const char *detail)
{
    const struct identity *who = &request->who;
    struct db *db;

    if (store_database(service_store(request), &db, &request->problem)) {
        log_event(LOG_ERROR, "audit_not_written", request->problem.text);
        return;
    }
    audit_note(db, &(struct audit_event){.tenant = who->tenant ? who->tenant : "default",
                                         .actor = who->subject ? who->subject : "<anonymous>",
                                         .action = action,
                                         .resource = resource,
                                         .detail = detail,
                                         .ip_address = request->client.resolved});
}

const struct http_service support_service = {
    .name = "support",
    .format = &support_wire_format,
    .order = order,
    .settings = support_settings_table,
    .setting_count = &support_settings_count,
    .reasons = reasons,
    .reason_count = COUNT_OF(reasons),
    .start = start,
    .ready = ready,
    .metrics = support_metrics,
    .metric_count = SUPPORT_METRIC__MAX,
    .old_reads_metric = METRIC_OLD_READS,
    .authenticate = service_authenticate,
    .is_open = service_is_open,
    .access = service_access,
    .refuse = service_refuse,
    .buckets = service_buckets,
    .finish = finish,
    .after = after,
    .idle = idle,
    .after_turn = after_turn,
    .each_second = each_second,
    .stop = stop,
};
