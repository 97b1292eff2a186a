/* Settings of the experiments service, as the http pipeline wants them. */
#include "experiments/service.h"
#include "base/clock.h"
#include "base/log.h"

#include <stdlib.h>
#include <string.h>

enum { CENSUS_SECONDS = 1 };

/* What lives as long as the worker. */
struct service {
    struct experiments_settings settings;
    struct store *store;
    struct key_census census;
    int64_t census_until; /* monotonic microseconds */
};

#define BUSY "The database is busy; try again shortly"

const struct reason_answer service_reasons[SERVICE_REASON_COUNT] = {
    {"project_not_found", 404, "project_not_found"},
    {"project_archived", 400, "project_archived"},
    {"project_conflict", 409, "project_conflict"},
    {"analysis_run_not_found", 400, "analysis_run_not_found"},
    {"api_key_not_revoked", 409, "api_key_not_revoked"},
    {"database_busy", 503, "database_busy", BUSY},
    {"pool_exhausted", 503, "database_busy", BUSY},
    {"statement_timeout", 503, "database_busy", BUSY},
    {"database_unavailable", 503, "http_error", "The database is not available; try again shortly"},
    {"commit_unknown", 503, "http_error",
     "The database went away before it answered: the change may or may not have been kept"},
    {"disk_full", 503, "http_error", "The disk of the database is full; nothing was changed"},
    {"database_read_only", 503, "http_error", "The database cannot be written to"},
    {"ratio_std_dev_required", 422, "http_error"},
    {"llm_unauthorized", 401, "llm_auth"},
    {"llm_forbidden", 403, "llm_auth"},
    {"llm_transient", 503, "llm_transient",
     "The provider gave no usable answer. Try again, or switch to local suggestions."},
    {"embedded_nul", 400, "bad_request"},
    {"malformed_text", 400, "bad_request"},
};

static struct rate_rule rule(int64_t max, int64_t window_seconds)
{
    return (struct rate_rule){(uint32_t)max, (uint32_t)window_seconds};
}

static enum error read_proxies(const struct experiments_settings *settings,
                               struct http_policy *policy, struct problem *problem)
{
    const struct string_list *proxies = &settings->trusted_proxies;

    if (proxies->count > POLICY_PROXIES_MAX)
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "AB_TRUSTED_PROXIES must be at most %d entries", POLICY_PROXIES_MAX);
    for (size_t i = 0; i < proxies->count; i++)
        if (!policy_parse_network(proxies->items[i], &policy->trusted_proxies[i]))
            return problem_set(problem, ERROR_INVALID, "setting_invalid",
                               "AB_TRUSTED_PROXIES must be addresses or networks; '%s' is neither",
                               proxies->items[i]);
    policy->trusted_proxy_count = proxies->count;
    return ERROR_NONE;
}

static void set_limits(const struct experiments_settings *settings, struct http_policy *policy)
{
    policy->rate_limit_enabled = settings->rate_limit_enabled;
    policy->rate = rule(settings->rate_limit_requests, settings->rate_limit_window_seconds);
    policy->heavy_rate =
        rule(settings->heavy_rate_limit_requests, settings->heavy_rate_limit_window_seconds);
    policy->auth_failures =
        rule(settings->auth_failure_limit, settings->auth_failure_window_seconds);
    policy->body_limits[BODY_STANDARD] = (size_t)settings->max_request_body_bytes;
    policy->body_limits[BODY_WORKSPACE] = (size_t)settings->max_workspace_body_bytes;
    policy->body_limits[BODY_CHATAPP] = (size_t)settings->max_chatapp_body_bytes;
    policy->memory_limit = (size_t)settings->max_request_memory_bytes;
    policy->json_depth = (int)settings->max_json_depth;
    policy->admission_enabled = settings->compute_admission_enabled;
    policy->admission = (struct admission_limits){
        .max_heavy = (uint32_t)settings->compute_max_heavy_concurrent,
        .max_cheap = (uint32_t)settings->compute_max_cheap_concurrent,
        .budget = (uint32_t)settings->compute_max_cost_units_in_flight,
        .acquire_timeout_ms = (uint32_t)settings->compute_acquire_timeout_ms};
    policy->admission_retry_after = (uint32_t)settings->compute_retry_after_seconds;
}

