/* Simple combinations of calls. */
#include "orchestrator/runs/several.h"

#include "base/text.h"
#include "orchestrator/runs/orchestrate.h"

#include <string.h>

enum { PROMPTS_MAX = 4 << 20 };

static void count(struct item_list *list)
{
    list->succeeded = 0;
    for (size_t i = 0; i < list->count; i++)
        list->succeeded += strcmp(list->items[i].status, "completed") == 0;
    list->failed = list->count - list->succeeded;
}

static void fill_in(struct item *item, const struct result *result)
{
    bool done = result->status == RUN_SUCCEEDED && result->text;

    item->answer = done ? result->text : "";
    item->status = done ? "completed" : "failed";
}

/* The first available answer, or the first failure. */
static enum error end_with_first(struct pattern_run *run, const struct item_list *list)
{
    const struct result *failure = NULL;

    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].status, "completed") == 0)
            return pattern_end_text(run, list->items[i].answer, NULL);
    for (size_t i = 0; !failure && i < run->result_count; i++)
        if (run->results[i].status == RUN_FAILED)
            failure = &run->results[i];
    return pattern_end_text(run, NULL, failure);
}

/* Resolves names into call requests; unknown and uncallable models have their own status. */
static size_t resolve(struct comparison *comparison, const struct worker_context *worker,
                      struct arena *arena, const char *prompt, const struct string_list *models,
                      bool dry_run, struct call_request *orders, size_t *positions)
{
    size_t resolved = 0;

    for (size_t i = 0; i < models->count; i++) {
        const struct model *model = catalog_resolve(arena, worker->catalog, models->items[i]);
        struct item *item = &comparison->answers.items[i];

        *item = (struct item){.model_id = model ? model->id : models->items[i],
                              .prompt = prompt,
                              .answer = "",
                              .status = "unknown_model"};
        if (!model)
            continue;
        item->status = "no_adapter";
        if (pattern_check_adapter(worker, model, dry_run, NULL))
            continue;
        orders[resolved] =
            (struct call_request){.model = model, .prompt = prompt, .reasoning = true};
        positions[resolved++] = i;
    }
    return resolved;
}

/* Calls a judge that is not one of the compared models, or the first of them if there is no
 * other. */
static enum error analyze_answers(struct comparison *comparison, const char *prompt,
                                  const struct call_request *orders, size_t resolved)
{
    const struct run *run = &comparison->run.task_run.run;
    const struct item_list *list = &comparison->answers;
    const struct model **compared = ARENA_ARRAY(run->arena, const struct model *, resolved);
    const char **answers = ARENA_ARRAY(run->arena, const char *, list->count);
    size_t *numbers = ARENA_ARRAY(run->arena, size_t, list->count), done = 0;
    struct asking asking;
    struct result result;
    enum error error;

    for (size_t i = 0; i < resolved; i++)
        compared[i] = orders[i].model;
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i].status, "completed") != 0)
            continue;
        numbers[done] = i + 1;
        answers[done++] = list->items[i].answer;
    }
    asking = prompt_to_compare(&comparison->run.phrasing, prompt, answers, numbers, done,
                               (size_t)run->worker->settings->judged_answer_chars);
    error = pattern_ask_judge(&comparison->run, compared, resolved, &asking, &comparison->judge,
                              &result);
    if (!error && result.status == RUN_SUCCEEDED)
        comparison->analysis = result.text;
    return error;
}

enum error compare_run(struct comparison *comparison, const struct worker_context *worker,
                       struct arena *arena, struct db *db, const char *prompt,
                       const struct string_list *models, bool analyze, bool dry_run,
                       struct problem *problem)
{
    struct call_request *orders = ARENA_ARRAY(arena, struct call_request, models->count);
    struct result *results = ARENA_ARRAY(arena, struct result, models->count);
    size_t *positions = ARENA_ARRAY(arena, size_t, models->count), resolved;
    struct pattern_request frame = {.route = "compare",
                                    .prompt = prompt,
                                    .reasoning = true,
                                    .dry_run = is_dry_run(worker, dry_run)};
    enum error error;

