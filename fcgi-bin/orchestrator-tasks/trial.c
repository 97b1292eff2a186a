/* Calls one model with a short prompt. The call is a task as any other: it is paid and stored. */
#include "orchestrator-tasks/trial.h"

#include "orchestrator/runs/orchestrate.h"
#include "orchestrator/service.h"

static const char prompt[] = "Reply with the word OK.";

struct model_trial {
    const char *model_id, *provider;
    bool succeeded;
    struct optional_integer duration_ms;
    const char *failure_code, *failure_message, *output_text;
    struct optional_number cost_usd;
    const char *task_id;
};

#define OWNER struct model_trial
static const struct field trial_fields[] = {
    STRING(OWNER, model_id),
    STRING(OWNER, provider),
    BOOLEAN(OWNER, succeeded),
    NULLABLE_INTEGER(OWNER, duration_ms),
    STRING(OWNER, failure_code, .nullable = true),
    STRING(OWNER, failure_message, .nullable = true),
    STRING(OWNER, output_text, .nullable = true),
    NULLABLE_NUMBER(OWNER, cost_usd),
    STRING(OWNER, task_id),
};
#undef OWNER
SCHEMA(model_trial_schema, struct model_trial, "ModelTrial", trial_fields);

static const struct model_trial *answer_of(struct request *request,
                                           const struct orchestration *orchestration)
{
    struct model_trial *trial = ARENA_NEW(request->arena, struct model_trial);
    const struct outcome *outcome = &orchestration->outcome;
    const struct result *result = &orchestration->results[0];

    *trial = (struct model_trial){
        .model_id = orchestration->plan.models[0]->id,
        .provider = orchestration->plan.models[0]->provider,
        .succeeded = outcome->status == RUN_SUCCEEDED,
        .duration_ms = result->duration_ms,
        .failure_code = failure_name(outcome->failure_code),
        .failure_message = outcome->failure_message,
        .output_text = outcome->output_text,
        .cost_usd = {result->cost.given, (double)result->cost.value / NANO_PER_DOLLAR},
        .task_id = orchestration->task_run.run.task_id};
    return trial;
}

enum error model_trial_handle(struct request *request, struct reply *reply)
{
    const struct worker_context *worker = service_worker(request);
    const struct orchestration_request wanted = {
        .prompt = prompt,
        .plan = {.model = request->arguments[0], .quorum = 1},
    };
    struct orchestration *orchestration = ARENA_NEW(request->arena, struct orchestration);
    struct db *db;
    enum error error = ERROR_NONE;

    if (!catalog_find(worker->catalog, request->arguments[0]))
        return problem_set(&request->problem, ERROR_NOT_FOUND, "model_not_found",
                           "The model '%s' does not exist.", request->arguments[0]);
    error = service_database(request, &db);
    if (!error)
        error = orchestrate(worker, request->arena, db, &wanted, orchestration, &request->problem);
    if (error)
        return service_storage_error(request, error, "replace_task_snapshot");
    reply->object = answer_of(request, orchestration);
    return ERROR_NONE;
}
