/* Checks each component, and takes the worst state of the required ones. */
#include "orchestrator/health/readiness.h"

#include "limits/limits.h"
#include "orchestrator/browser/ask.h"
#include "orchestrator/dispatch/replacement.h"
#include "orchestrator/storage/model_list_store.h"
#include "orchestrator/storage/spend_store.h"

#include <string.h>

enum { COUNTS_MAX = 65536, BROWSER_TIMEOUT_SECONDS = 1 };

/* A check on its way. */
struct checking {
    struct arena *arena;
    const struct readiness_check *check;
    const struct orchestrator_settings *settings;
    struct readiness *readiness;
};

static struct component *add(struct checking *checking, const char *name, const char *kind,
                             bool required)
{
    struct readiness *readiness = checking->readiness;
    struct component *component = &readiness->components[readiness->component_count++];

    *component = (struct component){.name = name, .kind = kind, .required = required};
    return component;
}

/* `code` is the fault of a component that is not ok. */
static const struct health_fault *fault_of(const struct component *component, enum health_code code)
{
    return health_fault(component->status == STATE_OK ? HEALTH_GOOD : code);
}

static bool has_model_list(struct checking *checking, struct db *db)
{
    struct stored_model_list list;
    struct problem problem = {0};

    return !model_list_load(db, checking->arena, &list, &problem) && list.checked_at;
}

static void check_storage(struct checking *checking)
{
    struct component *component = add(checking, "storage", "storage", true);
    struct schema_report *report = ARENA_NEW(checking->arena, struct schema_report);
    struct store_health *store = &checking->readiness->store;
    struct store *handle = checking->check->store;
    struct db_health health = {.reachable = false};
    struct problem problem = {0};
    struct db *db = NULL;
    enum error error = store_database(handle, &db, &problem);

    store->backend = storage_backend_names[checking->settings->storage];
    if (!error)
        db_health(db, &health);
    if (!error)
        error = store_health_count(db, store, &problem);
    if (!error)
        error = schema_report_make(checking->arena, db, store_schema(handle), store->backend,
                                   report, &problem);
    checking->readiness->counts_known = !error;
    store->status = error || !health.writable ? "degraded" : "ok";
    store->error = error              ? "The store does not answer."
                   : !health.writable ? "The store cannot be written to."
                                      : NULL;
    component->status = store->error ? STATE_FAILED : report->ok ? STATE_OK : STATE_DEGRADED;
    component->fault = health_fault(error              ? HEALTH_DATABASE_UNREACHABLE
                                    : !health.writable ? HEALTH_DATABASE_NOT_WRITABLE
                                    : !report->ok      ? HEALTH_SCHEMA_DIFFERS
                                                       : HEALTH_GOOD);
    component->details = SHAPED(storage_failure_schema, store);
    if (error)
        return;
    store->schema_version = report->schema_version;
    store->schema = schema_report_shape(report);
    if (checking->settings->storage == STORAGE_MEMORY)
        store->model_catalog_present = GIVEN_BOOLEAN(has_model_list(checking, db));
    component->details = SHAPED(storage_details_schema, store);
}

int64_t readiness_active(const struct readiness *readiness, const char *model_id)
{
    for (size_t i = 0; i < readiness->model_count; i++)
        if (strcmp(readiness->slots[i].name, model_id) == 0)
            return readiness->slots[i].held;
    return 0;
}

struct string_list readiness_saturated(struct arena *arena, const struct catalog *catalog,
                                       const struct readiness *readiness)
{
    struct string_list list = {.items = ARENA_ARRAY(arena, const char *, catalog->count)};

    for (size_t i = 0; i < catalog->count; i++) {
        const struct model *model = &catalog->models[i];
        size_t at = list.count;

        if (readiness_active(readiness, model->id) < model->concurrency_limit)
            continue;
        for (; at > 0 && strcmp(list.items[at - 1], model->id) > 0; at--)
            list.items[at] = list.items[at - 1];
        list.items[at] = model->id;
        list.count++;
    }
    return list;
}

/* A JSON object of counts by name. */
struct counts {
    struct text text;
    struct json_writer writer;
};

static void counts_start(struct arena *arena, struct counts *counts)
{
    text_start(&counts->text, arena, COUNTS_MAX);
    writer_start(&counts->writer, &counts->text);
    writer_open_object(&counts->writer);
}

