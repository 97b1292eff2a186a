/* The life of the orchestrator in a worker: settings into the pipeline's policy, the database, the
 * catalog; and what is left to do behind an answer. */
#include "base/clock.h"
#include "base/log.h"
#include "http/people.h"
#include "http/replica.h"
#include "orchestrator/demo/simulated.h"
#include "orchestrator/runs/calls.h"
#include "orchestrator/runs/orchestrate.h"
#include "orchestrator/service_internal.h"
#include "orchestrator/storage/added_model_store.h"
#include "orchestrator/storage/answer_store.h"
#include "orchestrator/storage/model_list_store.h"
#include "orchestrator/storage/response_store.h"
#include "orchestrator/storage/store.h"
#include "orchestrator/storage/task_store.h"
#include "orchestrator/storage/times.h"
#include "orchestrator/telemetry.h"
#include "telemetry/error_report.h"
#include "telemetry/trace_export.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>

enum {
    FORM_ALLOWANCE = 1 << 20,            /* bytes of a form round its files */
    MODEL_LIST_INTERVAL_SECONDS = 5,     /* between two reads of the stored model list */
    MODEL_LIST_MEMORY = 8 * 1024 * 1024, /* bytes */
    SWEEP_INTERVAL_SECONDS = 10,         /* between two searches for abandoned tasks */
    SWEEP_MEMORY = 16 * 1024 * 1024,     /* bytes */
    MEMORY_TASKS_MAX = 10000,            /* kept by the backend `memory` */
    HOST_CONNECTIONS = 16
};

/* What lives as long as the worker. */
struct service {
    struct orchestrator_settings settings;
    struct store *store;
    struct replica *replica; /* NULL = there is none */
    struct catalog base;     /* as it was made at the start */
    struct catalog catalog;
    struct arena
        *model_list_arenas[2]; /* of this catalog and the one before, where the browser is used */
    int64_t model_list_checked_at; /* of the store's; 0 = the base's is used */
    int64_t model_list_read_at;    /* monotonic microseconds, as the next two */
    int64_t model_list_changed_at; /* 0 = never */
    int64_t added_models_version;  /* of the store's models that this catalog has */
    size_t outlived;               /* requests that began before that and still run */
    struct worker_context worker;
    struct shared_rate *cache; /* NULL = none */
    struct server *server;
    int telemetry;    /* an open file, or -1 */
    int64_t swept_at; /* monotonic microseconds */
};

static const struct reason_answer reasons[] = {
    {"plan_rejected", 422, "plan_rejected"},
    {"insufficient_quota", 429, "insufficient_quota"},
    {"rate_limit_exceeded", 429, "rate_limit_exceeded"},
    {"owner_unknown", 422, "owner_unknown"},
    {"task_not_found", 404, "not_found", "Task not found"},
    {"votes_not_found", 404, "not_found", "The task has no votes, or they are no longer kept."},
    {"run_rejected", 400, "bad_request"},
    {"no_reader", 501, "not_available", "Requested capability is not available."},
    {"no_text_extraction", 503, "unavailable", "The program that reads documents does not answer."},
    {"embeddings_missing", 503, "embeddings_missing", "Embeddings client is not configured."},
    {"embeddings_unavailable", 503, "embeddings_unavailable", "Embeddings are not available."},
    {"model_not_found", 404, "model_not_found"},
    {"keys_not_stored", 503, "keys_not_stored"},
    {"response_not_found", 404, "not_found"},
    {"template_not_found", 404, "not_found"},
    {"too_many_versions", 409, "too_many_versions"},
    {"provider_auth_failed", 502, "provider_auth_failed"},
    {"upstream_rate_limited", 429, "rate_limited"},
    {"upstream_timeout", 504, "timeout"},
    {"upstream_failed", 502, "unknown_error"},
    {"upstream_unavailable", 503, "provider_unavailable"},
    {"model_auth_required", 503, "model_auth_required"},
    {"storage_failed", 503, "storage_failed"},
    {"orchestration_timeout", 504, "timeout"},
};

