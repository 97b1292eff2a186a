/* The life of live data in a worker: settings into the pipeline's policy, files into the catalog,
 * the database, the cache; and what is noted after an answer. */
#include "livedata/service_internal.h"
#include "livedata/service_metrics.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "http/people.h"
#include "http/replica.h"
#include "livedata/maintenance/own_rebuild.h"
#include "livedata/maintenance/seed.h"
#include "livedata/tables/tables.h"
#include "livedata/timestamp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct reason_answer reasons[] = {
    {"entity_forbidden", 403, "entity_forbidden"},
    {"metric_forbidden", 403, "metric_forbidden"},
    {"unknown_entity_type", 404, "unknown_entity_type"},
    {"entity_not_found", 404, "entity_not_found"},
    {"lineage_not_found", 404, "lineage_not_found"},
    {"unknown_metric", 404, "unknown_metric"},
    {"unsupported_window", 422, "unsupported_window"},
    {"as_of_future", 422, "as_of_future"},
    {"client_gone", 499, "client_gone"}, /* read by nobody: no failure of the service */
    {"too_many_sources", 422, "too_many_sources"},
    {"position_unknown", 412, "position_unknown"},
    {"source_silent", 412, "source_silent"},
    {"events_too_old", 412, "events_too_old"},
    {"no_measure", 422, "no_measure"},
    {"unknown_column", 422, "unknown_column"},
    {"filter_invalid", 422, "filter_invalid"},
    {"too_many_points", 422, "too_many_points"},
    {"step_invalid", 422, "step_invalid"},
    {"range_invalid", 422, "range_invalid"},
    {"tenant_required", 503, "tenant_required"},
    {"contract_differs", 503, "contract_differs"},
    {"not_materialized", 503, "not_materialized",
     "The table is not made yet: start the service again, or run livedata-check --apply"},
    {"backend_failed", 503, "backend_failed"},
    {"query_failed", 400, "backend_failed"},
    {"query_timeout", 400, "query_timeout"},
    {"query_too_large", 400, "query_too_large"},
    {"query_forbidden", 403, "unsafe_query"},
    {"untranslatable", 400, "untranslatable"},
    {"plan_invalid", 400, "plan_invalid"},
    {"too_many_groups", 400, "too_many_groups"},
    {"unsafe_query", 403, "unsafe_query"},
    {"invalid_cursor", 400, "invalid_cursor"},
    {"foreign_cursor", 400, "foreign_cursor"},
    {"unknown_contract", 404, "unknown_contract"},
    {"unknown_contract_version", 404, "unknown_contract_version"},
    {"schema_entity_mismatch", 400, "schema_entity_mismatch"},
    {"slo_file_missing", 503, "slo_file_missing"},
    {"slo_measurement", 500, "slo_measurement"},
    {"unknown_slo", 404, "unknown_slo"},
    {"dead_letter_not_found", 404, "dead_letter_not_found"},
    {"already_replayed", 409, "already_replayed"},
    {"replay_invalid", 422, "replay_invalid"},
    {"key_not_found", 404, "key_not_found"},
    {"key_quota", 409, "key_quota"},
    {"rotation_in_progress", 409, "rotation_in_progress"},
    {"no_old_key", 409, "no_old_key"},
    {"webhook_not_found", 404, "webhook_not_found"},
    {"webhook_quota", 409, "webhook_quota"},
    {"delivery_not_found", 404, "delivery_not_found"},
    {"delivery_not_failed", 409, "delivery_not_failed"},
    {"alert_not_found", 404, "alert_not_found"},
    {"alert_quota", 409, "alert_quota"},
    {"exception_not_found", 404, "exception_not_found"},
    {"exception_elsewhere", 409, "exception_elsewhere"},
    {"exception_resolved", 409, "exception_resolved"},
    {"unsafe_url", 400, "unsafe_url"},
    {"too_many_streams", 429, "too_many_streams"},
    {"invalid_batch", 422, "invalid_batch"},
    {"ingest_forbidden", 403, "ingest_forbidden"},
    {"batch_too_expensive", 429, "rate_limited"},
    {"kafka_unavailable", 503, "kafka_unavailable",
     "The events could not be kept; send them again"},
    {"kafka_refused", 413, "kafka_refused"},
};

/* The version of the API first, then credentials and the rate; then paths and what was sent. */
static const enum http_step order[] = {
    STEP_LENGTH, STEP_PREFLIGHT, STEP_AUTHENTICATE, STEP_RATE, STEP_SLASH,
    STEP_ROUTE,  STEP_ROLE,      STEP_QUERY,        STEP_BODY, STEP_JSON,
    STEP_FIELDS, STEP_FORM,      STEP_ADMISSION,    STEP_END};

