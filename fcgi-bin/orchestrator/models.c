/* The catalog, and looking at the menu of its browser again. */
#include "orchestrator/models.h"

#include "base/log.h"
#include "orchestrator/dispatch/model_list_refresh.h"
#include "orchestrator/runs/task_run.h"
#include "orchestrator/service.h"

#include <string.h>

static const char *const latency_names[] = {"fast", "slow", NULL};

struct model_row {
    const char *id, *display_name;
    struct string_list aliases;
    int adapter_kind;
    const char *provider;
    bool reasoning_capable;
    int64_t timeout_seconds;
    int expected_latency_class;
    int64_t concurrency_limit;
    struct optional_boolean available;
    const char *availability_status, *availability_checked_at, *availability_source;
    const char *last_verified_at;
    struct optional_number usd_per_1000_input, usd_per_1000_output;
};

#define OWNER struct model_row
static const struct field model_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, display_name),
    STRINGS(OWNER, aliases),
    CHOICE(OWNER, adapter_kind, backend_names, .choice_count = BACKEND__MAX),
    STRING(OWNER, provider),
    BOOLEAN(OWNER, reasoning_capable),
    INTEGER(OWNER, timeout_seconds),
    CHOICE(OWNER, expected_latency_class, latency_names, .choice_count = 2),
    INTEGER(OWNER, concurrency_limit),
    NULLABLE_BOOLEAN(OWNER, available),
    STRING(OWNER, availability_status,
           .help = "static, unknown, observed_available, observed_unverified or "
                   "observed_unavailable."),
    STRING(OWNER, availability_checked_at, .nullable = true),
    STRING(OWNER, availability_source, .nullable = true),
    STRING(OWNER, last_verified_at, .nullable = true),
    NULLABLE_NUMBER(OWNER, usd_per_1000_input, .help = "Price of a thousand tokens."),
    NULLABLE_NUMBER(OWNER, usd_per_1000_output),
};
#undef OWNER
static SCHEMA(model_schema, struct model_row, "Model", model_fields);

struct models {
    const char *last_checked, *source;
    OBJECT_LIST(struct model_row, models);
    const char *refreshed_at;
};

#define OWNER struct models
static const struct field models_fields[] = {
    STRING(OWNER, last_checked),
    STRING(OWNER, source),
    OBJECTS(OWNER, models, model_schema),
};
SCHEMA(models_schema, struct models, "Models", models_fields);

static const struct field refreshed_fields[] = {
    STRING(OWNER, last_checked),
    STRING(OWNER, source),
    OBJECTS(OWNER, models, model_schema),
    STRING(OWNER, refreshed_at),
};
#undef OWNER
SCHEMA(refreshed_models_schema, struct models, "RefreshedModels", refreshed_fields);

static struct optional_number per_1000(const struct model *model, int64_t price)
{
    return (struct optional_number){model->priced, (double)price * 1000 / NANO_PER_DOLLAR};
}

static struct model_row row_of(const struct catalog *catalog, const struct model *model,
                               const char *checked_at)
{
    bool api = model->backend == BACKEND_API;
    bool is_static = strcmp(catalog->source, "web-provider-model-menu") != 0;

    return (struct model_row){.id = model->id,
                              .display_name = model->display_name,
                              .aliases = model->aliases,
                              .adapter_kind = model->backend,
                              .provider = model->provider,
                              .reasoning_capable = model->reasoning_capable,
                              .timeout_seconds = model->timeout_seconds,
                              .expected_latency_class = model->fast ? 0 : 1,
                              .concurrency_limit = model->concurrency_limit,
                              .available = {!api && !is_static, true},
                              .availability_status = api         ? "static"
                                                     : is_static ? "unknown"
                                                                 : "observed_unverified",
                              .availability_checked_at = api ? NULL : checked_at,
                              .availability_source = api ? NULL : catalog->source,
                              .usd_per_1000_input = per_1000(model, model->input_price),
                              .usd_per_1000_output = per_1000(model, model->output_price)};
}

enum error models_handle(struct request *request, struct reply *reply)
{
    const struct catalog *catalog = service_worker(request)->catalog;
    struct models *answer = ARENA_NEW(request->arena, struct models);
    struct model_row *rows = ARENA_ARRAY(request->arena, struct model_row, catalog->count);
    const char *now = shown_time(request->arena, store_now(request->arena));
    const char *checked_at = catalog->checked_at ? catalog->checked_at : now;

    for (size_t i = 0; i < catalog->count; i++)
        rows[i] = row_of(catalog, &catalog->models[i], checked_at);
    *answer = (struct models){checked_at, catalog->source, {{catalog->count, rows}}, now};
    reply->object = answer;
    return ERROR_NONE;
}

/* What was known stays when the menu cannot be read: that it is old says `last_checked`. */
enum error models_refresh_handle(struct request *request, struct reply *reply)
{
    const struct orchestrator_settings *settings = service_settings(request);
    struct problem problem = {0};
    struct db *db;

    if (orchestrator_uses_chromium(settings)) {
        enum error error = service_database(request, &db);

        if (error)
            return error;
        if (model_list_refresh(settings, service_worker(request)->run_directory, db, request->arena,
                               &problem))
            log_event(LOG_WARNING, "menu_not_refreshed", problem.text);
        service_reload_model_list(request);
    }
    return models_handle(request, reply);
}