static void set_access(const struct experiments_settings *settings, struct http_policy *policy)
{
    policy->production = experiments_is_production(settings);
    policy->admin_token = settings->admin_token;
    policy->write_token = settings->api_token;
    policy->read_token = settings->readonly_api_token;
    policy->public_demo = settings->public_demo;
    policy->readonly_compute = settings->readonly_compute;
    policy->api_prefix = "/api/v1";
    policy->protected_path = "/readyz";
    policy->operator_prefixes[0] = "/api/v1/keys";
    policy->operator_prefixes[1] = "/api/v1/webhooks";
    policy->admin_prefix = "/api/v1/admin";
    policy->cors_origins = settings->cors_origins;
    policy->cors_methods = settings->cors_methods;
    policy->cors_headers = settings->cors_headers;
    policy->trusted_proxy_hops = settings->trusted_proxy_hops;
}

/* What the database kit says of a URL, with the name of the setting that holds it. */
static enum error blame_setting(const struct experiments_settings *settings, enum error error,
                                struct problem *problem)
{
    const char *name = settings->database_url ? "AB_DATABASE_URL" : "AB_DB_PATH";
    struct problem said = *problem;

    if (error != ERROR_INVALID || strcmp(said.reason, "database_target") != 0)
        return error;
    return problem_set(problem, error, said.reason, "%s must be usable, but %s", name, said.text);
}

enum error service_start(struct arena *arena, struct http_policy *policy,
                         struct document_info *info, void **state, struct problem *problem)
{
    struct service *service = ARENA_NEW(arena, struct service);
    struct experiments_settings *settings = &service->settings;
    enum error error = experiments_settings_load(settings, arena, NULL, problem);

    if (error)
        return error;
    log_open("assay.experiments", (enum log_level)settings->log_level,
             (enum log_format)settings->log_format);
    set_access(settings, policy);
    set_limits(settings, policy);
    *info = (struct document_info){
        .title = settings->app_name,
        .version = settings->app_version,
        .description = "Sizes A/B tests, analyses what they showed, and says whether their traffic "
                       "was split as planned."};
    *state = service;
    error =
        experiments_store_open(arena, settings, getenv("ASSAY_RUN_DIR"), &service->store, problem);
    if (error)
        return blame_setting(settings, error, problem);
    policy->confine = (enum confine_mode)settings->confine;
    policy->data_directory = store_folder(service->store, arena);
    error = read_proxies(settings, policy, problem);
    if (error)
        store_close(service->store);
    return error;
}

/* Production is not started on a server that is away or cannot be written to. Workers that are
 * replaced meanwhile answer 503 instead. */
static enum error probe_server(const struct service *service, struct problem *problem)
{
    struct db_health health;

    if (!experiments_is_production(&service->settings) || !service->settings.database_url)
        return ERROR_NONE;
    db_health(store_handle(service->store), &health);
    if (health.reachable && health.writable)
        return ERROR_NONE;
    return problem_set(problem, ERROR_INVALID, "setting_invalid",
                       "AB_DATABASE_URL must be a database that answers and can be written to in "
                       "production: %s",
                       health.reachable ? health.write_detail : health.detail);
}

enum error service_ready(void *state, bool starts, struct problem *problem)
{
    const struct service *service = state;
    enum error error = starts ? probe_server(service, problem) : ERROR_NONE;

    if (error)
        return error;
    return key_check_production(service->store, &service->settings, problem);
}

void service_stop(void *state)
{
    store_close(((struct service *)state)->store);
}

void service_print_settings(const void *state, struct text *out)
{
    settings_print(experiments_settings_table, experiments_settings_count,
                   &((const struct service *)state)->settings, out);
}

void service_document_settings(struct text *out)
{
    settings_document(experiments_settings_table, experiments_settings_count, out);
}

const struct experiments_settings *service_settings(const struct request *request)
{
    return &((const struct service *)request->state)->settings;
}

struct store *service_store(const struct request *request)
{
    return ((const struct service *)request->state)->store;
}

enum error service_database(struct request *request, struct db **db)
{
    db_take_turns(store_handle(service_store(request)), request->server->region);
    return store_use(service_store(request), db, &request->problem);
}