    comparison->answers = (struct item_list){
        .count = models->count, .items = ARENA_ARRAY(arena, struct item, models->count)};
    resolved = resolve(comparison, worker, arena, prompt, models, frame.dry_run, orders, positions);
    count(&comparison->answers);
    if (!resolved)
        return ERROR_NONE;
    comparison->was_run = true;
    frame.model = orders[0].model->id;
    error = pattern_begin(&comparison->run, worker, arena, db, &frame, problem);
    if (!error)
        error = pattern_dispatch(&comparison->run, orders, resolved, results);
    if (error)
        return error;
    for (size_t i = 0; i < resolved; i++)
        fill_in(&comparison->answers.items[positions[i]], &results[i]);
    count(&comparison->answers);
    if (analyze && comparison->answers.succeeded >= 2)
        error = analyze_answers(comparison, prompt, orders, resolved);
    return error ? error : end_with_first(&comparison->run, &comparison->answers);
}

static enum error take_position(struct debate *debate, const char *topic, const char *position)
{
    struct asking asking;
    enum error error;

    if (position && *position) {
        debate->position = position;
        return ERROR_NONE;
    }
    asking = prompt_for_position(&debate->run.phrasing, topic);
    error = pattern_ask_one(&debate->run, debate->run.model, &asking, &debate->last);
    if (!error && debate->last.status == RUN_SUCCEEDED)
        debate->position = debate->last.text;
    return error;
}

/* A failed call is neither a position nor a critique: it ends the debate. */
enum error debate_run(struct debate *debate, const struct worker_context *worker,
                      struct arena *arena, struct db *db, const char *topic, const char *position,
                      const char *model, bool dry_run, struct problem *problem)
{
    const struct pattern_request frame = {
        .route = "debate", .prompt = topic, .model = model, .dry_run = is_dry_run(worker, dry_run)};
    struct result challenge, defense;
    enum error error = pattern_begin(&debate->run, worker, arena, db, &frame, problem);

    if (!error)
        error = take_position(debate, topic, position);
    if (error)
        return error;
    if (!debate->position)
        return pattern_end(&debate->run, &debate->last);
    error = debate_answer(&debate->run, topic, debate->position, debate->run.model,
                          debate->run.model, &challenge, &defense);
    if (error)
        return error;
    if (challenge.status == RUN_SUCCEEDED)
        debate->challenge = challenge.text;
    if (challenge.status == RUN_SUCCEEDED && defense.status == RUN_SUCCEEDED)
        debate->defense = defense.text;
    debate->last = defense;
    return pattern_end(&debate->run, &debate->last);
}

enum error batch_run(struct batch *batch, const struct worker_context *worker, struct arena *arena,
                     struct db *db, const struct string_list *prompts, const char *model,
                     bool dry_run, struct problem *problem)
{
    struct result *results = ARENA_ARRAY(arena, struct result, prompts->count);
    struct call_request *orders = ARENA_ARRAY(arena, struct call_request, prompts->count);
    struct pattern_request frame = {
        .route = "batch", .model = model, .dry_run = is_dry_run(worker, dry_run)};
    struct text joined;
    enum error error;

    text_start(&joined, arena, PROMPTS_MAX);
    for (size_t i = 0; i < prompts->count; i++)
        text_append_format(&joined, "%s%s", i ? "\n\n" : "", prompts->items[i]);
    frame.prompt = joined.bytes;
    error = pattern_begin(&batch->run, worker, arena, db, &frame, problem);
    for (size_t i = 0; i < prompts->count; i++)
        orders[i] = (struct call_request){.model = batch->run.model, .prompt = prompts->items[i]};
    if (!error)
        error = pattern_dispatch(&batch->run, orders, prompts->count, results);
    if (error)
        return error;
    batch->results = (struct item_list){.count = prompts->count,
                                        .items = ARENA_ARRAY(arena, struct item, prompts->count)};
    for (size_t i = 0; i < prompts->count; i++) {
        batch->results.items[i] =
            (struct item){.model_id = batch->run.model->id, .prompt = prompts->items[i]};
        fill_in(&batch->results.items[i], &results[i]);
    }
    count(&batch->results);
    return end_with_first(&batch->run, &batch->results);
}

