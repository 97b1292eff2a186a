/* Streams the text of one model, or of the fallback models that continue it. */
#include "orchestrator/runs/chat.h"

#include "orchestrator/runs/calls.h"
#include "orchestrator/runs/orchestrate.h"

#include <string.h>

enum { TEXT_MAX = 64 << 20, MODELS_MAX = 16 };

static bool take_delta(const struct llm_delta *delta, void *context)
{
    struct chat *chat = context;

    if (delta->kind == LLM_DELTA_TOOL_CALL || delta->choice > 0)
        chat->cannot_be_continued = true;
    else if (delta->kind == LLM_DELTA_TEXT)
        text_append(&chat->so_far, delta->text, delta->length);
    return chat->wanted->on_delta(chat, delta, chat->wanted->context);
}

/* The conversation with the received part of the answer, for the next model to continue. */
static const struct llm_request *continued(const struct phrasing *phrasing,
                                           const struct llm_request *request, const char *so_far)
{
    struct arena *arena = phrasing->arena;
    struct llm_request *next = ARENA_NEW(arena, struct llm_request);
    struct llm_message *messages =
        ARENA_ARRAY(arena, struct llm_message, request->message_count + 2);

    memcpy(messages, request->messages, request->message_count * sizeof *messages);
    messages[request->message_count] = (struct llm_message){.role = "assistant", .content = so_far};
    messages[request->message_count + 1] =
        (struct llm_message){.role = "user", .content = message_to_continue(phrasing)};
    *next = *request;
    next->messages = messages;
    next->message_count = request->message_count + 2;
    return next;
}

static enum error ask(struct chat *chat, const char *prompt)
{
    struct run *run = &chat->task_run.run;
    const struct chat_request *wanted = chat->wanted;
    struct phrasing phrasing;
    struct asking asking;
    struct call_request call = {.model = chat->model,
                                .prompt = prompt,
                                .request = wanted->request,
                                .reasoning = wanted->plan.reasoning,
                                .on_delta = wanted->on_delta ? take_delta : NULL,
                                .context = chat};

    if (chat->so_far.length) {
        phrasing = phrasing_of(run->arena, prompt);
        asking = prompt_to_continue(&phrasing, prompt, chat->so_far.bytes);
        call.prompt = asking_as_text(run->arena, &asking);
        if (wanted->request)
            call.request = continued(&phrasing, wanted->request, chat->so_far.bytes);
        else
            call.request = call_of(run->arena, chat->model, &asking, false).request;
    }
    return dispatch_one(run, &call, &chat->result);
}

/* The models that may answer, in order. Fallbacks must support the whole conversation in their
 * protocol. */
static size_t list_models(const struct chat *chat, const struct model *models[MODELS_MAX])
{
    const struct run *run = &chat->task_run.run;
    const struct plan *plan = &chat->plan;
    const struct llm_request *request = chat->wanted->request;
    const struct string_list *more = &run->worker->settings->stream_fallback_models;
    size_t count = 0;

    for (size_t i = 0; i < plan->count && count < MODELS_MAX; i++)
        models[count++] = plan->models[i];
    for (size_t i = 0; i < more->count && count < MODELS_MAX; i++) {
        const struct model *model =
            catalog_resolve(run->arena, run->worker->catalog, more->items[i]);
        bool known =
            !model || (request && llm_find_unsupported(run->arena, model_protocol(model), request));

        for (size_t j = 0; !known && j < count; j++)
            known = strcmp(models[j]->id, model->id) == 0;
        if (!known)
            models[count++] = model;
    }
    return count;
}

static bool can_be_continued(const struct chat *chat)
{
    int code = chat->result.failure_code;

    return chat->result.status == RUN_FAILED && !chat->result.was_rejected &&
           !chat->task_run.run.was_cancelled && !chat->cannot_be_continued &&
           (code == FAILURE_PROVIDER_UNAVAILABLE || code == FAILURE_TIMEOUT ||
            code == FAILURE_UNKNOWN || code == FAILURE_AUTH) &&
           run_seconds_left(&chat->task_run.run) > 0;
}

static enum error speak(struct chat *chat, const char *prompt)
{
    const struct model *models[MODELS_MAX];
    size_t count = list_models(chat, models);
    enum error error = ERROR_NONE;

    for (size_t i = 0; i < count; i++) {
        chat->model = models[i];
        error = ask(chat, prompt);
        if (error || i + 1 == count || !can_be_continued(chat))
            break;
        chat->splices++;
        if (chat->wanted->on_splice)
            chat->wanted->on_splice(chat, &chat->result, models[i + 1], chat->wanted->context);
    }
    if (chat->so_far.length)
        chat->result.text = chat->so_far.bytes;
    return error;
}

/* By a kept answer, or by the models. */
static enum error answer_with(struct chat *chat, const char *prompt)
{
    if (!chat->wanted->kept)
        return speak(chat, prompt);
    chat->result = chat->wanted->kept->result;
    kept_answer_use(&chat->task_run.run, chat->wanted->kept);
    return ERROR_NONE;
}

enum error chat_run(struct chat *chat, const struct worker_context *worker, struct arena *arena,
                    struct db *db, const struct chat_request *wanted, struct problem *problem)
{
    struct task_request task = {.prompt = wanted->prompt,
                                .session_id = wanted->session_id,
                                .metadata = wanted->metadata,
                                .route = wanted->route,
                                .dry_run = wanted->dry_run,
                                .plan = &chat->plan};
    enum error error;

    *chat = (struct chat){.wanted = wanted};
    text_start(&chat->so_far, arena, TEXT_MAX);
    error = plan_make(arena, worker->catalog, &wanted->plan, &chat->plan, problem);
    if (error)
        return error;
    chat->plan.quorum = 1;
    chat->model = chat->plan.models[0];
    error = task_run_begin(&chat->task_run, worker, arena, db, &task, wanted->tells_late, problem);
    if (error)
        return error;
    chat->task_run.run.watch = wanted->watch;
    chat->task_run.task.model_count = 1;
    if (wanted->on_accepted)
        wanted->on_accepted(chat, wanted->context);
    error =
        answer_with(chat, session_prompt(worker, arena, db, wanted->session_id, wanted->prompt));
    if (error)
        return error;
    aggregate(&chat->task_run.run, &chat->result, 1, 1, MERGE_FIRST_SUCCESS, &chat->outcome);
    if (chat->outcome.winning_step)
        chat->outcome.winning_step = (int64_t)chat->task_run.run.steps.count;
    return task_run_end(&chat->task_run, &chat->outcome);
}
