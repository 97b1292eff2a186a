/* Selects models and makes their calls. */
#include "orchestrator/runs/calls.h"

#include "base/schema.h"
#include "base/string_list.h"
#include "orchestrator/plan/plan.h"

#include <string.h>

/* The messages of a call: the service's instruction, then the conversation or the one text. */
static const struct llm_request *request_of(struct arena *arena, const struct asking *asking)
{
    const struct llm_request *conversation = asking->conversation;
    size_t count = conversation ? conversation->message_count : 1, first = asking->system ? 1 : 0;
    struct llm_message *messages = ARENA_ARRAY(arena, struct llm_message, count + first);
    struct llm_request *request = ARENA_NEW(arena, struct llm_request);

    *request = conversation ? *conversation : (struct llm_request){0};
    if (asking->system)
        messages[0] = (struct llm_message){.role = "system", .content = asking->system};
    if (conversation)
        memcpy(messages + first, conversation->messages, count * sizeof *messages);
    else
        messages[first] = (struct llm_message){.role = "user", .content = asking->user};
    request->messages = messages;
    request->message_count = count + first;
    return request;
}

struct call_request call_of(struct arena *arena, const struct model *model,
                            const struct asking *asking, bool reasoning)
{
    struct call_request wanted = {
        .model = model, .prompt = asking_as_text(arena, asking), .reasoning = reasoning};

    if (asking->system || asking->conversation)
        wanted.request = request_of(arena, asking);
    return wanted;
}

void result_require_text(struct arena *arena, struct result *result)
{
    if (result->status != RUN_SUCCEEDED || (result->text && *result->text))
        return;
    result->status = RUN_FAILED;
    result->failure_code = FAILURE_UNKNOWN;
    result->failure_message =
        arena_print(arena, "The model ended without any text (finish reason: %s).",
                    result->finish ? result->finish : "none");
    result->text = NULL;
}

static bool has_browser(const struct orchestrator_settings *settings)
{
    return settings->profile == PROFILE_HYBRID && settings->browser_enabled &&
           settings->browser_driver != BROWSER_NULL && settings->browser_profile_dir;
}

/* The unset setting for the key of a model; NULL when nothing is missing. */
static const char *missing_key(const struct worker_context *worker, const struct model *model)
{
    if (model->own)
        return model->missing_key;
    if (strcmp(model->provider, "anthropic") == 0)
        return worker->settings->anthropic.api_key ? NULL : "ORCH_ANTHROPIC_API_KEY";
    return worker->settings->openai.api_key ? NULL : "ORCH_OPENAI_API_KEY";
}

bool model_is_callable(const struct worker_context *worker, const struct model *model, bool dry_run)
{
    if (dry_run)
        return true;
    return model->backend == BACKEND_BROWSER ? has_browser(worker->settings)
                                             : !missing_key(worker, model) && !model->key_is_lost;
}

const char *model_why_not_callable(struct arena *arena, const struct worker_context *worker,
                                   const struct model *model, bool dry_run)
{
    if (model_is_callable(worker, model, dry_run))
        return NULL;
    if (model->key_is_lost)
        return "Its key was stored under another ORCH_SECRETS_KEY; enter it again.";
    return model->backend == BACKEND_BROWSER
               ? "The browser is not set up."
               : arena_print(arena, "%s is not set.", missing_key(worker, model));
}

static bool may_answer(const struct worker_context *worker, const struct model *model, bool dry_run)
{
    return !model->embeds && model_is_callable(worker, model, dry_run);
}

const char *model_choose_default(const struct worker_context *worker, bool dry_run)
{
    const struct catalog *catalog = worker->catalog;
    const char *const usual[] = {plan_default_model(catalog), "claude-sonnet-4-6-api"};

    for (size_t i = 0; i < COUNT_OF(usual); i++) {
        const struct model *model = catalog_find(catalog, usual[i]);

        if (model && may_answer(worker, model, dry_run))
            return model->id;
    }
    for (size_t i = 0; i < catalog->count; i++)
        if (may_answer(worker, &catalog->models[i], dry_run))
            return catalog->models[i].id;
    return usual[0];
}

static bool stands_in(const struct model *a, const struct model *b)
{
    return a->fallback_model_id && strcmp(a->fallback_model_id, b->id) == 0;
}

bool model_is_same(const struct model *a, const struct model *b)
{
    return strcmp(a->id, b->id) == 0 || stands_in(a, b) || stands_in(b, a);
}

static bool has_model(const struct model *const *models, size_t count, const struct model *model)
{
    for (size_t i = 0; i < count; i++)
        if (model_is_same(models[i], model))
            return true;
    return false;
}

static bool has_provider(const struct model *const *models, size_t count, const char *provider)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(models[i]->provider, provider) == 0)
            return true;
    return false;
}

/* The remaining candidates, from the largest difference to the smallest. */
enum { OTHER_PROVIDERS, SAME_BACKEND, ALL_OTHERS, CHOICES };

size_t models_choose(const struct worker_context *worker, const struct model *first, size_t wanted,
                     bool reasoning, bool dry_run, const struct model **models)
{
    const struct catalog *catalog = worker->catalog;
    size_t count = 1;

    models[0] = first;
    if (wanted > CALLED_MODELS_MAX)
        wanted = CALLED_MODELS_MAX;
    for (int choice = 0; choice < CHOICES; choice++) {
        for (size_t i = 0; i < catalog->count && count < wanted; i++) {
            const struct model *model = &catalog->models[i];

            if ((reasoning && !model->reasoning_capable) || has_model(models, count, model) ||
                !may_answer(worker, model, dry_run) ||
                (choice == OTHER_PROVIDERS && has_provider(models, count, model->provider)) ||
                (choice != ALL_OTHERS && model->backend != first->backend))
                continue;
            models[count++] = model;
        }
    }
    return count;
}

const struct model *model_choose_judge(const struct worker_context *worker,
                                       const struct model *const *judged, size_t count,
                                       bool dry_run)
{
    const struct catalog *catalog = worker->catalog;

    for (int backend = BACKEND_API; backend >= BACKEND_BROWSER; backend--)
        for (size_t i = 0; i < catalog->count; i++)
            if ((int)catalog->models[i].backend == backend &&
                may_answer(worker, &catalog->models[i], dry_run) &&
                !has_model(judged, count, &catalog->models[i]))
                return &catalog->models[i];
    return NULL;
}

struct string_list model_ids(struct arena *arena, const struct model *const *models, size_t count)
{
    struct string_list list = {.items = ARENA_ARRAY(arena, const char *, count + 1)};

    for (size_t i = 0; i < count; i++)
        if (!string_list_has(&list, models[i]->id))
            list.items[list.count++] = models[i]->id;
    return list;
}