/* The requested model, and the first callable model of every other provider. */
static size_t gather(const struct pipeline *pipeline, const char *prompt, bool multi_model,
                     struct call_request *orders)
{
    const struct worker_context *worker = pipeline->run.task_run.run.worker;
    const struct catalog *catalog = worker->catalog;
    bool reasoning = pipeline->treatment.reasoning;
    size_t found = 1;

    orders[0] = (struct call_request){
        .model = pipeline->run.model, .prompt = prompt, .reasoning = reasoning};
    if (!multi_model || pipeline->run.task_run.run.dry_run ||
        pipeline->run.model->backend != BACKEND_API)
        return found;
    for (size_t i = catalog->browser_count; i < catalog->count; i++) {
        const struct model *model = &catalog->models[i];
        bool known = model->embeds || !model_is_callable(worker, model, false);

        for (size_t j = 0; !known && j < found; j++)
            known = strcmp(orders[j].model->provider, model->provider) == 0;
        if (!known)
            orders[found++] =
                (struct call_request){.model = model, .prompt = prompt, .reasoning = reasoning};
    }
    return found;
}

static enum error choose_level(struct pipeline *pipeline, struct arena *arena, const char *prompt,
                               const char *level, struct problem *problem)
{
    int known = name_find(reliability_level_names, level);
    struct complexity complexity = assess_complexity(arena, prompt);

    if (level && *level && known < 0)
        return problem_set(problem, ERROR_INVALID, "run_rejected", "Unknown level: %s", level);
    if (known < 0)
        known = complexity.level == LEVEL_COMPLEX ? RELIABILITY_STANDARD : RELIABILITY_QUICK;
    pipeline->treatment = treatment_of_level((enum reliability_level)known);
    pipeline->task_type = assess_task_type(arena, prompt);
    return ERROR_NONE;
}

static enum error ask_all(struct pipeline *pipeline, const char *prompt, bool multi_model)
{
    struct arena *arena = pipeline->run.task_run.run.arena;
    size_t most = pipeline->run.task_run.run.worker->catalog->count + 1, asked;
    struct call_request *orders = ARENA_ARRAY(arena, struct call_request, most);
    struct result *results = ARENA_ARRAY(arena, struct result, most);
    enum error error;

    asked = gather(pipeline, prompt, multi_model, orders);
    pipeline->models_used.items = ARENA_ARRAY(arena, const char *, asked);
    error = pattern_dispatch(&pipeline->run, orders, asked, results);
    if (error)
        return error;
    pipeline->answer = results[0];
    for (size_t i = asked; i-- > 0;)
        if (results[i].status == RUN_SUCCEEDED)
            pipeline->answer = results[i];
    for (size_t i = 0; i < asked; i++)
        if (results[i].status == RUN_SUCCEEDED)
            pipeline->models_used.items[pipeline->models_used.count++] = results[i].model->id;
    if (pipeline->answer.status != RUN_SUCCEEDED && asked > 1)
        error = pattern_dispatch(&pipeline->run, orders, 1, &pipeline->answer);
    if (!pipeline->models_used.count)
        pipeline->models_used.items[pipeline->models_used.count++] = pipeline->run.model->id;
    return error;
}

enum error pipeline_run(struct pipeline *pipeline, const struct worker_context *worker,
                        struct arena *arena, struct db *db, const char *prompt, const char *model,
                        const char *level, bool multi_model, bool dry_run, struct problem *problem)
{
    struct pattern_request frame = {.route = "pipeline",
                                    .prompt = prompt,
                                    .model = model,
                                    .dry_run = is_dry_run(worker, dry_run)};
    enum error error = choose_level(pipeline, arena, prompt, level, problem);

    if (error)
        return error;
    frame.reasoning = pipeline->treatment.reasoning;
    error = pattern_begin(&pipeline->run, worker, arena, db, &frame, problem);
    if (!error)
        error = ask_all(pipeline, prompt, multi_model);
    if (error)
        return error;
    if (pipeline->answer.status == RUN_SUCCEEDED)
        pipeline->answer_text = pipeline->answer.text;
    return pattern_end(&pipeline->run, &pipeline->answer);
}
