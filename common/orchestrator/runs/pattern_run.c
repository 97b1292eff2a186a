/* Common parts of the patterns. */
#include "orchestrator/runs/pattern_run.h"

#include <string.h>

#define REJECT(problem, ...) problem_set((problem), ERROR_INVALID, "run_rejected", __VA_ARGS__)

enum error pattern_check_adapter(const struct worker_context *worker, const struct model *model,
                                 bool dry_run, struct problem *problem)
{
    const struct orchestrator_settings *settings = worker->settings;
    bool has_browser = settings->profile == PROFILE_HYBRID && settings->browser_enabled;

    if (dry_run || model->backend == BACKEND_API || has_browser)
        return ERROR_NONE;
    return REJECT(problem, "No browser adapter for provider '%s'.", model->provider);
}

static void plan_for_one(struct pattern_run *run, struct arena *arena, bool reasoning)
{
    run->plan = (struct plan){.models = ARENA_NEW(arena, const struct model *),
                              .count = 1,
                              .quorum = 1,
                              .adapter_hint = HINT_AUTO,
                              .merge_strategy = MERGE_FIRST_SUCCESS,
                              .cancel_on_quorum = true,
                              .reasoning = reasoning,
                              .execution_mode =
                                  run->model->backend == BACKEND_API ? MODE_API : MODE_BROWSER};
    run->plan.models[0] = run->model;
}

enum error pattern_begin(struct pattern_run *run, const struct worker_context *worker,
                         struct arena *arena, struct db *db, const struct pattern_request *wanted,
                         struct problem *problem)
{
    const char *name = wanted->model ? wanted->model : plan_default_model(worker->catalog);
    struct task_request task = {.prompt = wanted->prompt,
                                .route = wanted->route,
                                .dry_run = wanted->dry_run,
                                .decompose = false,
                                .plan = &run->plan};
    enum error error;

    run->model = catalog_resolve(arena, worker->catalog, name);
    if (!run->model)
        return REJECT(problem, "Unsupported model: %s", name);
    error = pattern_check_adapter(worker, run->model, wanted->dry_run, problem);
    if (error)
        return error;
    plan_for_one(run, arena, wanted->reasoning);
    run->phrasing = phrasing_of(arena, wanted->question ? wanted->question : wanted->prompt);
    run->phrasing.conversation = wanted->conversation;
    run->results = ARENA_ARRAY(arena, struct result, RUN_CALLS_MAX);
    error = task_run_begin(&run->task_run, worker, arena, db, &task, false, problem);
    run->task_run.run.watch = wanted->watch;
    if (!error && run->on_accepted)
        run->on_accepted(run, run->context);
    return error;
}

static void note(struct pattern_run *run, const struct result *results, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct candidate candidate = {run->candidates, results[i].text};

        if (run->result_count < RUN_CALLS_MAX)
            run->results[run->result_count++] = results[i];
        if (results[i].status != RUN_SUCCEEDED || !results[i].text || !run->on_candidate)
            continue;
        run->on_candidate(&candidate, run->context);
        run->candidates++;
    }
}

enum error pattern_dispatch(struct pattern_run *run, const struct call_request *orders,
                            size_t count, struct result *results)
{
    enum error error = dispatch(&run->task_run.run, orders, count, (struct quorum){0}, results);

    for (size_t i = 0; !error && i < count; i++)
        result_require_text(run->task_run.run.arena, &results[i]);
    if (!error)
        note(run, results, count);
    return error;
}

enum error pattern_ask(struct pattern_run *run, const struct model *const *models,
                       size_t model_count, const struct asking *askings, size_t count,
                       struct result *results)
{
    struct arena *arena = run->task_run.run.arena;
    struct call_request *orders = ARENA_ARRAY(arena, struct call_request, count);

    for (size_t i = 0; i < count; i++)
        orders[i] = call_of(arena, models[i % model_count], &askings[i], run->plan.reasoning);
    return pattern_dispatch(run, orders, count, results);
}

enum error pattern_ask_one(struct pattern_run *run, const struct model *model,
                           const struct asking *asking, struct result *result)
{
    return pattern_ask(run, &model, 1, asking, 1, result);
}

enum error pattern_ask_judge(struct pattern_run *run, const struct model *const *judged,
                             size_t count, const struct asking *asking, const struct model **judge,
                             struct result *result)
{
    const struct run *task = &run->task_run.run;
    enum error error = ERROR_NONE;

    *judge = model_choose_judge(task->worker, judged, count, task->dry_run);
    if (*judge)
        error = pattern_ask_one(run, *judge, asking, result);
    if (error || (*judge && (result->status == RUN_SUCCEEDED || task->was_cancelled)))
        return error;
    *judge = run->model;
    return pattern_ask_one(run, *judge, asking, result);
}

/* The step that returned the text, from 1; 0 when it was merged. */
static int64_t step_of(const struct run *run, const char *text)
{
    for (size_t i = 0; text && i < run->steps.count; i++)
        if (run->steps.items[i].output_text && strcmp(run->steps.items[i].output_text, text) == 0)
            return run->steps.items[i].step_index;
    return 0;
}

/* The call that returned the text; NULL when it was merged. */
static const struct result *source_of(const struct pattern_run *run, const char *text)
{
    for (size_t i = 0; text && i < run->result_count; i++)
        if (run->results[i].text && strcmp(run->results[i].text, text) == 0)
            return &run->results[i];
    return NULL;
}

enum error pattern_end(struct pattern_run *run, const struct result *answer)
{
    const struct result *source =
        answer->status == RUN_SUCCEEDED ? source_of(run, answer->text) : NULL;

    aggregate(&run->task_run.run, source ? source : answer, 1, 1, MERGE_FIRST_SUCCESS,
              &run->outcome);
    if (run->outcome.winning_step)
        run->outcome.winning_step = step_of(&run->task_run.run, answer->text);
    return task_run_end(&run->task_run, &run->outcome);
}

enum error pattern_end_text(struct pattern_run *run, const char *answer,
                            const struct result *failure)
{
    struct result none = {.model = run->model,
                          .executed = run->model,
                          .adapter_name = adapter_name_of(run->task_run.run.arena, run->model),
                          .failure_code = FAILURE_NONE,
                          .status = answer ? RUN_SUCCEEDED : RUN_CANCELLED,
                          .text = answer};

    return pattern_end(run, !answer && failure ? failure : &none);
}
