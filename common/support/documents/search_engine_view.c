/* Views of documents in the search engine. */
#include "support/documents/search_engine_view.h"
#include "db/store.h"
#include "support/documents/search_engine_store.h"

#include <stdlib.h>
#include <string.h>

enum { SNAPSHOTS_MAX = 32, NAME_BYTES = 96 };
#define SNAPSHOT_MEMORY ((size_t)1 << 28)

/* What is known of a tenant's documents at one version. Never changed once it is read, so that a
 * question keeps it while another one reads the next. */
struct snapshot {
    char name[NAME_BYTES];
    struct arena *arena; /* of the members below */
    struct search_documents documents;
    struct opensearch_scope scope;
    struct opensearch_totals totals;
    uint64_t used;
    size_t readers; /* the questions that have it open, and the cache */
};

struct engine_cache {
    struct snapshot *items[SNAPSHOTS_MAX];
    uint64_t clock;
};

struct engine_cache *engine_cache_create(void)
{
    return calloc(1, sizeof(struct engine_cache));
}

static void leave(void *thing)
{
    struct snapshot *snapshot = thing;

    if (--snapshot->readers)
        return;
    arena_destroy(snapshot->arena);
    free(snapshot);
}

void engine_cache_destroy(struct engine_cache *cache)
{
    for (size_t i = 0; cache && i < SNAPSHOTS_MAX; i++)
        if (cache->items[i])
            leave(cache->items[i]);
    free(cache);
}

static struct snapshot **find(struct engine_cache *cache, const char *name)
{
    for (size_t i = 0; i < SNAPSHOTS_MAX; i++)
        if (cache->items[i] && strcmp(cache->items[i]->name, name) == 0)
            return &cache->items[i];
    return NULL;
}

/* In place of the one of that name, or of the one that was used least recently. */
static void keep(struct engine_cache *cache, struct snapshot *snapshot)
{
    struct snapshot **place = find(cache, snapshot->name);

    for (size_t i = 0; i < SNAPSHOTS_MAX && !place; i++)
        place = cache->items[i] ? NULL : &cache->items[i];
    if (!place) {
        place = &cache->items[0];
        for (size_t i = 1; i < SNAPSHOTS_MAX; i++)
            if (cache->items[i]->used < (*place)->used)
                place = &cache->items[i];
    }
    if (*place)
        leave(*place);
    *place = snapshot;
    snapshot->readers++;
}

/* With one reader, the caller. NULL when out of memory. */
static struct snapshot *create(const char *name, const char *tenant)
{
    struct snapshot *snapshot = calloc(1, sizeof *snapshot);

    if (snapshot)
        snapshot->arena = arena_create(SNAPSHOT_MEMORY);
    if (!snapshot || !snapshot->arena) {
        free(snapshot);
        return NULL;
    }
    memcpy(snapshot->name, name, strnlen(name, NAME_BYTES - 1));
    snapshot->scope.tenant = arena_copy_string(snapshot->arena, tenant);
    snapshot->readers = 1;
    return snapshot;
}

static struct integer_list copy_of(struct arena *arena, const struct integer_list *list)
{
    struct integer_list copy = {list->count, ARENA_ARRAY(arena, int64_t, list->count + 1)};

    if (list->count)
        memcpy(copy.items, list->items, list->count * sizeof *copy.items);
    return copy;
}

/* The database first, then the engine: what is deleted there meanwhile was not current. */
static enum error fill(struct snapshot *snapshot, const struct document_call *call,
                       const struct opensearch *server)
{
    struct opensearch_scope *scope = &snapshot->scope;
    struct integer_list hidden;
    enum error error = search_documents_read(call, &snapshot->documents, &hidden);

    if (error)
        return error;
    scope->newest = snapshot->documents.newest;
    scope->gone = copy_of(snapshot->arena, &snapshot->documents.gone);
    scope->hidden = copy_of(snapshot->arena, &hidden);
    if (snapshot->documents.vectors)
        scope->vectors = arena_copy_string(snapshot->arena, snapshot->documents.vectors);
    if (snapshot->documents.missing || !snapshot->documents.chunks)
        return ERROR_NONE;
    db_release_before_wait(call->db);
    return opensearch_read_totals(server, call->arena, scope, &snapshot->totals, call->problem);
}

static enum error explain(struct problem *problem)
{
    const char *why = strrchr(problem->text, ':');
    char text[128];
    size_t length = strlen(why ? why : problem->text);

