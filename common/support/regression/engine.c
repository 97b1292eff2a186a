/* An answerer outside the service. */
#include "support/regression/engine.h"
#include "support/matching/synonyms.h"

enum error engine_open(struct arena *arena, const struct support_settings *settings,
                       struct regression_tools *tools, struct problem *problem)
{
    struct synonyms *synonyms = ARENA_NEW(arena, struct synonyms);
    enum error error;

    *synonyms = synonyms_read(arena, synonyms_built_in);
    *tools = (struct regression_tools){.arena = arena,
                                       .settings = settings,
                                       .cache = knowledge_cache_create(),
                                       .synonyms = synonyms,
                                       .problem = problem};
    if (!tools->cache)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for the index");
    error = models_open(settings, &tools->models, problem);
    return error == ERROR_INVALID ? ERROR_NONE : error; /* models that are wrong serve no node */
}

void engine_close(struct regression_tools *tools)
{
    if (tools->cache)
        knowledge_cache_destroy(tools->cache);
    if (tools->models)
        models_close(tools->models);
}
