/* The components of the service. */
#include "orchestrator/readiness.h"

#include "orchestrator/browser/ask.h"
#include "orchestrator/dispatch/browser_state.h"
#include "orchestrator/storage/model_list_store.h"
#include "orchestrator/storage/schema_report.h"
#include "orchestrator/storage/spend_store.h"

#include <string.h>

enum { DETAILS_MAX = 1 << 20, BROWSER_TIMEOUT_SECONDS = 1 };

const char *const component_state_names[COMPONENT_STATE__MAX + 1] = {
    "ok", "degraded", "failed", "unknown", "model_auth_required", NULL};

struct writing {
    struct text text;
    struct json_writer writer;
};

static void begin(struct request *request, struct writing *writing)
{
    text_start(&writing->text, request->arena, DETAILS_MAX);
    writer_start(&writing->writer, &writing->text);
    writer_open_object(&writing->writer);
}

static const char *end(struct writing *writing)
{
    writer_close_object(&writing->writer);
    return writing->text.bytes;
}

static struct component *add(struct readiness *readiness, const char *name, const char *kind,
                             bool required)
{
    struct component *component = &readiness->components[readiness->component_count++];

    *component = (struct component){.name = name, .kind = kind, .required = required};
    return component;
}

static void check_storage(struct request *request, struct readiness *readiness)
{
    struct component *component = add(readiness, "storage", "storage", true);
    struct schema_report report;
    struct problem problem = {0};
    struct stored_model_list menu;
    struct writing writing;
    struct db_health health = {.reachable = false};
    struct db *db = NULL;
    enum error error = store_database(service_store(request), &db, &problem);

    if (!error)
        db_health(db, &health);
    if (!error)
        error = task_counts(db, &readiness->counts, &problem);
    if (!error)
        error = schema_report_make(request->arena, db, store_schema(service_store(request)),
                                   &report, &problem);
    readiness->counts_known = !error;
    begin(request, &writing);
    writer_key_string(&writing.writer, "status", error || !health.writable ? "degraded" : "ok");
    writer_key_string(&writing.writer, "backend", readiness->backend);
    if (error) {
        writer_key_string(&writing.writer, "error", "The store does not answer.");
    } else {
        if (!health.writable)
            writer_key_string(&writing.writer, "error", "The store cannot be written to.");
        writer_key_string(&writing.writer, "schema_version",
                          schema_version_shown(&report, readiness->backend));
        writer_key_integer(&writing.writer, "task_count", readiness->counts.tasks);
        writer_key_integer(&writing.writer, "step_count", readiness->counts.steps);
        writer_key_integer(&writing.writer, "event_count", readiness->counts.events);
        if (service_settings(request)->storage == STORAGE_MEMORY)
            writer_key_boolean(&writing.writer, "model_catalog_present",
                               !model_list_load(db, request->arena, &menu, &problem) &&
                                   menu.checked_at);
        writer_key(&writing.writer, "schema");
        schema_report_write(&writing.writer, &report, readiness->backend);
    }
    component->details = end(&writing);
    component->status = error || !health.writable ? STATE_FAILED
                        : report.ok               ? STATE_OK
                                                  : STATE_DEGRADED;
}

int64_t readiness_active(const struct readiness *readiness, const char *model_id)
{
    for (size_t i = 0; i < readiness->figure_count; i++)
        if (strcmp(readiness->figures[i].name, model_id) == 0)
            return readiness->figures[i].held;
    return 0;
}

struct string_list readiness_saturated(struct request *request, const struct readiness *readiness)
{
    const struct catalog *catalog = service_worker(request)->catalog;
    struct string_list list = {.items = ARENA_ARRAY(request->arena, const char *, catalog->count)};

    for (size_t i = 0; i < catalog->count; i++) {
        const struct model *model = &catalog->models[i];
        size_t place = list.count;

        if (readiness_active(readiness, model->id) < model->concurrency_limit)
            continue;
        for (; place > 0 && strcmp(list.items[place - 1], model->id) > 0; place--)
            list.items[place] = list.items[place - 1];
        list.items[place] = model->id;
        list.count++;
    }
    return list;
}