    length = length < sizeof text ? length : sizeof text - 1;
    memcpy(text, why ? why : problem->text, length);
    text[length] = 0;
    return problem_set(problem, ERROR_UNAVAILABLE, "retrieval_unavailable",
                       "retrieval_unavailable: the search engine%s", text);
}

/* Only errors of the engine are told in its name. */
static enum error tell(enum error error, struct problem *problem)
{
    bool is_engine = error == ERROR_NOT_FOUND || error == ERROR_UNAVAILABLE;

    return error && is_engine ? explain(problem) : error;
}

static enum error read_snapshot(struct engine_cache *cache, const char *name,
                                const struct document_call *call, const struct opensearch *server,
                                struct snapshot **found, bool *complete)
{
    struct snapshot *snapshot = create(name, call->tenant);
    const struct search_documents *documents;
    enum error error;

    if (!snapshot)
        return problem_set(call->problem, ERROR_SYSTEM, "out_of_memory", "no memory for the index");
    documents = &snapshot->documents;
    error = fill(snapshot, call, server);
    *complete = !error && !documents->missing && snapshot->totals.parents == documents->chunks;
    if (*complete) {
        keep(cache, snapshot);
        *found = snapshot;
        return ERROR_NONE;
    }
    leave(snapshot);
    return error;
}

/* What the searches of a question need of its call. */
struct question {
    struct engine_cache *cache;
    const char *name; /* of tenant and reader */
    const struct document_call *call;
    struct opensearch server;
    struct snapshot *snapshot;
};

static void release_database(void *context)
{
    const struct question *question = context;

    db_release_before_wait(question->call->db);
}

static enum error keep_current(void *context, const int64_t *documents, size_t count, bool *current,
                               struct problem *problem)
{
    const struct document_call *call = ((const struct question *)context)->call;
    enum error error = search_documents_current(call, documents, count, current);

    if (error)
        *problem = *call->problem;
    return error;
}

/* `*complete` is false when the engine lacks documents of the tenant. */
static enum error open_snapshot(struct question *question, bool *complete)
{
    struct snapshot **known = find(question->cache, question->name);
    struct snapshot *snapshot = known ? *known : NULL;
    struct arena_guard *guard = arena_guard(question->call->arena, leave);
    int64_t version;
    enum error error = document_kb_version(question->call, &version);

    *complete = true;
    if (error)
        return error;
    if (snapshot && snapshot->documents.version == version)
        snapshot->readers++;
    else
        error = read_snapshot(question->cache, question->name, question->call, &question->server,
                              &snapshot, complete);
    if (error || !*complete)
        return error;
    guard->thing = snapshot;
    snapshot->used = ++question->cache->clock;
    question->snapshot = snapshot;
    return ERROR_NONE;
}

static enum error renew(void *context, const struct opensearch_scope **scope,
                        const struct opensearch_totals **totals, struct problem *problem)
{
    struct question *question = context;
    bool complete;
    enum error error = open_snapshot(question, &complete);

    if (error) {
        *problem = *question->call->problem;
        return error;
    }
    if (!complete)
        return problem_set(problem, ERROR_UNAVAILABLE, "search_unavailable",
                           "the search engine: documents are being replaced");
    *scope = &question->snapshot->scope;
    *totals = &question->snapshot->totals;
    return ERROR_NONE;
}

enum error engine_view_open(struct engine_cache *cache, const char *name,
                            const struct document_call *call,
                            const struct support_settings *settings, struct shm_region *region,
                            struct engine_view *opened)
{
    struct question *question = ARENA_NEW(call->arena, struct question);
    struct opensearch_caller *caller = ARENA_NEW(call->arena, struct opensearch_caller);
    bool complete;
    enum error error;

    *opened = (struct engine_view){.view = NULL};
    *question = (struct question){cache, name, call,
                                  search_engine_server(settings, call->arena, region), NULL};
    *caller = (struct opensearch_caller){release_database, keep_current, renew, question};
    error = open_snapshot(question, &complete);
    if (error || !complete)
        return tell(error, call->problem);
    opened->view = opensearch_view_open(call->arena, &question->server, &question->snapshot->scope,
                                        &question->snapshot->totals, caller);
    opened->version = question->snapshot->documents.version;
    return ERROR_NONE;
}

enum error engine_view_error(const struct opensearch_view *view, struct problem *problem)
{
    return tell(opensearch_view_error(view, problem), problem);
}