static const struct metric metrics[METRICS_COUNTED] = {
    [METRIC_REQUESTS] = {"orch_http_requests_total", METRIC_COUNTER, "Requests that were answered.",
                         .labels = {"endpoint", "status_code"}},
    [METRIC_ADAPTER_ERRORS] = {"orch_adapter_errors_total", METRIC_COUNTER,
                               "Calls of models that failed.",
                               .labels = {"adapter", "failure_code"}},
    [METRIC_DURATION] = {"orch_http_request_duration_seconds", METRIC_HISTOGRAM,
                         "How long requests took.", .labels = {"endpoint"},
                         .buckets = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}},
    [METRIC_WITHOUT_CACHE] = {"orch_rate_limit_without_cache_total", METRIC_COUNTER,
                              "Requests whose limit could not be asked of ORCH_CACHE_URL."},
    [METRIC_MODEL_CALLS] = {"orch_model_calls_total", METRIC_COUNTER,
                            "Calls of each model that were made.",
                            .labels = {"model_id", "provider", "status"}},
    [METRIC_MODEL_ERRORS] = {"orch_model_errors_total", METRIC_COUNTER,
                             "Calls of each model that failed, or could not be made.",
                             .labels = {"failure_code", "model_id", "provider"}},
    [METRIC_MODEL_TOKENS] = {"orch_model_tokens_total", METRIC_COUNTER,
                             "Tokens of each model; cached ones are part of the input.",
                             .labels = {"kind", "model_id", "provider"}},
    [METRIC_MODEL_COST] = {"orch_model_cost_usd_total", METRIC_COUNTER,
                           "What was booked for calls of each model, in US dollars.",
                           .labels = {"model_id", "provider"}},
    [METRIC_MODEL_DURATION] = {"orch_model_call_duration_seconds", METRIC_HISTOGRAM,
                               "How long calls of each model took.", .labels = {"model_id"},
                               .buckets = {0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300}},
    [METRIC_MODEL_FIRST_OUTPUT] = {"orch_model_first_output_seconds", METRIC_HISTOGRAM,
                                   "Time to the first token of streamed answers of each model.",
                                   .labels = {"model_id"},
                                   .buckets = {0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60}},
    [METRIC_OLD_READS] = {"orch_old_reads_total", METRIC_COUNTER,
                          "Reads that a replica may answer, by who did.",
                          .labels = {"answered_by"}},
};

/* The rate limit comes before the key, and the key before any answer about paths. */
static const enum http_step order[] = {
    STEP_RATE,   STEP_PREFLIGHT, STEP_AUTHENTICATE, STEP_SLASH, STEP_LENGTH,
    STEP_ROUTE,  STEP_BODY,      STEP_JSON,         STEP_ROLE,  STEP_QUERY,
    STEP_FIELDS, STEP_FORM,      STEP_ADMISSION,    STEP_END};

static void set_policy(const struct orchestrator_settings *settings, struct arena *arena,
                       struct http_policy *policy)
{
    policy->host = settings->host;
    policy->host_setting = "ORCH_HOST";
    policy->open_by = settings->api_key ? NULL : "ORCH_API_KEY is not set";
    policy->confine = (enum confine_mode)settings->confine;
    if (settings->storage == STORAGE_SQLITE)
        policy->data_directory = dirname(arena_copy_string(arena, settings->db_path));
    policy->body_limits[LIMIT_STANDARD] = (size_t)settings->max_request_body_bytes;
    policy->body_limits[LIMIT_GATEWAY] = (size_t)settings->max_gateway_body_bytes;
    policy->body_limits[LIMIT_UPLOAD_BODY] = UPLOAD_BYTES_MAX + FORM_ALLOWANCE;
    policy->body_limits[LIMIT_UPLOAD_FILE] = UPLOAD_FILE_BYTES_MAX;
    policy->memory_limit = (size_t)settings->max_request_memory_bytes;
    policy->digests_forms = settings->telemetry_enabled;
    policy->json_depth = (int)settings->max_json_depth;
    if (settings->tracing_endpoint)
        policy->span_socket = TRACE_SOCKET_NAME("orchestrator");
    if (settings->error_tracking_dsn)
        policy->error_socket = ERROR_SOCKET_NAME("orchestrator");
    policy->trace_share = settings->tracing_sample;
    policy->trusted_proxy_hops = settings->trusted_proxy_hops;
}

static void choose_default(struct service *service)
{
    service->catalog.default_model =
        model_choose_default(&service->worker, is_dry_run(&service->worker, false));
}