static void write_models(struct request *request, const struct readiness *readiness,
                         struct json_writer *writer)
{
    const struct catalog *catalog = service_worker(request)->catalog;
    struct string_list saturated = readiness_saturated(request, readiness);

    writer_key_integer(writer, "active_model_executions", readiness->active);
    writer_key(writer, "active_by_model");
    writer_open_object(writer);
    for (size_t i = 0; i < readiness->figure_count; i++)
        if (readiness->figures[i].held)
            writer_key_integer(writer, readiness->figures[i].name, readiness->figures[i].held);
    writer_close_object(writer);
    writer_key(writer, "waiting_by_model");
    writer_open_object(writer);
    for (size_t i = 0; i < readiness->figure_count; i++)
        if (readiness->figures[i].waiting)
            writer_key_integer(writer, readiness->figures[i].name, readiness->figures[i].waiting);
    writer_close_object(writer);
    writer_key(writer, "model_limits");
    writer_open_object(writer);
    for (size_t i = 0; i < catalog->count; i++)
        writer_key_integer(writer, catalog->models[i].id, catalog->models[i].concurrency_limit);
    writer_close_object(writer);
    writer_key_strings(writer, "saturated_models", &saturated);
}

static void write_spend(struct request *request, struct json_writer *writer)
{
    const struct orchestrator_settings *settings = service_settings(request);
    struct problem problem = {0};
    int64_t booked = 0, held = 0;
    struct db *db;
    char day[16];
    bool known = !store_database(service_store(request), &db, &problem) &&
                 !spend_today(db, &booked, &held, &problem);

    spend_day(day);
    writer_key(writer, "spend");
    writer_open_object(writer);
    writer_key_string(writer, "day", day);
    if (known) {
        writer_key_number(writer, "usd", (double)booked / NANO_PER_DOLLAR);
        writer_key_number(writer, "held_usd", (double)held / NANO_PER_DOLLAR);
    } else {
        writer_key_null(writer, "usd");
        writer_key_null(writer, "held_usd");
    }
    if (settings->daily_cost_limit_usd > 0)
        writer_key_number(writer, "limit", settings->daily_cost_limit_usd);
    else
        writer_key_null(writer, "limit");
    writer_close_object(writer);
}

static void write_budget(struct request *request, const struct readiness *readiness,
                         struct json_writer *writer)
{
    const struct semaphore_figures *tasks = readiness->figures + readiness->figure_count;
    const struct orchestrator_settings *settings = service_settings(request);

    writer_key(writer, "budget");
    writer_open_object(writer);
    if (settings->max_submits_per_task)
        writer_key_integer(writer, "per_task_limit", settings->max_submits_per_task);
    else
        writer_key_null(writer, "per_task_limit");
    if (settings->max_submits_per_hour)
        writer_key_integer(writer, "per_hour_limit", settings->max_submits_per_hour);
    else
        writer_key_null(writer, "per_hour_limit");
    writer_key(writer, "active_task_counts");
    writer_open_object(writer);
    for (size_t i = 0; i < readiness->task_count; i++)
        writer_key_integer(writer, browser_budget_task(tasks[i].name), tasks[i].held);
    writer_close_object(writer);
    writer_key_integer(writer, "hourly_submits", browser_budget_hour(service_worker(request)));
    writer_close_object(writer);
}

/* Models and tasks have their slots in one table. */
static void read_figures(const struct worker_context *worker, struct readiness *readiness)
{
    struct semaphore_figures *figures = readiness->figures, tasks[FIGURES_MAX];
    size_t count =
        worker->region ? semaphore_read_figures(worker->region, figures, FIGURES_MAX) : 0;

    for (size_t i = 0; i < count; i++) {
        if (browser_budget_task(figures[i].name))
            tasks[readiness->task_count++] = figures[i];
        else
            figures[readiness->figure_count++] = figures[i];
    }
    memcpy(figures + readiness->figure_count, tasks, readiness->task_count * sizeof *tasks);
    for (size_t i = 0; i < readiness->figure_count; i++)
        readiness->active += figures[i].held;
}