static void counts_add(struct counts *counts, const char *name, int64_t count)
{
    writer_key_integer(&counts->writer, name, count);
}

static const char *counts_end(struct counts *counts)
{
    writer_close_object(&counts->writer);
    return counts->text.bytes;
}

static const struct budget_details *budget_of(const struct checking *checking)
{
    const struct readiness *readiness = checking->readiness;
    const struct semaphore_figures *tasks = readiness->slots + readiness->model_count;
    const struct orchestrator_settings *settings = checking->settings;
    struct budget_details *budget = ARENA_NEW(checking->arena, struct budget_details);
    struct counts counts;

    counts_start(checking->arena, &counts);
    for (size_t i = 0; i < readiness->task_count; i++)
        counts_add(&counts, browser_budget_task(tasks[i].name), tasks[i].held);
    *budget = (struct budget_details){
        .per_task_limit = {settings->max_submits_per_task != 0, settings->max_submits_per_task},
        .per_hour_limit = {settings->max_submits_per_hour != 0, settings->max_submits_per_hour},
        .active_task_counts = counts_end(&counts),
        .hourly_submits = browser_budget_hour(checking->check->worker)};
    return budget;
}

static const struct spend_details *spend_of(const struct checking *checking)
{
    struct spend_details *spend = ARENA_NEW(checking->arena, struct spend_details);
    double limit = checking->settings->daily_cost_limit_usd;
    char *day = arena_alloc(checking->arena, SPEND_DAY_MAX);
    struct problem problem = {0};
    int64_t booked = 0, held = 0;
    struct db *db;
    bool known = !store_database(checking->check->store, &db, &problem) &&
                 !spend_today(db, &booked, &held, &problem);

    spend_day(day);
    *spend = (struct spend_details){.day = day,
                                    .usd = {known, (double)booked / NANO_PER_DOLLAR},
                                    .held_usd = {known, (double)held / NANO_PER_DOLLAR},
                                    .limit = {limit > 0, limit}};
    return spend;
}

/* Models and tasks share one table of semaphores. */
static void read_slots(const struct worker_context *worker, struct readiness *readiness)
{
    struct semaphore_figures *slots = readiness->slots, tasks[SLOT_NAMES_MAX];
    size_t count =
        worker->region ? semaphore_read_figures(worker->region, slots, SLOT_NAMES_MAX) : 0;

    for (size_t i = 0; i < count; i++) {
        if (deployment_counts(slots[i].name))
            continue;
        if (browser_budget_task(slots[i].name))
            tasks[readiness->task_count++] = slots[i];
        else
            slots[readiness->model_count++] = slots[i];
    }
    memcpy(slots + readiness->model_count, tasks, readiness->task_count * sizeof *tasks);
    for (size_t i = 0; i < readiness->model_count; i++)
        readiness->active += slots[i].held;
}

static void check_router(struct checking *checking)
{
    struct component *component = add(checking, "execution-router", "execution", true);
    const struct catalog *catalog = checking->check->worker->catalog;
    struct router_details *details = ARENA_NEW(checking->arena, struct router_details);
    struct readiness *readiness = checking->readiness;
    struct counts active, waiting, limits;

    read_slots(checking->check->worker, readiness);
    counts_start(checking->arena, &active);
    counts_start(checking->arena, &waiting);
    counts_start(checking->arena, &limits);
    for (size_t i = 0; i < readiness->model_count; i++) {
        const struct semaphore_figures *slot = &readiness->slots[i];

        if (slot->held)
            counts_add(&active, slot->name, slot->held);
        if (slot->waiting)
            counts_add(&waiting, slot->name, slot->waiting);
    }
    for (size_t i = 0; i < catalog->count; i++)
        counts_add(&limits, catalog->models[i].id, catalog->models[i].concurrency_limit);
    *details = (struct router_details){.active_model_executions = readiness->active,
                                       .active_by_model = counts_end(&active),
                                       .waiting_by_model = counts_end(&waiting),
                                       .model_limits = counts_end(&limits),
                                       .saturated_models =
                                           readiness_saturated(checking->arena, catalog, readiness),
                                       .budget = budget_of(checking),
                                       .spend = spend_of(checking)};
    component->details = SHAPED(router_details_schema, details);
}

