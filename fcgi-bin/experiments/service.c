/* The life cycle of the experiments service in a worker: converts settings into the pipeline's
 * policy, reads settings from the database, and does the work after an answer. */
#include "base/log.h"
#include "experiments/datafiles/data_spool.h"
#include "experiments/service_internal.h"
#include "http/idempotency.h"
#include "http/people.h"
#include "http/replica.h"
#include "net/address.h"

#include <stdlib.h>
#include <string.h>

enum { LEASE_SECONDS = 120 /* no answer of the service takes so long: the worker is dead */ };

static const struct reason_answer reasons[] = {
    {"project_not_found", 404, "project_not_found"},
    {"project_archived", 400, "project_archived"},
    {"project_conflict", 409, "project_conflict"},
    {"flag_not_found", 404, "flag_not_found"},
    {"flag_unfit", 400, "flag_unfit"},
    {"flag_variants", 400, "flag_variants"},
    {"flag_key_taken", 409, "flag_key_taken"},
    {"flag_conflict", 409, "flag_conflict"},
    {"layer_overlap", 409, "layer_overlap"},
    {"not_adaptive", 404, "not_adaptive"},
    {"certificate_adaptive", 409, "certificate_adaptive"},
    {"adaptive_floor", 400, "adaptive_floor"},
    {"adaptive_metric", 400, "adaptive_metric"},
    {"adaptive_variants", 400, "adaptive_variants"},
    {"adaptive_dimensions", 400, "adaptive_dimensions"},
    {"invalid_context", 400, "invalid_context"},
    {"targeting_key_missing", 400, "targeting_key_missing"},
    {"metric_unknown", 400, "metric_unknown"},
    {"event_value_too_large", 400, "event_value_too_large"},
    {"client_key_limit_reached", 409, "client_key_limit_reached"},
    {"data_mapping", 400, "data_mapping"},
    {"unknown_column", 400, "unknown_column"},
    {"unknown_control", 400, "unknown_control"},
    {"data_arms", 400, "data_arms"},
    {"empty_file", 400, "empty_file"},
    {"data_analyses", 400, "data_analyses"},
    {"too_many_users", 400, "too_many_users"},
    {"not_decided", 409, "not_decided"},
    {"no_switchback", 400, "no_switchback"},
    {"same_experiment", 400, "same_experiment"},
    {"bayes_clusters", 400, "bayes_clusters"},
    {"bayes_adaptive", 400, "bayes_adaptive"},
    {"certificate_clusters", 400, "certificate_clusters"},
    {"experiment_started", 409, "experiment_started"},
    {"outcome_variation", 400, "bad_request"},
    {"error_rates_order", 400, "bad_request"},
    {"analysis_run_not_found", 400, "analysis_run_not_found"},
    {"api_key_not_revoked", 409, "api_key_not_revoked"},
    {"workspace_schema_unsupported", 400, "workspace_schema_unsupported"},
    {"workspace_integrity_required", 400, "workspace_integrity_required"},
    {"workspace_integrity_counts_mismatch", 400, "workspace_integrity_counts_mismatch"},
    {"workspace_integrity_checksum_missing", 400, "workspace_integrity_checksum_missing"},
    {"workspace_integrity_checksum_mismatch", 400, "workspace_integrity_checksum_mismatch"},
    {"workspace_signature_required", 400, "workspace_signature_required"},
    {"workspace_signature_mismatch", 400, "workspace_signature_mismatch"},
    {"workspace_signature_verification_unavailable", 400,
     "workspace_signature_verification_unavailable"},
    {"workspace_duplicate_project_id", 400, "workspace_duplicate_project_id"},
    {"workspace_duplicate_analysis_run_id", 400, "workspace_duplicate_analysis_run_id"},
    {"workspace_duplicate_project_revision_id", 400, "workspace_duplicate_project_revision_id"},
    {"workspace_analysis_unknown_project", 400, "workspace_analysis_unknown_project"},
    {"workspace_export_unknown_project", 400, "workspace_export_unknown_project"},
    {"workspace_export_unknown_analysis_run", 400, "workspace_export_unknown_analysis_run"},
    {"workspace_revision_unknown_project", 400, "workspace_revision_unknown_project"},
    {"workspace_duplicate_catalog_metric_id", 400, "workspace_duplicate_catalog_metric_id"},
    {"workspace_duplicate_catalog_metric_version", 400,
     "workspace_duplicate_catalog_metric_version"},
    {"workspace_metric_version_unknown_metric", 400, "workspace_metric_version_unknown_metric"},
    {"workspace_metric_unknown_version", 400, "workspace_metric_unknown_version"},
    {"workspace_duplicate_flag", 400, "workspace_duplicate_flag"},
    {"workspace_flag_unknown_project", 400, "workspace_flag_unknown_project"},
    {"workspace_metric_differs", 409, "workspace_metric_differs"},
    {"workspace_too_large", 413, "workspace_too_large"},
    {"webhook_not_found", 404, "webhook_not_found"},
    {"api_key_not_found", 404, "api_key_not_found"},
    {"webhook_target", 400, "bad_request"},
    {"webhook_limit_reached", 409, "webhook_limit_reached"},
    {"delivery_not_found", 404, "delivery_not_found"},
    {"delivery_not_failed", 409, "delivery_not_failed"},
    {"delivery_forgotten", 409, "delivery_forgotten"},
    {"template_delete_forbidden", 403, "template_delete_forbidden"},
    {"template_limit_reached", 409, "template_limit_reached"},
    {"metric_name_taken", 409, "metric_name_taken"},
    {"alarm_limit_reached", 409, "alarm_limit_reached"},
    {"metric_limit_reached", 409, "metric_limit_reached"},
    {"metric_changed", 409, "metric_changed"},
    {"metric_in_use", 409, "metric_in_use"},
    {"catalog_metric_unknown", 400, "catalog_metric_unknown"},
    {"livedata_metric_design", 400, "livedata_metric_design"},
    {"livedata_event_taken", 409, "livedata_event_taken"},
    {"metric_source_fixed", 409, "metric_source_fixed"},
    {"segment_name_taken", 409, "segment_name_taken"},
    {"segment_limit_reached", 409, "segment_limit_reached"},
    {"segment_changed", 409, "segment_changed"},
    {"segment_in_use", 409, "segment_in_use"},
    {"segment_unknown", 400, "segment_unknown"},
    {"segment_line", 400, "segment_line"},
    {"segment_too_large", 400, "segment_too_large"},
    {"source_not_fresh", 409, "source_not_fresh"},
    {"no_planned_looks", 409, "no_planned_looks"},
    {"too_many_looks", 409, "too_many_looks"},
    {"certificate_of_planned_looks", 409, "certificate_of_planned_looks"},
    {"share_limit_reached", 409, "share_limit_reached"},
    {"sharing_off", 409, "sharing_off"},
    {"ratio_std_dev_required", 422, "http_error"},
    {"uploads_busy", 429, "uploads_busy"},
    {"data_task_not_found", 404, "data_task_not_found"},
    {"data_rows_too_large", 413, "data_rows_too_large"},
    {"report_too_large", 413, "report_too_large"},
    {"report_too_slow", 503, "report_too_slow"},
    {"content_coding", 415, "unsupported_media_type"},
    {"gzip_damaged", 400, "bad_request", "The body is no gzip, or is damaged or cut off"},
    {"unpacked_too_large", 413, "request_body_too_large"},
    {"chatapp_not_configured", 503, "chatapp_not_configured"},
    {"chatapp_signature", 401, "unauthorized"},
    {"chatapp_invalid_signature_rate_limited", 429, "chatapp_invalid_signature_rate_limited"},
    {"chatapp_team", 403, "forbidden"},
    {"chatapp_response_url", 400, "bad_request"},
    {"chatapp_payload", 400, "bad_request"},
    {"chatapp_cancelled", 400, "http_error"},
    {"chatapp_state", 400, "http_error"},
    {"chatapp_oauth_failed", 502, "chatapp_oauth_failed"},
    {"kafka_unavailable", 503, "kafka_unavailable",
     "The records could not be kept; send them again"},
    {"kafka_refused", 413, "kafka_refused"},
    {"llm_unauthorized", 401, "llm_auth"},
    {"llm_forbidden", 403, "llm_auth"},
    {"llm_transient", 503, "llm_transient",
     "The provider gave no usable answer. Try again, or switch to local suggestions."},
};