static void set_policy(const struct livedata_settings *settings, struct http_policy *policy)
{
    static const char *methods[] = {"GET", "POST", "PUT", "DELETE", "OPTIONS"};

    policy->host = settings->host;
    policy->host_setting = "LIVE_HOST";
    policy->open_by = livedata_open_by(settings);
    policy->auth_failures = (struct rate_rule){(uint32_t)settings->failed_auth_limit, 3600};
    policy->success_clears_failures = !settings->auth_disabled;
    policy->body_limits[0] = (size_t)settings->max_body_bytes;
    policy->memory_limit = (size_t)settings->max_request_memory_bytes;
    policy->json_depth = JSON_DEPTH_LIMIT;
    policy->cors_origins = settings->cors_origins;
    policy->cors_methods = (struct string_list){COUNT_OF(methods), methods};
    policy->confine = (enum confine_mode)settings->confine;
    if (settings->trusted_proxies.count)
        policy->trusted_proxy_hops = 1;
}

static enum error load_files(struct service *service, struct arena *arena, struct problem *problem)
{
    enum error error = catalog_load(arena, &service->settings, &service->catalog, problem);

    if (!error)
        error = metric_check_all(arena, &service->catalog, problem);
    if (!error)
        error = tenants_load(arena, service->settings.tenants_file, &service->catalog,
                             &service->tenants, problem);
    if (!error)
        error = service_check_topics(service, arena, problem);
    if (!error)
        error = keys_load(arena, &service->settings, &service->keys, problem);
    return error;
}

/* Those who take events in have more of the file in memory than those who read a row or two. */
static enum error open_store(const struct server *server, struct service *service,
                             struct arena *arena, struct problem *problem)
{
    struct store_plan plan;

    service->publisher.settings = &service->settings.kafka;
    livedata_store_plan(arena, &service->settings, &plan);
    plan.options.pool_directory = service->run_directory;
    if (strcmp(server->family->name, "events") == 0)
        plan.options.cache_kib = (int)service->settings.ingest_cache_kib;
    return store_open(arena, &plan, &service->store, problem);
}

static enum error open_replica(struct service *service, struct arena *arena,
                               struct problem *problem)
{
    struct store_plan plan;

    livedata_store_plan(arena, &service->settings, &plan);
    plan.options.pool_directory = service->run_directory;
    return replica_open(arena, &plan, &service->settings.replica, "LIVE_DATABASE_REPLICA_URL",
                        &service->replica, problem);
}

static enum error start(struct server *server, struct arena *arena, struct problem *problem)
{
    struct service *service = ARENA_NEW(arena, struct service);
    struct livedata_settings *settings = &service->settings;
    enum error error = livedata_settings_load(settings, arena, NULL, problem);

    if (error)
        return error;
    log_open("assay.livedata", (enum log_level)settings->log_level,
             (enum log_format)settings->log_format);
    set_policy(settings, &server->policy);
    server->info = (struct document_info){
        .title = settings->app_name,
        .version = settings->app_version,
        .description = "What is true right now about an entity or a metric, and how fresh that "
                       "is."};
    server->settings = settings;
    server->state = service;
    service->run_directory = getenv("ASSAY_RUN_DIR");
    error = load_files(service, arena, problem);
    if (!error)
        error = people_open(server, arena, &settings->accounts, settings->sql_directory,
                            settings->state_directory, problem);
    if (!error)
        error = open_store(server, service, arena, problem);
    if (!error)
        error = open_replica(service, arena, problem);
    if (!error && settings->redis_url)
        error =
            redis_open(arena, settings->redis_url, LIVE_REDIS_TIMEOUT, &service->redis, problem);
    if (!error)
        server->policy.data_directory = store_folder(service->store, arena);
    if (!error)
        error = policy_read_networks(&server->policy.trusted_proxies, &settings->trusted_proxies,
                                     "LIVE_TRUSTED_PROXIES", problem);
    return error;
}

/* An empty store of the demonstration is filled by the first worker. */
static void seed(struct service *service)
{
    struct arena *arena = arena_create((size_t)64 << 20);
    struct problem problem = {0};
    struct storage_call call = {
        .arena = arena, .problem = &problem, .tenant = "default", .now = clock_unix_microseconds()};
    bool seeded = false;

    if (!arena || store_database(service->store, &call.db, &problem) ||
        (service->catalog.shop && seed_store(&call, &service->catalog, &seeded)))
        log_event(LOG_ERROR, "seed_failed", problem.text);
    db_end_of_request(store_handle(service->store));
    arena_destroy(arena);
}

