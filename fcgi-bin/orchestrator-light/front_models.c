/* The list of models in OpenAI's form: what can be called first, the rest with the reason. */
#include "orchestrator-light/front_models.h"

#include "orchestrator/front_names.h"
#include "orchestrator/runs/calls.h"
#include "orchestrator/runs/orchestrate.h"
#include "orchestrator/service.h"

#include <string.h>

struct front_model {
    const char *id, *object;
    int64_t created;
    const char *owned_by;
    bool callable;
    const char *reason;
};

#define OWNER struct front_model
static const struct field front_model_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, object),
    INTEGER(OWNER, created),
    STRING(OWNER, owned_by),
    BOOLEAN(OWNER, callable),
    STRING(OWNER, reason, .nullable = true, .help = "Why it cannot be called."),
};
#undef OWNER
SCHEMA(front_model_schema, struct front_model, "FrontModel", front_model_fields);

struct front_models {
    const char *object;
    OBJECT_LIST(struct front_model, data);
};

#define OWNER struct front_models
static const struct field front_models_fields[] = {
    STRING(OWNER, object),
    OBJECTS(OWNER, data, front_model_schema),
};
#undef OWNER
SCHEMA(front_models_schema, struct front_models, "FrontModels", front_models_fields);

static struct front_model row_of(const char *id, const char *owner, const char *reason)
{
    return (struct front_model){
        .id = id, .object = "model", .owned_by = owner, .callable = !reason, .reason = reason};
}

static bool any_is_callable(const struct worker_context *worker, bool is_dry)
{
    for (size_t i = 0; i < worker->catalog->count; i++)
        if (model_is_callable(worker, &worker->catalog->models[i], is_dry))
            return true;
    return false;
}

static struct object_list list_models(struct request *request)
{
    const struct worker_context *worker = service_worker(request);
    const struct catalog *catalog = worker->catalog;
    bool is_dry = is_dry_run(worker, false);
    const char *no_model = any_is_callable(worker, is_dry) ? NULL : "No model can be called.";
    struct front_model *all = ARENA_ARRAY(request->arena, struct front_model, catalog->count + 2);
    struct front_model *rows = ARENA_ARRAY(request->arena, struct front_model, catalog->count + 2);
    size_t total = 0, count = 0;

    all[total++] = row_of(FRONT_SMART, "orch", no_model);
    all[total++] = row_of(FRONT_CONSENSUS, "orch", no_model);
    for (size_t i = 0; i < catalog->count; i++)
        all[total++] =
            row_of(catalog->models[i].id, catalog->models[i].provider,
                   model_why_not_callable(request->arena, worker, &catalog->models[i], is_dry));
    for (int callable = 1; callable >= 0; callable--)
        for (size_t i = 0; i < total; i++)
            if (all[i].callable == callable)
                rows[count++] = all[i];
    return (struct object_list){count, rows};
}

enum error front_models_handle(struct request *request, struct reply *reply)
{
    struct front_models *models = ARENA_NEW(request->arena, struct front_models);

    *models = (struct front_models){.object = "list", .data = list_models(request)};
    reply->object = models;
    return ERROR_NONE;
}

enum error front_model_handle(struct request *request, struct reply *reply)
{
    struct object_list list = list_models(request);

    for (size_t i = 0; i < list.count; i++) {
        const struct front_model *row = (const struct front_model *)list.items + i;

        if (strcmp(row->id, request->arguments[0]) != 0)
            continue;
        reply->object = row;
        return ERROR_NONE;
    }
    return problem_set(&request->problem, ERROR_NOT_FOUND, "model_not_found",
                       "The model '%s' does not exist.", request->arguments[0]);
}