static void check_router(struct request *request, struct readiness *readiness)
{
    struct component *component = add(readiness, "execution-router", "execution", true);
    struct writing writing;

    read_figures(service_worker(request), readiness);
    begin(request, &writing);
    write_models(request, readiness, &writing.writer);
    write_budget(request, readiness, &writing.writer);
    write_spend(request, &writing.writer);
    component->details = end(&writing);
}

/* Where requests are counted for all hosts. Without it the service works on. */
static void check_cache(struct request *request, struct readiness *readiness)
{
    bool limits_itself = service_settings(request)->rate_limit_rpm.given;
    struct component *component;
    struct writing writing;

    if (!service_cache(request))
        return;
    component = add(readiness, "cache", "cache", false);
    component->status = shared_rate_answers(service_cache(request), request->server->region)
                            ? STATE_OK
                            : STATE_DEGRADED;
    begin(request, &writing);
    writer_key_string(&writing.writer, "status", component_state_names[component->status]);
    writer_key_string(&writing.writer, "backend", "redis");
    writer_key_string(&writing.writer, "limits_held_by",
                      component->status == STATE_OK ? "cache"
                      : limits_itself               ? "host"
                                                    : "nobody");
    writer_key_integer(&writing.writer, "requests_without_cache",
                       (int64_t)metric_read(request->server->metrics, METRIC_WITHOUT_CACHE, NULL));
    component->details = end(&writing);
}

static void check_api(struct request *request, struct readiness *readiness, const char *name,
                      const char *provider, const struct provider_settings *settings)
{
    struct component *component = add(readiness, name, "adapter", false);
    struct writing writing;

    component->status = settings->api_key ? STATE_OK : STATE_DEGRADED;
    begin(request, &writing);
    writer_key_string(&writing.writer, "status", component_state_names[component->status]);
    writer_key_string(&writing.writer, "adapter_name", name);
    writer_key_string(&writing.writer, "provider", provider);
    writer_key_boolean(&writing.writer, "configured", settings->api_key != NULL);
    component->details = end(&writing);
}

/* How the adapter is by its settings, or by what its process says of itself. */
static int browser_status(const struct orchestrator_settings *settings, bool configured,
                          const json_t *reported)
{
    const json_t *error = json_object_get(json_object_get(reported, "session"), "last_error");

    if (!configured || settings->browser_driver == BROWSER_NULL)
        return STATE_DEGRADED;
    if (settings->browser_driver == BROWSER_SCRIPTED)
        return settings->scripted_logged_in ? STATE_OK : STATE_AUTH_REQUIRED;
    if (!reported)
        return STATE_FAILED;
    if (json_is_true(json_object_get(reported, "signed_out")))
        return STATE_AUTH_REQUIRED;
    return json_is_string(error) ? STATE_DEGRADED : STATE_OK;
}

static void write_breaker(struct request *request, struct json_writer *writer, int *status)
{
    struct breaker_figures figures;

    (void)browser_breaker_read(service_worker(request), &figures);
    if (figures.state != BREAKER_CLOSED && *status == STATE_OK)
        *status = STATE_DEGRADED;
    writer_key_string(writer, "status", component_state_names[*status]);
    writer_key(writer, "circuit_breaker");
    writer_open_object(writer);
    writer_key_string(writer, "adapter_status", component_state_names[*status]);
    browser_breaker_write(service_worker(request), writer);
    writer_close_object(writer);
}

/* Why a driver does not work; NULL when it does. */
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