/* What failed keeps writers out each time that it is tried: soon at first, then each minute. */
static enum error make_tables(struct service *service, const struct storage_call *call)
{
    int64_t now = clock_monotonic_microseconds();
    struct table_plan plan;
    enum error error;

    if (service->tables_made || now < service->tables_due)
        return tables_look(call, &service->catalog);
    error = tables_apply(call, &service->catalog, PLAN_FORWARD, own_fill_columns, &plan);
    service->tables_made = !error;
    if (error) {
        service->tables_wait = service->tables_wait ? service->tables_wait * 2 : us_per_second;
        if (service->tables_wait > us_per_minute)
            service->tables_wait = us_per_minute;
        service->tables_due = clock_monotonic_microseconds() + service->tables_wait;
    }
    return error;
}

/* The tables of domains: made by the first worker of a host that has their files, then only
 * compared. */
static void follow_tables(struct service *service)
{
    struct arena *arena;
    struct problem problem = {0};
    struct storage_call call = {
        .problem = &problem, .tenant = "default", .now = clock_unix_microseconds()};
    enum error error;

    if (service->catalog.table_count == serving_table_count)
        return;
    arena = call.arena = arena_create((size_t)256 << 20);
    if (!arena || store_database(service->store, &call.db, &problem)) {
        arena_destroy(arena);
        return;
    }
    error = make_tables(service, &call);
    if (error)
        log_event(LOG_ERROR, "tables_failed", problem.text);
    db_end_of_request(store_handle(service->store));
    arena_destroy(arena);
}

static void open_cache(struct service *service)
{
    struct db *db = store_handle(service->store);
    struct problem problem = {0};
    char path[4096];

    if (!service->run_directory)
        return;
    (void)!snprintf(path, sizeof path, "%s/livedata-cache.shm", service->run_directory);
    if (shm_cache_open(path, &service->cache.shared, &problem))
        log_event(LOG_ERROR, "cache_unavailable", problem.text);
    if (db_engine(db) == DB_POSTGRES)
        service->cache.poll_microseconds = (int64_t)(service->settings.cache_poll_seconds * 1e6);
}

static enum error ready(struct server *server, bool starts, struct problem *problem)
{
    struct service *service = server->state;

    (void)problem;
    if (server->region)
        db_queue_writers(store_handle(service->store), server->region);
    if (starts)
        return ERROR_NONE;
    open_cache(service);
    store_attach(service->store);
    follow_tables(service);
    if (service->settings.demo_mode || service->settings.seed_on_boot)
        seed(service);
    db_release(store_handle(service->store));
    return ERROR_NONE;
}

static bool begin(struct request *request, struct reply *reply)
{
    struct service *service = service_of(request);

    (void)reply;
    memset(&service->asking, 0, sizeof service->asking);
    service->asking.version = service->catalog.latest;
    service->asking.begun_at = clock_monotonic_microseconds();
    return true;
}

static void copy(char *to, size_t size, const char *from)
{
    (void)!snprintf(to, size, "%.*s", (int)size - 1, from ? from : "");
    to[utf8_valid_prefix(to, strlen(to))] = '\0';
}

/* "/v1/entity/order", "/v1/metrics/revenue"; others by their row. */
static const char *endpoint_of(const struct request *request, const struct live_note *note)
{
    if (note->entity_type && strncmp(request->path, "/v1/entity/", 11) == 0)
        return arena_print(request->arena, "/v1/entity/%s", note->entity_type);
    if (note->metric)
        return arena_print(request->arena, "/v1/metrics/%s", note->metric);
    return request->route ? request->route->path : "other";
}

static void note_session(struct request *request, int status)
{
    struct service *service = service_of(request);
    const struct live_key *key = service->asking.key;
    const struct live_note *note = &service->asking.note;
    struct session_row *row;

    if ((!key && !service_is_open(request)) || strncmp(request->path, "/v1", 3) != 0)
        return;
    row = session_add(&service->log);
    if (!row)
        return;
    row->usage_only = status == 401 || status == 403 || status == 429 || status == 503;
    row->status = status;
    row->duration_us = clock_monotonic_microseconds() - service->asking.begun_at;
    row->at = clock_unix_microseconds();
    row->cache = note->cache == CACHE_UNUSED ? -1 : note->cache == CACHE_HIT;
    copy(row->tenant, sizeof row->tenant, key ? key->tenant : "default");
    copy(row->request_id, sizeof row->request_id, request->id);
    if (key) {
        row->by_previous = key->by_previous;
        copy(row->key_id, sizeof row->key_id, key->key_id);
        copy(row->key_name, sizeof row->key_name, key->name);
    }
    copy(row->endpoint, sizeof row->endpoint, endpoint_of(request, note));
    copy(row->method, sizeof row->method, method_names[request->method]);
    copy(row->entity_type, sizeof row->entity_type, note->entity_type);
    copy(row->entity_id, sizeof row->entity_id, note->entity_id);
    copy(row->metric, sizeof row->metric, note->metric);
    copy(row->engine, sizeof row->engine, note->engine);
    copy(row->query, sizeof row->query, note->query);
}

