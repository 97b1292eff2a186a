/* The context of a worker for answering. The first question creates the cache and the synonyms. */
#include "support/tools.h"
#include "base/json.h"
#include "support/service.h"

#include <string.h>

enum { SYNONYMS_MEMORY = 1 << 20, JSON_DEPTH = 64 };

/* Of the process: the same for all its questions. */
static struct knowledge_cache *cache;
static struct synonyms synonyms;     /* of the process, as the arena that holds them */
static struct arena *synonyms_arena; /* of the process */

static bool make_tools(void)
{
    if (cache)
        return true;
    if (!synonyms_arena)
        synonyms_arena = arena_create(SYNONYMS_MEMORY);
    cache = synonyms_arena ? knowledge_cache_create() : NULL;
    if (cache)
        synonyms = synonyms_read(synonyms_arena, synonyms_built_in);
    return cache != NULL;
}

/* A right that was withdrawn is withdrawn at once: no replica is asked. */
enum error service_reader(struct request *request, const struct document_reader **reader)
{
    const struct service_caller *caller = request->who.detail;
    const struct string_list nothing = {0};
    struct document_call call = {NULL, request->arena,
                                 request->who.tenant ? request->who.tenant : "default",
                                 &request->problem, NULL};
    enum error error;

    *reader = NULL;
    if (request->who.role >= SUPPORT_ADMIN)
        return ERROR_NONE;
    error = store_database(service_store(request), &call.db, &request->problem);
    if (error)
        return error;
    return document_reader_find(&call, caller ? &caller->groups : &nothing, reader);
}

enum error service_tools(struct request *request, struct service_tools *tools)
{
    struct problem *problem = &request->problem;
    struct arena *arena = request->arena;
    const char *tenant = request->who.tenant ? request->who.tenant : "default";
    const struct document_reader *reader;
    struct db *db;
    enum error error = service_database(request, &db);

    if (error)
        return error;
    if (!make_tools())
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for the index");
    knowledge_cache_share(cache, request->server->region);
    error = service_reader(request, &reader);
    if (error)
        return error;
    tools->documents = (struct document_call){db, arena, tenant, problem, reader};
    tools->conversation = (struct conversation_call){
        db,    arena, tenant, problem, request->who.subject, request->who.role < SUPPORT_AGENT,
        reader};
    tools->traces = (struct trace_call){db, arena, tenant, problem, reader};
    tools->graph = (struct graph_tools){.cache = cache,
                                        .call = &tools->documents,
                                        .settings = service_settings(request),
                                        .synonyms = &synonyms,
                                        .models = service_models(request),
                                        .region = request->server->region};
    return ERROR_NONE;
}

json_t *service_json(const struct request *request, const char *text)
{
    struct json_fault fault;
    json_t *value = NULL;

    if (!text || json_read(request->arena, text, strlen(text), JSON_DEPTH, &value, &fault))
        return NULL;
    return value;
}