static enum error make_catalog(struct service *service, struct arena *arena,
                               struct problem *problem)
{
    const struct orchestrator_settings *settings = &service->settings;

    enum error error = ERROR_NONE;

    catalog_make_static(arena, settings->profile != PROFILE_API_ONLY, &service->base);
    for (size_t i = 0; i < COUNT_OF(service->model_list_arenas); i++) {
        service->model_list_arenas[i] = arena_create(MODEL_LIST_MEMORY);
        if (!service->model_list_arenas[i])
            return problem_set(problem, ERROR_SYSTEM, "memory", "no memory");
    }
    service->worker = (struct worker_context){.settings = settings, .catalog = &service->catalog};
    if (settings->models_file)
        error = catalog_add_file(arena, settings->models_file, &service->base, problem);
    if (!error && settings->demo_language)
        error = simulated_add_models(arena, settings->sql_directory, settings->demo_port,
                                     &service->base, problem);
    service->catalog = service->base;
    choose_default(service);
    return error;
}

static enum error open_cache(struct service *service, struct arena *arena, struct problem *problem)
{
    const struct orchestrator_settings *settings = &service->settings;
    const struct shared_rate_config position = {
        settings->cache_url, settings->cache_timeout_seconds, settings->cache_retry_seconds};
    struct problem why = {0};

    if (!settings->cache_url || !shared_rate_open(arena, &position, &service->cache, &why))
        return ERROR_NONE;
    return problem_set(problem, ERROR_INVALID, "setting_invalid", "ORCH_CACHE_URL %s", why.text);
}

static enum error open_replica(struct arena *arena, struct service *service,
                               struct problem *problem)
{
    struct store_plan plan;

    orchestrator_store_plan(arena, &service->settings, getenv("ASSAY_RUN_DIR"), &plan);
    return replica_open(arena, &plan, &service->settings.replica, "ORCH_DATABASE_REPLICA_URL",
                        &service->replica, problem);
}

static enum error start(struct server *server, struct arena *arena, struct problem *problem)
{
    struct service *service = ARENA_NEW(arena, struct service);
    struct orchestrator_settings *settings = &service->settings;
    enum error error = orchestrator_settings_load(settings, arena, NULL, problem);

    if (error)
        return error;
    log_open("assay.orchestrator", (enum log_level)settings->log_level,
             (enum log_format)settings->log_format);
    set_policy(settings, arena, &server->policy);
    server->info = (struct document_info){
        .title = "Assay orchestrator",
        .version = settings->version,
        .description = "Puts one prompt to several language models, within budgets, and makes one "
                       "answer of theirs."};
    server->settings = settings;
    server->state = service;
    service->telemetry = telemetry_open(settings, arena); /* later the folder is out of reach */
    fetch_limit_connections(HOST_CONNECTIONS, HOST_CONNECTIONS);
    error = policy_read_networks(&server->policy.trusted_proxies, &settings->trusted_proxies,
                                 "ORCH_TRUSTED_PROXIES", problem);
    if (!error)
        error = people_open(server, arena, &settings->accounts, settings->sql_directory,
                            settings->state_directory, problem);
    if (!error)
        error = make_catalog(service, arena, problem);
    if (!error)
        error = open_cache(service, arena, problem);
    if (!error)
        error = open_replica(arena, service, problem);
    return error ? error
                 : orchestrator_store_open(arena, settings, getenv("ASSAY_RUN_DIR"),
                                           &service->store, problem);
}

static void count_failure(const char *adapter, int failure_code, void *context)
{
    const struct service *service = context;
    const char *code = failure_name(failure_code);

    metric_add(service->server->metrics, METRIC_ADAPTER_ERRORS,
               (const char *const[]){adapter, code ? code : "none"}, 1);
}

static void count_tokens(struct metrics *counts, const struct model *model,
                         const struct result *result)
{
    const struct {
        const char *kind;
        struct optional_integer count;
    } rows[] = {{"input", result->input_tokens},
                {"cached_input", result->cached_tokens},
                {"output", result->output_tokens}};

    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (rows[i].count.value > 0)
            metric_add(counts, METRIC_MODEL_TOKENS,
                       (const char *const[]){rows[i].kind, model->id, model->provider},
                       (double)rows[i].count.value);
}