/* The cache counts requests for all hosts. The service works without it. */
static void check_cache(struct checking *checking)
{
    struct shared_rate *cache = checking->check->cache;
    bool host_limits = checking->settings->rate_limit_rpm.given;
    struct cache_details *details;
    struct component *component;

    if (!cache)
        return;
    component = add(checking, "cache", "cache", false);
    component->status =
        shared_rate_answers(cache, checking->check->worker->region) ? STATE_OK : STATE_DEGRADED;
    component->fault = fault_of(component, HEALTH_CACHE_UNREACHABLE);
    details = ARENA_NEW(checking->arena, struct cache_details);
    *details =
        (struct cache_details){.status = component->status,
                               .backend = "redis",
                               .limits_held_by = component->status == STATE_OK ? "cache"
                                                 : host_limits                 ? "host"
                                                                               : "nobody",
                               .requests_without_cache = checking->check->requests_without_cache};
    component->details = SHAPED(cache_details_schema, details);
}

/* The limits that hosts share. The service works without their server. */
static void check_limits(struct checking *checking)
{
    struct limits_details *details;
    struct component *component;
    struct limits_state state;

    limits_read_state(checking->check->worker->region, &state);
    if (!state.is_shared)
        return;
    component = add(checking, "limits", "cache", false);
    component->status = state.answers ? STATE_OK : STATE_DEGRADED;
    component->fault = fault_of(component, HEALTH_LIMITS_SERVER_UNREACHABLE);
    details = ARENA_NEW(checking->arena, struct limits_details);
    *details = (struct limits_details){.status = component->status,
                                       .hosts = state.hosts,
                                       .decided_alone = (int64_t)state.alone,
                                       .message = limits_sentence(checking->arena, &state)};
    component->details = SHAPED(limits_details_schema, details);
}

static void check_simulator(struct checking *checking)
{
    static const struct simulator_details details = {
        .status = "ok", .adapter_name = "dry_run", .simulated = true};

    add(checking, "dry_run", "adapter", true)->details = SHAPED(simulator_details_schema, &details);
}

static void check_api(struct checking *checking, const char *name, const char *provider,
                      const struct provider_settings *settings)
{
    struct component *component = add(checking, name, "adapter", false);
    struct api_details *details = ARENA_NEW(checking->arena, struct api_details);

    component->status = settings->api_key ? STATE_OK : STATE_DEGRADED;
    component->fault = fault_of(component, HEALTH_API_KEY_MISSING);
    *details = (struct api_details){.status = component->status,
                                    .adapter_name = name,
                                    .provider = provider,
                                    .configured = settings->api_key != NULL};
    component->details = SHAPED(api_details_schema, details);
}

/* The state of the adapter by its settings, or by what its process reports. */
static int browser_status(const struct orchestrator_settings *settings, bool configured,
                          const struct browser_health *reported)
{
    if (!configured || settings->browser_driver == BROWSER_NULL)
        return STATE_DEGRADED;
    if (settings->browser_driver == BROWSER_SCRIPTED)
        return settings->scripted_logged_in ? STATE_OK : STATE_AUTH_REQUIRED;
    if (!reported)
        return STATE_FAILED;
    if (reported->signed_out)
        return STATE_AUTH_REQUIRED;
    return reported->session->last_error ? STATE_DEGRADED : STATE_OK;
}

/* Why a driver cannot be used; NULL when it can. */
static const char *browser_unusable_reason(const struct orchestrator_settings *settings,
                                           bool is_asked)
{
    if (settings->browser_driver == BROWSER_NULL)
        return "Browser automation driver is not configured.";
    if (is_asked)
        return "The browser's process (orch-browserd) does not answer.";
    if (!settings->browser_enabled)
        return "The browser is not enabled.";
    if (!settings->browser_profile_dir)
        return "No profile directory is set.";
    return settings->profile == PROFILE_HYBRID
               ? NULL
               : "The browser is not used under this execution profile.";
}

/* Fills in session and automation where the browser's process did not. */
static void fill_in_idle(struct checking *checking, const char *reason,
                         struct browser_details *details)
{
    const struct orchestrator_settings *settings = checking->settings;
    struct browser_session *session = ARENA_NEW(checking->arena, struct browser_session);
    struct idle_automation *automation = ARENA_NEW(checking->arena, struct idle_automation);
    bool is_scripted = settings->browser_driver == BROWSER_SCRIPTED;
    const char *error = is_scripted && !settings->scripted_logged_in
                            ? "Scripted browser session is logged out."
                            : reason;

