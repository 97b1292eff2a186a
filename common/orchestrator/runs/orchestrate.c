/* Orchestrates one prompt without a pattern. */
#include "orchestrator/runs/orchestrate.h"

#include "base/string_list.h"
#include "orchestrator/dispatch/details.h"
#include "orchestrator/plan/assess.h"
#include "orchestrator/plan/prompts.h"
#include "orchestrator/runs/decompose.h"

#include <string.h>

bool is_dry_run(const struct worker_context *worker, bool asked)
{
    return asked || worker->settings->profile == PROFILE_DRY_RUN;
}

const char *session_prompt(const struct worker_context *worker, struct arena *arena, struct db *db,
                           const char *session_id, const char *prompt)
{
    const struct orchestrator_settings *settings = worker->settings;
    const char *key_id = worker->key ? worker->key->payer.key_id : NULL;
    struct task_list tasks;
    struct turn *turns;

    if (!session_id || task_list_session(db, arena, session_id, key_id,
                                         settings->context_window_turns, &tasks, NULL))
        return prompt;
    turns = ARENA_ARRAY(arena, struct turn, tasks.count);
    for (size_t i = 0; i < tasks.count; i++)
        turns[i] = (struct turn){tasks.items[i].prompt, tasks.items[i].output_text};
    return prompt_in_context(arena, turns, tasks.count, (size_t)settings->max_context_chars,
                             prompt);
}

static enum error ask_in_parts(struct orchestration *orchestration,
                               const struct orchestration_request *request, const char *prompt)
{
    struct run *run = &orchestration->task_run.run;
    struct decomposition decomposition;
    enum error error = decompose(run, orchestration->plan.models[0], request->plan.reasoning,
                                 request->prompt, prompt, &decomposition);

    if (error)
        return error;
    decompose_join_steps(run, &decomposition);
    orchestration->results[0] = decomposition.result;
    if (run->steps.count)
        orchestration->results[0].duration_ms = run->steps.items[0].duration_ms;
    aggregate(run, orchestration->results, 1, orchestration->plan.quorum,
              orchestration->plan.merge_strategy, &orchestration->outcome);
    orchestration->outcome.details = json_join(run->arena, orchestration->outcome.details,
                                               decompose_details(run, &decomposition));
    orchestration->task_run.task.was_decomposed = decomposition.was_decomposed;
    if (decomposition.was_decomposed)
        orchestration->task_run.task.subtask_count = (int64_t)decomposition.subtasks.count;
    return ERROR_NONE;
}

static enum error ask_all(struct orchestration *orchestration,
                          const struct orchestration_request *request, const char *prompt)
{
    const struct plan *plan = &orchestration->plan;
    struct run *run = &orchestration->task_run.run;
    struct call_request *orders = ARENA_ARRAY(run->arena, struct call_request, plan->count);
    struct quorum quorum = {.wanted = (size_t)plan->quorum, .cancels_rest = plan->cancel_on_quorum};
    enum error error;

    for (size_t i = 0; i < plan->count; i++)
        orders[i] = (struct call_request){
            .model = plan->models[i],
            .prompt = prompt,
            .reasoning = plan->reasoning,
            .strict_model = json_is_true(json_object_get(request->metadata, "strict_model")),
            .attachments = request->attachments};
    error = dispatch(run, orders, plan->count, quorum, orchestration->results);
    if (!error)
        aggregate(run, orchestration->results, plan->count, plan->quorum, plan->merge_strategy,
                  &orchestration->outcome);
    return error;
}

enum error orchestrate(const struct worker_context *worker, struct arena *arena, struct db *db,
                       const struct orchestration_request *request,
                       struct orchestration *orchestration, struct problem *problem)
{
    struct task_request wanted = {.prompt = request->prompt,
                                  .session_id = request->session_id,
                                  .retry_of_task_id = request->retry_of_task_id,
                                  .metadata = request->metadata,
                                  .dry_run = is_dry_run(worker, request->dry_run),
                                  .decompose = request->decompose,
                                  .plan = &orchestration->plan};
    const char *prompt;
    enum error error;

    *orchestration = (struct orchestration){0};
    error = plan_make(arena, worker->catalog, &request->plan, &orchestration->plan, problem);
    if (error)
        return error;
    orchestration->count = orchestration->plan.count;
    orchestration->results = ARENA_ARRAY(arena, struct result, orchestration->count);
    prompt = session_prompt(worker, arena, db, request->session_id, request->prompt);
    error = task_run_begin(&orchestration->task_run, worker, arena, db, &wanted, true, problem);
    if (error)
        return error;
    if (request->decompose && !wanted.dry_run && orchestration->count == 1 &&
        !request->attachments.count && assess_complexity(arena, request->prompt).should_decompose)
        error = ask_in_parts(orchestration, request, prompt);
    else
        error = ask_all(orchestration, request, prompt);
    return error ? error : task_run_end(&orchestration->task_run, &orchestration->outcome);
}

/* The models of the accepted plan. */
static struct string_list planned_models(struct arena *arena, const struct event_list *events)
{
    struct string_list models = {0};
    struct json_fault fault;
    json_t *payload, *steps;

    if (!events->count ||
        json_read(arena, events->items[0].payload, strlen(events->items[0].payload),
                  JSON_DEPTH_LIMIT, &payload, &fault))
        return models;
    steps = json_object_get(json_object_get(payload, "execution_plan"), "steps");
    models.items = ARENA_ARRAY(arena, const char *, json_array_size(steps) + 1);
    for (size_t i = 0; i < json_array_size(steps); i++) {
        const char *id = json_string_value(json_object_get(json_array_get(steps, i), "model_id"));

        if (id)
            string_list_add_new(&models, id);
    }
    return models;
}

enum error orchestration_rebuild(struct arena *arena, struct db *db, const struct task_record *task,
                                 struct orchestration_request *request, struct problem *problem)
{
    struct event_list events;
    struct json_fault fault;
    json_t *metadata = NULL;
    enum error error = task_events(db, arena, task->task_id, 1, 0, &events, NULL, problem);

    if (error)
        return error;
    if (json_read(arena, task->metadata, strlen(task->metadata), JSON_DEPTH_LIMIT, &metadata,
                  &fault))
        metadata = NULL;
    *request = (struct orchestration_request){.prompt = task->prompt,
                                              .plan = {.models = planned_models(arena, &events),
                                                       .adapter_hint = task->adapter_hint,
                                                       .quorum = task->quorum,
                                                       .merge_strategy = task->merge_strategy,
                                                       .cancel_on_quorum = task->cancel_on_quorum,
                                                       .reasoning = task->reasoning},
                                              .metadata = metadata,
                                              .dry_run = task->dry_run,
                                              .decompose = task->decompose,
                                              .session_id = task->session_id,
                                              .retry_of_task_id = task->task_id};
    if (!request->plan.models.count)
        return problem_set(problem, ERROR_INVALID, "plan_rejected",
                           "Model of the task is not known any more.");
    return ERROR_NONE;
}