/* A call without times was never made. */
static void count_call(const struct model *model, const struct result *result, void *context)
{
    struct metrics *counts = ((const struct service *)context)->server->metrics;
    const char *code = failure_name(result->failure_code);

    if (result->status == RUN_FAILED)
        metric_add(counts, METRIC_MODEL_ERRORS,
                   (const char *const[]){code ? code : "none", model->id, model->provider}, 1);
    if (!result->started_at)
        return;
    metric_add(counts, METRIC_MODEL_CALLS,
               (const char *const[]){model->id, model->provider, run_status_names[result->status]},
               1);
    count_tokens(counts, model, result);
    if (result->cost.value > 0)
        metric_add(counts, METRIC_MODEL_COST, (const char *const[]){model->id, model->provider},
                   (double)result->cost.value / NANO_PER_DOLLAR);
    metric_observe(counts, METRIC_MODEL_DURATION, &model->id,
                   (double)(result->ended_at - result->started_at) / 1e6);
    if (result->first_output_at)
        metric_observe(counts, METRIC_MODEL_FIRST_OUTPUT, &model->id,
                       (double)(result->first_output_at - result->started_at) / 1e6);
}

static enum error ready(struct server *server, bool starts, struct problem *problem)
{
    struct service *service = server->state;

    (void)problem;
    service->server = server;
    service->worker.region = server->region;
    service->worker.run_directory = getenv("ASSAY_RUN_DIR");
    service->worker.on_failure = count_failure;
    service->worker.on_call = count_call;
    service->worker.context = service;
    if (server->region)
        db_queue_writers(store_handle(service->store), server->region);
    if (!starts)
        store_attach(service->store);
    if (starts && !service->settings.api_key)
        log_event(orchestrator_is_exposed(&service->settings) ? LOG_ERROR : LOG_WARNING,
                  "open_without_key", "ORCH_API_KEY is not set: everybody may call.");
    return ERROR_NONE;
}

/* A worker that could not open the database tries again. */
static void after_turn(struct server *server)
{
    const struct service *service = server->state;

    db_end_of_request(store_handle(service->store));
    replica_end_of_request(service->replica);
}

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

    shared_rate_close(service->cache);
    replica_close(service->replica);
    store_close(service->store);
    for (size_t i = 0; i < COUNT_OF(service->model_list_arenas); i++)
        arena_destroy(service->model_list_arenas[i]);
}

static void add_stored(struct service *service, struct arena *arena,
                       const struct added_model *added, struct catalog *catalog)
{
    struct problem problem = {0};
    const char *key;

    if (catalog_add_text(arena, added->spec, catalog, &problem)) {
        log_event(LOG_WARNING, "model_not_added", problem.text);
        return;
    }
    if (!added->key.sealed)
        return;
    key = stored_key_open(arena, service->settings.secrets_key, added->id, &added->key);
    if (!key)
        log_event(LOG_WARNING, "model_key_lost", added->id);
    catalog_set_stored_key(catalog, key, added->key.ending);
}

/* The models of the base, with the list of the browser if there is one, and those that were added.
 */
static void compose_catalog(struct service *service, struct arena *arena,
                            const struct stored_model_list *list, const struct added_model *added,
                            size_t count)
{
    struct catalog catalog;

    if (list->checked_at)
        catalog_set_model_list(arena, &service->base, &list->labels, list->checked_at, &catalog);
    else
        catalog_copy(arena, &service->base, &catalog);
    for (size_t i = 0; i < count; i++)
        add_stored(service, arena, &added[i], &catalog);
    service->catalog = catalog;
}

static enum error read_stored_models(struct service *service, struct arena *arena, struct db *db,
                                     struct stored_model_list *list, struct added_model **added,
                                     size_t *count, int64_t *version, struct problem *problem)
{
    enum error error = ERROR_NONE;

    *list = (struct stored_model_list){0};
    if (orchestrator_uses_chromium(&service->settings))
        error = model_list_load(db, arena, list, problem);
    if (!error)
        error = added_models_version(db, version, problem);
    return error ? error : added_models_list(db, arena, added, count, problem);
}

/* The previous catalog stays valid until the next change, which waits for the requests that began
 * before this one. */