    *session = (struct browser_session){.status = details->configured && !error ? "ok" : "degraded",
                                        .provider = details->provider,
                                        .configured = details->configured,
                                        .base_url = settings->browser_base_url,
                                        .last_error = error};
    *automation = (struct idle_automation){.status = !reason                           ? "ok"
                                                     : details->status == STATE_FAILED ? "failed"
                                                                                       : "degraded",
                                           .implemented = settings->browser_driver != BROWSER_NULL,
                                           .driver = browser_driver_names[settings->browser_driver],
                                           .logged_in = {is_scripted, settings->scripted_logged_in},
                                           .reason = reason};
    details->session = session;
    details->automation = SHAPED(idle_automation_schema, automation);
}

static struct breaker_shape *check_breaker(struct checking *checking, int *status)
{
    const struct worker_context *worker = checking->check->worker;
    struct breaker_shape *breaker = browser_breaker_shape(checking->arena, worker);
    struct breaker_figures figures;

    (void)browser_breaker_read(worker, &figures);
    if (figures.state != BREAKER_CLOSED && *status == STATE_OK)
        *status = STATE_DEGRADED;
    breaker->adapter_status = component_state_names[*status];
    return breaker;
}

/* The fault of a browser that is not ok. */
static enum health_code browser_code(const struct orchestrator_settings *settings, bool configured,
                                     int status)
{
    if (!configured || settings->browser_driver == BROWSER_NULL)
        return HEALTH_BROWSER_NOT_CONFIGURED;
    return status == STATE_FAILED          ? HEALTH_BROWSER_UNREACHABLE
           : status == STATE_AUTH_REQUIRED ? HEALTH_BROWSER_SIGNED_OUT
                                           : HEALTH_BROWSER_FAILING;
}

static void check_browser(struct checking *checking)
{
    const struct orchestrator_settings *settings = checking->settings;
    struct component *component =
        add(checking, browser_adapter_name, "adapter", settings->profile == PROFILE_HYBRID);
    struct browser_details *details = ARENA_NEW(checking->arena, struct browser_details);
    bool configured = settings->browser_enabled && settings->browser_profile_dir;
    bool is_asked = configured && orchestrator_uses_chromium(settings);
    const struct browser_health *reported =
        is_asked ? browser_ask_health(checking->arena, checking->check->worker->run_directory,
                                      BROWSER_TIMEOUT_SECONDS)
                 : NULL;
    const char *reason = browser_unusable_reason(settings, is_asked);

    component->status = browser_status(settings, configured, reported);
    *details =
        (struct browser_details){.circuit_breaker = check_breaker(checking, &component->status),
                                 .adapter_name = browser_adapter_name,
                                 .provider = "web_provider",
                                 .configured = configured,
                                 .driver = settings->browser_driver,
                                 .error = is_asked && !reported ? reason : NULL};
    details->status = component->status;
    component->fault = fault_of(component, browser_code(settings, configured, component->status));
    if (reported) {
        details->session = reported->session;
        details->automation = SHAPED(browser_automation_schema, reported->automation);
    } else {
        fill_in_idle(checking, reason, details);
    }
    component->details = SHAPED(browser_details_schema, details);
}

/* The worst state of the required components: failed before a missing sign-in before degraded. */
static int overall(const struct readiness *readiness)
{
    static const int severities[] = {STATE_FAILED, STATE_AUTH_REQUIRED, STATE_DEGRADED};

    for (size_t i = 0; i < COUNT_OF(severities); i++)
        for (size_t j = 0; j < readiness->component_count; j++)
            if (readiness->components[j].required &&
                readiness->components[j].status == severities[i])
                return severities[i];
    return STATE_OK;
}

void readiness_check(struct arena *arena, const struct readiness_check *check,
                     struct readiness *readiness)
{
    const struct orchestrator_settings *settings = check->worker->settings;
    struct checking checking = {
        .arena = arena, .check = check, .settings = settings, .readiness = readiness};

    *readiness = (struct readiness){0};
    check_storage(&checking);
    check_router(&checking);
    check_cache(&checking);
    check_limits(&checking);
    check_simulator(&checking);
    check_api(&checking, "api.openai", "openai", &settings->openai);
    check_api(&checking, "api.anthropic", "anthropic", &settings->anthropic);
    check_browser(&checking);
    readiness->status = overall(readiness);
}