/* What the process of the browser would say of itself where it is not asked, or does not answer. */
static void write_idle_browser(struct json_writer *writer,
                               const struct orchestrator_settings *settings, bool configured,
                               int status, const char *reason)
{
    bool is_scripted = settings->browser_driver == BROWSER_SCRIPTED;
    const char *error = is_scripted && !settings->scripted_logged_in
                            ? "Scripted browser session is logged out."
                            : reason;

    writer_key(writer, "session");
    writer_open_object(writer);
    writer_key_string(writer, "status", configured && !error ? "ok" : "degraded");
    writer_key_string(writer, "provider", "web_provider");
    writer_key_boolean(writer, "configured", configured);
    writer_key_boolean(writer, "active", false);
    writer_key_string(writer, "base_url", settings->browser_base_url);
    writer_key_string(writer, "last_error", error);
    writer_close_object(writer);
    writer_key(writer, "automation");
    writer_open_object(writer);
    writer_key_string(writer, "status",
                      !reason                  ? "ok"
                      : status == STATE_FAILED ? "failed"
                                               : "degraded");
    writer_key_boolean(writer, "implemented", settings->browser_driver != BROWSER_NULL);
    writer_key_string(writer, "driver", browser_driver_names[settings->browser_driver]);
    if (is_scripted)
        writer_key_boolean(writer, "logged_in", settings->scripted_logged_in);
    writer_key_boolean(writer, "launched", false);
    writer_key_string(writer, "reason", reason);
    writer_close_object(writer);
}

static void check_browser(struct request *request, struct readiness *readiness)
{
    const struct orchestrator_settings *settings = service_settings(request);
    struct component *component =
        add(readiness, browser_adapter_name, "adapter", settings->profile == PROFILE_HYBRID);
    bool configured = settings->browser_enabled && settings->browser_profile_dir;
    bool is_asked = configured && orchestrator_uses_chromium(settings);
    const json_t *reported =
        is_asked ? browser_ask_health(request->arena, service_worker(request)->run_directory,
                                      BROWSER_TIMEOUT_SECONDS)
                 : NULL;
    struct writing writing;

    component->status = browser_status(settings, configured, reported);
    begin(request, &writing);
    write_breaker(request, &writing.writer, &component->status);
    writer_key_string(&writing.writer, "adapter_name", browser_adapter_name);
    writer_key_string(&writing.writer, "provider", "web_provider");
    writer_key_boolean(&writing.writer, "configured", configured);
    writer_key_string(&writing.writer, "driver", browser_driver_names[settings->browser_driver]);
    if (is_asked && !reported)
        writer_key_string(&writing.writer, "error", browser_unusable_reason(settings, is_asked));
    if (!reported) {
        write_idle_browser(&writing.writer, settings, configured, component->status,
                           browser_unusable_reason(settings, is_asked));
    } else {
        writer_key(&writing.writer, "session");
        writer_value(&writing.writer, json_object_get(reported, "session"));
        writer_key(&writing.writer, "automation");
        writer_value(&writing.writer, json_object_get(reported, "automation"));
    }
    component->details = end(&writing);
}

/* The worst of what is required: failed before a missing sign-in before degraded. */
static int overall(const struct readiness *readiness)
{
    static const int order[] = {STATE_FAILED, STATE_AUTH_REQUIRED, STATE_DEGRADED};

    for (size_t severity = 0; severity < COUNT_OF(order); severity++)
        for (size_t i = 0; i < readiness->component_count; i++)
            if (readiness->components[i].required &&
                readiness->components[i].status == order[severity])
                return order[severity];
    return STATE_OK;
}

void readiness_check(struct request *request, struct readiness *readiness)
{
    const struct orchestrator_settings *settings = service_settings(request);
    struct component *simulator;

    *readiness = (struct readiness){.backend = storage_backend_names[settings->storage]};
    check_storage(request, readiness);
    check_router(request, readiness);
    check_cache(request, readiness);
    simulator = add(readiness, "dry_run", "adapter", true);
    simulator->details = "{\"status\":\"ok\",\"adapter_name\":\"dry_run\",\"simulated\":true}";
    check_api(request, readiness, "api.openai", "openai", &settings->openai);
    check_api(request, readiness, "api.anthropic", "anthropic", &settings->anthropic);
    check_browser(request, readiness);
    readiness->status = overall(readiness);
}