static void adopt_model_list(struct service *service, struct arena *arena)
{
    struct problem problem = {0};
    struct stored_model_list list;
    struct added_model *added;
    size_t count;
    int64_t version;
    struct db *db;

    if (store_database(service->store, &db, &problem) ||
        read_stored_models(service, arena, db, &list, &added, &count, &version, &problem)) {
        log_event(LOG_WARNING, "menu_not_loaded", problem.text);
        return;
    }
    if (list.checked_at == service->model_list_checked_at &&
        version == service->added_models_version)
        return;
    compose_catalog(service, arena, &list, added, count);
    choose_default(service);
    service->model_list_checked_at = list.checked_at;
    service->added_models_version = version;
    service->model_list_changed_at = clock_monotonic_microseconds();
    service->outlived = service->server->running;
    service->model_list_arenas[1] = service->model_list_arenas[0];
    service->model_list_arenas[0] = arena;
}

static void reload_model_list(struct service *service)
{
    struct arena *arena = service->model_list_arenas[1];
    jmp_buf exhausted;

    if (!arena || service->outlived)
        return;
    service->model_list_read_at = clock_monotonic_microseconds();
    arena_reset(arena);
    if (setjmp(exhausted) == 0) {
        arena_on_exhausted(arena, &exhausted);
        adopt_model_list(service, arena);
    } else {
        log_event(LOG_ERROR, "menu_not_loaded", "out of memory");
    }
}

void service_reload_model_list(struct request *request)
{
    reload_model_list(request->state);
}

static void sweep_in(struct service *service, struct arena *arena)
{
    struct problem problem = {0};
    int64_t swept = 0;
    struct db *db;

    if (store_database(service->store, &db, &problem))
        return;
    if (response_expire(db, service->settings.responses_days, &problem))
        log_event(LOG_WARNING, "expire_failed", problem.text);
    if (answer_expire(db, &problem))
        log_event(LOG_WARNING, "expire_failed", problem.text);
    if (task_sweep(db, arena, &swept, &problem))
        log_event(LOG_WARNING, "sweep_failed", problem.text);
    if (service->settings.storage == STORAGE_MEMORY &&
        task_evict(db, arena, MEMORY_TASKS_MAX, &problem))
        log_event(LOG_WARNING, "evict_failed", problem.text);
    if (swept)
        log_event(LOG_WARNING, "tasks_abandoned", "Tasks without a worker were ended.");
}

/* Ends tasks of dead workers at intervals, the first time after the worker's first request. */
static void sweep(struct service *service)
{
    int64_t now = clock_monotonic_microseconds();
    struct arena *arena;
    jmp_buf exhausted;

    if (service->swept_at && now - service->swept_at < SWEEP_INTERVAL_SECONDS * INT64_C(1000000))
        return;
    service->swept_at = now;
    arena = arena_create(SWEEP_MEMORY);
    if (!arena)
        return;
    if (setjmp(exhausted) == 0) {
        arena_on_exhausted(arena, &exhausted);
        sweep_in(service, arena);
    } else {
        log_event(LOG_ERROR, "sweep_failed", "out of memory");
    }
    arena_destroy(arena);
}

/* Whether another worker, or another host, has added, changed or removed a model. Who has just done
 * that sees it in his next call, wherever that is answered. */
static bool is_changed_elsewhere(const struct service *service)
{
    struct problem problem = {0};
    int64_t version;
    struct db *db;

    return !store_database(service->store, &db, &problem) &&
           !added_models_version(db, &version, &problem) &&
           version != service->added_models_version;
}

static bool begin(struct request *request, struct reply *reply)
{
    struct service *service = request->state;
    int64_t now = clock_monotonic_microseconds();

    (void)reply;
    if (request->route && !(request->route->traits & TRAIT_UNLIMITED) &&
        (!service->model_list_read_at ||
         now - service->model_list_read_at >= MODEL_LIST_INTERVAL_SECONDS * INT64_C(1000000) ||
         is_changed_elsewhere(service)))
        reload_model_list(service);
    return true;
}

/* The path of the route with {id} for what differs; paths of nothing are all one. */
static const char *endpoint_of(struct request *request)
{
    const char *path = request->route ? request->route->path : "other";
    const char *open = strchr(path, '{'), *close = strchr(path, '}');

    return open && close
               ? arena_print(request->arena, "%.*s{id}%s", (int)(open - path), path, close + 1)
               : path;
}