void service_expect_keys(struct request *request)
{
    counters_add(request->server->family, COUNTER_KEY_CHANGES, 1);
}

/* Whether some worker found no keys, and none can have been issued since. */
static bool known_to_be_open(const struct request *request)
{
    const struct shm_region *region = request->server->region;

    return (uint64_t)stamps_latest(region, STAMP_KNOWN_OPEN) ==
           counters_total(region, COUNTER_KEY_CHANGES) + 1;
}

/* Asks the database. While it is away a service that was open stays so: nothing that it could be
 * asked has become secret since. One that is not known to be open is not opened. */
static enum error take_census(struct request *request, struct key_census *census)
{
    uint64_t changes = counters_total(request->server->region, COUNTER_KEY_CHANGES);
    struct db *db;
    enum error error = service_database(request, &db);

    if (!error)
        error = key_census(db, census, &request->problem);
    if (error && known_to_be_open(request)) {
        log_event(LOG_WARNING, "keys_unknown_service_stays_open", request->problem.text);
        request->problem = (struct problem){0};
        *census = (struct key_census){0};
        return ERROR_NONE;
    }
    if (!error && !census->any)
        stamps_set(request->server->family, STAMP_KNOWN_OPEN, (int64_t)changes + 1);
    else if (!error && known_to_be_open(request))
        service_expect_keys(request);
    return error;
}

enum error service_key_census(struct request *request, struct key_census *census)
{
    struct service *service = request->state;
    int64_t now = clock_monotonic_microseconds();
    enum error error = ERROR_NONE;

    if (now >= service->census_until) {
        error = take_census(request, &service->census);
        if (!error)
            service->census_until = now + CENSUS_SECONDS * (int64_t)1000000;
    }
    *census = service->census;
    return error;
}

void service_forget_key_census(struct request *request)
{
    ((struct service *)request->state)->census_until = 0;
}

static enum error any_key(struct request *request, bool *any)
{
    struct key_census census;
    enum error error = service_key_census(request, &census);

    *any = census.any;
    return error;
}

static enum error find_key(struct request *request, const char *token, struct issued_key *key,
                           bool *found)
{
    struct api_key stored;
    struct db *db;
    enum error error = service_database(request, &db);

    if (!error)
        error = key_find(db, request->arena, token, &stored, found, &request->problem);
    if (error || !*found)
        return error;
    *key = (struct issued_key){
        .id = stored.id,
        .scope = stored.scope == KEY_READ ? SCOPE_READ : SCOPE_WRITE,
        .rate = rule(stored.rate_limit_requests.value, stored.rate_limit_window_seconds.value)};
    return ERROR_NONE;
}

const struct key_source service_keys = {.any = any_key, .find = find_key};

static const char *actor_name(const struct request *request)
{
    const struct credentials *who = &request->who;

    if (who->key_id)
        return arena_print(request->arena, "api_key:%s", who->key_id);
    if (who->scope == SCOPE_ADMIN)
        return "admin_token";
    if (who->source && strcmp(who->source, "legacy") == 0)
        return who->scope == SCOPE_WRITE ? "legacy_token:write" : "legacy_token:read";
    return "anonymous";
}

const struct actor *service_actor(const struct request *request)
{
    struct actor *actor = ARENA_NEW(request->arena, struct actor);

    *actor = (struct actor){.name = actor_name(request),
                            .key_id = request->who.key_id,
                            .request_id = request->id,
                            .ip_address = request->client.resolved};
    return actor;
}

/* The use of an issued key is noted after the answer, so that it costs the client nothing. */
static void note_key_use(struct request *request)
{
    struct problem problem = {0};
    struct db *db;
    struct key_call call = {
        .arena = request->arena, .actor = service_actor(request), .problem = &problem};
    enum error error = store_use(service_store(request), &db, &problem);

    call.db = db;
    if (error || key_note_use(&call, request->who.key_id))
        log_event(LOG_ERROR, "api_key_use_not_noted", problem.text);
}

void service_after(struct request *request, int status)
{
    struct db *db = store_handle(service_store(request));

    db_end_of_request(db);
    if (request->who.key_id && status < 500) {
        note_key_use(request);
        db_end_of_request(db);
    }
}