static void count(struct request *request, int status)
{
    struct service *service = service_of(request);
    struct metrics *metrics = request->server->metrics;

    metric_add(metrics, SERVICE_METRIC_REQUESTS,
               (const char *const[]){method_names[request->method],
                                     request->route ? request->route->path : "other",
                                     arena_print(request->arena, "%d", status)},
               1);
    if (service->asking.refused)
        metric_add(metrics, SERVICE_METRIC_AUTH_FAILURES, &service->asking.refused, 1);
    if (service->log.dropped) {
        metric_add(metrics, SERVICE_METRIC_DROPPED, NULL, (double)service->log.dropped);
        service->log.dropped = 0;
    }
}

static void flush_sessions(struct service *service)
{
    struct db *db = store_handle(service->store);
    struct problem problem;

    if (!session_is_due(&service->log))
        return;
    if (!store_database(service->store, &db, &problem))
        session_flush(&service->log, db);
    db_end_of_request(db);
}

/* A database that takes no writes now leaves it to a later call. */
static void keep_series(struct request *request)
{
    struct service *service = service_of(request);
    struct problem problem = {0};
    struct storage_call call;

    if (!service->asking.series)
        return;
    call = service_storage(request, store_handle(service->store));
    call.problem = &problem;
    if (series_keep(&call, service->asking.series))
        log_event(LOG_DEBUG, "series_not_kept", problem.text);
}

void service_keep_series(const struct request *request, const struct series_values *values)
{
    if (!request_data_age(request)) /* an old value is none of this moment */
        service_of(request)->asking.series = values;
}

static void after(struct request *request, int status)
{
    struct service *service = service_of(request);

    keep_series(request);
    db_end_of_request(store_handle(service->store));
    replica_end_of_request(service->replica);
    note_session(request, status);
    count(request, status);
    flush_sessions(service);
}

/* Writes the buffered rows of the request log even without further requests. A worker that could
 * not open the database tries again. */
static void each_second(struct server *server)
{
    struct service *service = server->state;

    store_attach(service->store);
    follow_tables(service);
    kafka_publisher_tend(&service->publisher);
    flush_sessions(service);
}

static void idle(struct server *server)
{
    const struct service *service = server->state;

    db_release(store_handle(service->store));
    replica_release(service->replica);
}

static void after_turn(struct server *server)
{
    const struct service *service = server->state;

    db_end_of_request(store_handle(service->store));
    replica_end_of_request(service->replica);
}

static void stop(void *state)
{
    struct service *service = state;
    struct problem problem;
    struct db *db;

    if (service->log.count && !store_database(service->store, &db, &problem))
        session_flush(&service->log, db);
    kafka_publisher_close(&service->publisher);
    redis_close(service->redis);
    shm_cache_close(service->cache.shared);
    replica_close(service->replica);
    store_close(service->store);
}

static enum error idempotency(struct request *request, struct http_idempotency *kept)
{
    const struct live_key *key = service_key(request);
    enum error error = service_database(request, &kept->db);

    kept->who = arena_print(request->arena, "%s %s", request->who.tenant ? request->who.tenant : "",
                            key ? key->key_id : "");
    kept->times = (struct idempotency_times){.keep_seconds = 86400, .lease_seconds = 60};
    return error;
}

const struct http_service livedata_service = {
    .name = "livedata",
    .format = &livedata_wire_format,
    .order = order,
    .settings = livedata_settings_table,
    .setting_count = &livedata_settings_count,
    .reasons = reasons,
    .reason_count = COUNT_OF(reasons),
    .metrics = service_metrics,
    .metric_count = SERVICE_METRIC__MAX,
    .reading_traits = TRAIT_DEMO,
    .old_reads_metric = SERVICE_METRIC_OLD_READS,
    .start = start,
    .ready = ready,
    .begin = begin,
    .authenticate = service_authenticate,
    .is_open = service_is_open,
    .access = service_access,
    .refuse = service_refuse,
    .buckets = service_buckets,
    .idempotency = idempotency,
    .finish = service_finish,
    .after = after,
    .after_turn = after_turn,
    .idle = idle,
    .each_second = each_second,
    .stop = stop,
};