static void count(struct request *request, const struct service *service, int status)
{
    struct metrics *figures = service->server->metrics;
    const char *endpoint = endpoint_of(request);
    double seconds = (double)(clock_monotonic_microseconds() - request_started(request)) / 1e6;

    metric_add(figures, METRIC_REQUESTS,
               (const char *const[]){endpoint, arena_print(request->arena, "%d", status)}, 1);
    metric_observe(figures, METRIC_DURATION, &endpoint, seconds);
}

static void finish(struct request *request, struct reply *reply)
{
    const struct service *service = request->state;

    reply_state_position(request, reply, service->replica, store_handle(service->store));
}

static void after(struct request *request, int status)
{
    struct service *service = request->state;

    count(request, service, status);
    telemetry_note(service->telemetry, request, status, request_started(request));
    service_touch_key(request);
    if (request_started(request) <= service->model_list_changed_at && service->outlived)
        service->outlived--;
    db_end_of_request(store_handle(service->store));
    replica_end_of_request(service->replica);
    if (request->route && !(request->route->traits & TRAIT_UNLIMITED))
        sweep(service);
    db_end_of_request(store_handle(service->store));
}

const struct orchestrator_settings *service_settings(const struct request *request)
{
    return &((const struct service *)request->state)->settings;
}

const struct worker_context *service_worker(const struct request *request)
{
    const struct service *service = request->state;
    const struct service_caller *caller = request->who.detail;
    const struct worker_context *own = caller && caller->key ? &caller->worker : &service->worker;
    struct worker_context *worker;

    if (!request->trace.sampled)
        return own;
    worker = ARENA_NEW(request->arena, struct worker_context);
    *worker = *own;
    worker->trace = &request->trace;
    return worker;
}

struct shared_rate *service_cache(const struct request *request)
{
    return ((const struct service *)request->state)->cache;
}

struct store *service_store(const struct request *request)
{
    return ((const struct service *)request->state)->store;
}

void service_check_readiness(struct request *request, struct readiness *readiness)
{
    const struct readiness_check check = {
        .worker = service_worker(request),
        .store = service_store(request),
        .cache = service_cache(request),
        .requests_without_cache =
            (int64_t)metric_read(request->server->metrics, METRIC_WITHOUT_CACHE, NULL)};

    readiness_check(request->arena, &check, readiness);
}

enum error service_database(struct request *request, struct db **db)
{
    const struct service *service = request->state;
    enum error error;

    if (request_reads_replica(request, service->replica, store_handle(service->store), db))
        return ERROR_NONE;
    error = store_database(service->store, db, &request->problem);
    return service_storage_error(request, error, "healthcheck");
}

/* Whether a problem is worded by a row of the service. */
static bool has_answer(const char *reason)
{
    for (size_t i = 0; reason && i < COUNT_OF(reasons); i++)
        if (strcmp(reasons[i].reason, reason) == 0)
            return true;
    return false;
}

enum error service_storage_error(struct request *request, enum error error, const char *operation)
{
    if ((error != ERROR_UNAVAILABLE && error != ERROR_BUSY && error != ERROR_SYSTEM) ||
        has_answer(request->problem.reason))
        return error;
    log_event(LOG_ERROR, "storage_failed", request->problem.text);
    request->detail_json = arena_print(
        request->arena,
        "{\"code\":\"storage_failed\",\"message\":\"Storage is temporarily unavailable (operation: "
        "%s).\"}",
        operation);
    return problem_set(&request->problem, ERROR_UNAVAILABLE, "storage_failed",
                       "Storage is temporarily unavailable (operation: %s).", operation);
}

const struct http_service orchestrator_service = {
    .name = "orchestrator",
    .format = &orchestrator_wire_format,
    .order = order,
    .settings = orchestrator_settings_table,
    .setting_count = &orchestrator_settings_count,
    .reasons = reasons,
    .reason_count = COUNT_OF(reasons),
    .start = start,
    .ready = ready,
    .metrics = metrics,
    .metric_count = COUNT_OF(metrics),
    .old_reads_metric = METRIC_OLD_READS,
    .begin = begin,
    .authenticate = service_authenticate,
    .is_open = service_is_open,
    .access = service_access,
    .refuse = service_refuse,
    .buckets = service_buckets,
    .charge = service_charge,
    .finish = finish,
    .after = after,
    .after_turn = after_turn,
    .idle = idle,
    .each_second = each_second,
    .stop = stop,
};
