/* Planning: rules about combinations of options. */
#include "orchestrator/plan/plan.h"

#include "base/text.h"

#include <string.h>

#define REJECT(problem, ...) problem_set((problem), ERROR_INVALID, "plan_rejected", __VA_ARGS__)

const char *plan_default_model(const struct catalog *catalog)
{
    if (catalog->default_model)
        return catalog->default_model;
    return catalog->browser_count ? "claude-sonnet-4-6" : "claude-sonnet-4-6-api";
}

static enum error add_model(struct arena *arena, const struct catalog *catalog, const char *name,
                            struct plan *plan, struct problem *problem)
{
    const struct model *model = catalog_resolve(arena, catalog, name);

    if (!model)
        return REJECT(problem, "Unsupported model: %s", name);
    for (size_t i = 0; i < plan->count; i++)
        if (strcmp(plan->models[i]->id, model->id) == 0)
            return REJECT(problem,
                          "Duplicate model request after canonicalization: '%s' resolves to '%s', "
                          "which is already requested.",
                          name, model->display_name);
    plan->models[plan->count++] = model;
    return ERROR_NONE;
}

static enum error check_reasoning(struct arena *arena, const struct plan *plan,
                                  struct problem *problem)
{
    struct text names;

    text_start(&names, arena, 2000);
    for (size_t i = 0; i < plan->count; i++)
        if (!plan->models[i]->reasoning_capable)
            text_append_format(&names, "%s%s", names.length ? ", " : "",
                               plan->models[i]->display_name);
    if (plan->reasoning && names.length)
        return REJECT(problem, "reasoning=true is not supported for: %s", names.bytes);
    return ERROR_NONE;
}

static enum error check_hint(const struct plan *plan, struct problem *problem)
{
    for (size_t i = 0; plan->adapter_hint != HINT_AUTO && i < plan->count; i++) {
        const char *kind = backend_names[plan->models[i]->backend];
        const char *hint = adapter_hint_names[plan->adapter_hint];

        if (strcmp(kind, hint) != 0)
            return REJECT(problem, "Model '%s' requires backend '%s', but adapter_hint is '%s'.",
                          plan->models[i]->display_name, kind, hint);
    }
    return ERROR_NONE;
}

static int mode_of(const struct plan *plan)
{
    int mode = plan->models[0]->backend == BACKEND_API ? MODE_API : MODE_BROWSER;

    for (size_t i = 1; i < plan->count; i++)
        if (plan->models[i]->backend != plan->models[0]->backend)
            return MODE_MIXED;
    return mode;
}

enum error plan_make(struct arena *arena, const struct catalog *catalog,
                     const struct plan_request *request, struct plan *plan, struct problem *problem)
{
    enum error error = ERROR_NONE;

    *plan =
        (struct plan){.models = ARENA_ARRAY(arena, const struct model *, request->models.count + 1),
                      .adapter_hint = request->adapter_hint,
                      .merge_strategy = request->merge_strategy,
                      .cancel_on_quorum = request->cancel_on_quorum,
                      .reasoning = request->reasoning};
    for (size_t i = 0; !error && i < request->models.count; i++)
        error = add_model(arena, catalog, request->models.items[i], plan, problem);
    if (!error && !request->models.count)
        error =
            add_model(arena, catalog, request->model ? request->model : plan_default_model(catalog),
                      plan, problem);
    if (!error)
        error = check_reasoning(arena, plan, problem);
    if (!error)
        error = check_hint(plan, problem);
    if (error)
        return error;
    plan->quorum = request->quorum < (int64_t)plan->count ? request->quorum : (int64_t)plan->count;
    plan->execution_mode = mode_of(plan);
    if (plan->merge_strategy == MERGE_CONCAT && plan->count > 1 && plan->cancel_on_quorum &&
        plan->quorum < (int64_t)plan->count)
        return REJECT(problem, "merge_strategy='concat' cannot be combined with "
                               "cancel_on_quorum=true unless quorum covers all models.");
    return ERROR_NONE;
}