struct rate_rule service_rule(int64_t max, int64_t window_seconds)
{
    return (struct rate_rule){(uint32_t)max, (uint32_t)window_seconds};
}

static void set_limits(const struct experiments_settings *settings, struct http_policy *policy)
{
    if (settings->rate_limit_enabled)
        policy->auth_failures =
            service_rule(settings->auth_failure_limit, settings->auth_failure_window_seconds);
    policy->body_limits[LIMIT_STANDARD] = (size_t)settings->max_request_body_bytes;
    policy->body_limits[LIMIT_WORKSPACE] = (size_t)settings->max_workspace_body_bytes;
    policy->body_limits[LIMIT_CHATAPP] = (size_t)settings->max_chatapp_body_bytes;
    policy->body_limits[LIMIT_DATA] = (size_t)settings->max_data_upload_bytes;
    policy->body_limits[LIMIT_SEGMENT] = (size_t)settings->max_segment_upload_bytes;
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
    policy->host = settings->host;
    policy->host_setting = "AB_HOST";
    policy->open_by = experiments_open_by(settings);
    policy->production = experiments_is_production(settings);
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

static enum error open_replica(struct arena *arena, struct service *service,
                               struct problem *problem)
{
    struct store_plan plan;

    experiments_store_plan(arena, &service->settings, &plan);
    plan.options.pool_directory = getenv("ASSAY_RUN_DIR");
    return replica_open(arena, &plan, &service->settings.replica, "AB_DATABASE_REPLICA_URL",
                        &service->replica, problem);
}

static enum error start(struct server *server, struct arena *arena, struct problem *problem)
{
    struct service *service = ARENA_NEW(arena, struct service);
    struct experiments_settings *settings = &service->settings;
    struct http_policy *policy = &server->policy;
    enum error error = experiments_settings_load(settings, arena, NULL, problem);

    if (error)
        return error;
    log_open("assay.experiments", (enum log_level)settings->log_level,
             (enum log_format)settings->log_format);
    set_access(settings, policy);
    set_limits(settings, policy);
    server->info = (struct document_info){
        .title = settings->app_name,
        .version = settings->app_version,
        .description = "Sizes A/B tests, analyses what they showed, and says whether their traffic "
                       "was split as planned."};
    server->settings = settings;
    server->state = service;
    service->publisher.settings = &settings->kafka;
    error = people_open(server, arena, &settings->accounts, settings->sql_directory,
                        settings->state_directory, problem);
    if (error)
        return error;
    error =
        experiments_store_open(arena, settings, getenv("ASSAY_RUN_DIR"), &service->store, problem);
    if (error)
        return blame_setting(settings, error, problem);
    error = open_replica(arena, service, problem);
    if (error) {
        store_close(service->store);
        return error;
    }
    policy->confine = (enum confine_mode)settings->confine;
    policy->data_directory = store_folder(service->store, arena);
    if (!policy->data_directory)
        policy->data_directory = data_spool_folder(arena, settings->state_directory);
    error = policy_read_networks(&policy->trusted_proxies, &settings->trusted_proxies,
                                 "AB_TRUSTED_PROXIES", problem);
    if (error)
        store_close(service->store);
    return error;
}

/* Production does not start with a server that is unavailable or read-only. Replaced workers answer
 * 503 instead. */
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

/* A worker that could not open the database tries again. */
static void each_second(struct server *server)
{
    struct service *service = server->state;

    if (!server->family->without_storage)
        store_attach(service->store);
    kafka_publisher_tend(&service->publisher);
}

static void idle(struct server *server)
{
    const struct service *service = server->state;

    db_release(store_handle(service->store));
    replica_release(service->replica);
}

/* The catalogues are open only once the settings are read. */
static enum error check_language(const struct experiments_settings *settings,
                                 struct problem *problem)
{
    if (language_find(settings->chatapp_language) != LANGUAGE_NONE)
        return ERROR_NONE;
    return problem_set(problem, ERROR_INVALID, "settings_invalid",
                       "AB_CHATAPP_LANGUAGE is %s, and there is no locales/%s.json",
                       settings->chatapp_language, settings->chatapp_language);
}

/* Workers that are replaced while the database is down start all the same, and refuse all callers.
 */
static enum error ready(struct server *server, bool starts, struct problem *problem)
{
    const struct service *service = server->state;
    enum error error = starts ? probe_server(service, problem) : ERROR_NONE;

    if (server->region)
        db_queue_writers(store_handle(service->store), server->region);
    if (!error)
        error = check_language(&service->settings, problem);
    if (!error &&
        (starts || service->settings.allow_insecure_production)) /* or it is only logged */
        error = key_check_production(service->store, &service->settings, problem);
    if (starts && server->policy.open_by && !address_is_loopback(service->settings.host) &&
        key_is_issued(service->store))
        server->policy.open_by = NULL;
    if (!starts)
        each_second(server);
    db_release(store_handle(service->store)); /* to those who have requests */
    return error;
}

static void after_turn(struct server *server)
{
    const struct service *service = server->state;

    db_end_of_request(store_handle(service->store));
    replica_end_of_request(service->replica);
}

static void stop(void *state)
{
    kafka_publisher_close(&((struct service *)state)->publisher);
    replica_close(((struct service *)state)->replica);
    store_close(((struct service *)state)->store);
}

enum error service_kafka(struct request *request, const char *topic,
                         struct kafka_producer **producer)
{
    struct service *service = request->state;

    return kafka_publisher_take(&service->publisher, request->server->region, topic, producer,
                                &request->problem);
}

void service_used_kafka(struct request *request, bool well)
{
    struct service *service = request->state;

    kafka_publisher_used(&service->publisher, request->server->region, well);
}

const struct experiments_settings *service_settings(const struct request *request)
{
    return &((const struct service *)request->state)->settings;
}

struct store *service_store(const struct request *request)
{
    return ((const struct service *)request->state)->store;
}

const char *service_uploads(const struct request *request)
{
    const char *base = store_folder(service_store(request), request->arena);

    return data_spool_folder(request->arena,
                             base ? base : service_settings(request)->state_directory);
}

enum error service_database(struct request *request, struct db **db)
{
    const struct service *service = request->state;

    if (request_reads_replica(request, service->replica, store_handle(service->store), db))
        return ERROR_NONE;
    return store_database(service_store(request), db, &request->problem);
}

enum error service_database_for_keys(struct request *request, struct db **db)
{
    return request->server->family->without_storage
               ? store_prepare(service_store(request), db, &request->problem)
               : service_database(request, db);
}

static enum error idempotency(struct request *request, struct http_idempotency *kept)
{
    kept->who = service_actor(request)->name;
    kept->times =
        (struct idempotency_times){.keep_seconds = service_settings(request)->idempotency_seconds,
                                   .lease_seconds = LEASE_SECONDS};
    return service_database_for_keys(request, &kept->db);
}

static const char *actor_name(const struct request *request)
{
    const struct caller *caller = service_caller(request);

    if (caller->key_id)
        return arena_print(request->arena, "api_key:%s", caller->key_id);
    if (caller->client)
        return arena_print(request->arena, "client_key:%s", caller->client->id);
    if (caller->person)
        return arena_print(request->arena, "user:%s", caller->person);
    if (caller->scope == SCOPE_ADMIN)
        return "admin_token";
    if (request->who.source && strcmp(request->who.source, "legacy") == 0)
        return caller->scope == SCOPE_WRITE ? "legacy_token:write" : "legacy_token:read";
    return "anonymous";
}

const struct actor *service_actor(const struct request *request)
{
    struct actor *actor = ARENA_NEW(request->arena, struct actor);

    *actor = (struct actor){.name = actor_name(request),
                            .key_id = service_caller(request)->key_id,
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
    enum error error = store_database(service_store(request), &db, &problem);

    call.db = db;
    if (error || key_note_use(&call, service_caller(request)->key_id))
        log_event(LOG_ERROR, "api_key_use_not_noted", problem.text);
}

static void finish(struct request *request, struct reply *reply)
{
    const struct service *service = request->state;

    reply_state_position(request, reply, service->replica, store_handle(service->store));
}

static void after(struct request *request, int status)
{
    struct db *db = store_handle(service_store(request));

    db_end_of_request(db);
    replica_end_of_request(((const struct service *)request->state)->replica);
    if (service_caller(request)->key_id && status < 500) {
        note_key_use(request);
        db_end_of_request(db);
    }
}

enum { METRIC_OLD_READS = HTTP_METRIC__MAX };

static const struct metric metrics[] = {
    HTTP_METRICS("ab_"),
    [METRIC_OLD_READS] = {"ab_old_reads_total", METRIC_COUNTER,
                          "Reads that a replica may answer, by who did.",
                          .labels = {"answered_by"}},
};

const struct http_service experiments_service = {
    .name = "experiments",
    .format = &experiments_wire_format,
    .settings = experiments_settings_table,
    .setting_count = &experiments_settings_count,
    .reasons = reasons,
    .reason_count = COUNT_OF(reasons),
    .metrics = metrics,
    .metric_count = COUNT_OF(metrics),
    .counts_http = true,
    .reading_traits = TRAIT_STATELESS | TRAIT_QUESTION,
    .old_reads_metric = METRIC_OLD_READS,
    .start = start,
    .ready = ready,
    .authenticate = service_authenticate,
    .is_open = service_is_open,
    .access = service_access,
    .refuse = service_refuse,
    .buckets = service_buckets,
    .admits_origin = service_admits_origin,
    .limits_preflights = true,
    .idempotency = idempotency,
    .finish = finish,
    .after = after,
    .after_turn = after_turn,
    .idle = idle,
    .each_second = each_second,
    .stop = stop,
};
