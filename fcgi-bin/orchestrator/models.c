/* Lists the catalog, and refreshes the models that the browser can be asked for. */
#include "orchestrator/models.h"

#include "base/clock.h"
#include "base/log.h"
#include "orchestrator/dispatch/model_list_refresh.h"
#include "orchestrator/models/shape.h"
#include "orchestrator/runs/calls.h"
#include "orchestrator/runs/orchestrate.h"
#include "orchestrator/service.h"

#include <string.h>

struct models {
    int64_t last_checked;
    const char *source;
    OBJECT_LIST(struct model_shape, models);
    int64_t refreshed_at;
};

#define OWNER struct models
static const struct field models_fields[] = {
    TIME(OWNER, last_checked, .time = TIME_Z),
    STRING(OWNER, source),
    OBJECTS(OWNER, models, model_schema),
};
SCHEMA(models_schema, struct models, "Models", models_fields);

static const struct field refreshed_fields[] = {
    TIME(OWNER, last_checked, .time = TIME_Z),
    STRING(OWNER, source),
    OBJECTS(OWNER, models, model_schema),
    TIME(OWNER, refreshed_at, .time = TIME_Z),
};
#undef OWNER
SCHEMA(refreshed_models_schema, struct models, "RefreshedModels", refreshed_fields);

static struct model_shape row_of(struct request *request, const struct model *model,
                                 int64_t checked_at)
{
    const struct worker_context *worker = service_worker(request);
    const struct catalog *catalog = worker->catalog;
    bool dry_run = is_dry_run(worker, false);
    bool is_observed = strcmp(catalog->source, "web-provider-model-menu") == 0;
    struct model_shape row = model_shape_of(model);

    row.why_not_callable = model_why_not_callable(request->arena, worker, model, dry_run);
    row.key_ending =
        model->was_added && request->who.role == ORCHESTRATOR_ADMIN ? model->key_ending : NULL;
    row.callable = !row.why_not_callable;
    row.availability_status = "static";
    if (model->backend == BACKEND_API)
        return row;
    row.available = (struct optional_boolean){is_observed, true};
    row.availability_status = is_observed ? "observed_unverified" : "unknown";
    row.availability_checked_at = GIVEN_INTEGER(checked_at);
    row.availability_source = catalog->source;
    return row;
}

enum error models_handle(struct request *request, struct reply *reply)
{
    const struct catalog *catalog = service_worker(request)->catalog;
    struct models *answer = ARENA_NEW(request->arena, struct models);
    struct model_shape *rows = ARENA_ARRAY(request->arena, struct model_shape, catalog->count);
    int64_t now = clock_unix_microseconds();
    int64_t checked_at = catalog->checked_at ? catalog->checked_at : now;

    for (size_t i = 0; i < catalog->count; i++)
        rows[i] = row_of(request, &catalog->models[i], checked_at);
    *answer = (struct models){.last_checked = checked_at,
                              .source = catalog->source,
                              .models = {catalog->count, rows},
                              .refreshed_at = now};
    reply->object = answer;
    return ERROR_NONE;
}

/* When the list cannot be read the last one stays, and `last_checked` shows its age. */
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
