/* Keys and tags of cached answers, and polling for changes of other hosts. */
#include "livedata/cache/live_cache.h"

#include "base/clock.h"
#include "livedata/journal/journal.h"

#include <stdio.h>
#include <string.h>

enum { TAG_MAX = 256 };

static void tag_of(const char *tenant, const char *table, char tag[TAG_MAX])
{
    (void)!snprintf(tag, TAG_MAX, "%s %s", tenant, table);
}

int64_t live_cache_changing(struct live_cache *cache, const char *tenant, const char *table)
{
    char tag[TAG_MAX];

    tag_of(tenant, table, tag);
    return cache->shared ? shm_cache_changing(cache->shared, tag) : 0;
}

void live_cache_changed(struct live_cache *cache, const char *tenant, const char *table,
                        int64_t change, int64_t gen)
{
    char tag[TAG_MAX];

    tag_of(tenant, table, tag);
    if (!cache->shared)
        return;
    shm_cache_changed(cache->shared, tag, change);
    if (gen)
        shm_cache_know(cache->shared, tag, gen);
}

/* Records a change of another host, unless it is known. */
static bool follow_one(struct live_cache *cache, const struct generation *generation)
{
    char tag[TAG_MAX];

    tag_of(generation->tenant, generation->table, tag);
    if (shm_cache_knows(cache->shared, tag, generation->gen))
        return false;
    live_cache_changed(cache, generation->tenant, generation->table, 0, generation->gen);
    return true;
}

/* From here on no change is missed; the current state was read after this point. */
static enum error begin_to_follow(struct live_cache *cache, const struct storage_call *call,
                                  int64_t began)
{
    int64_t newest;
    enum error error = generations_newest(call, &newest);

    if (error)
        return error;
    shm_cache_set_looked(cache->shared, 0, 0);
    shm_cache_forget(cache->shared);
    shm_cache_set_looked(cache->shared, newest + 1, began);
    return ERROR_NONE;
}

/* Every poll reads the rows of the last seen number again. If they are missing, this is another
 * database, or an older state of it. */
static enum error follow_from(struct live_cache *cache, const struct storage_call *call,
                              int64_t mark, bool *any, int64_t *reached)
{
    struct generation last = {.tenant = "", .table = "", .seq = mark};
    struct generations changed;
    bool seen = false;
    enum error error;

    do {
        error = generations_after(call, &last, &changed);
        for (size_t i = 0; !error && i < changed.count; i++) {
            *any = follow_one(cache, &changed.items[i]) || *any;
            last = changed.items[i];
            seen = true;
        }
    } while (!error && changed.more);
    *reached = !mark || seen ? last.seq : -1;
    return error;
}

bool live_cache_follow(struct live_cache *cache, const struct storage_call *call)
{
    struct problem problem = {0};
    struct storage_call own = *call;
    int64_t began = clock_monotonic_microseconds(), mark, reached;
    bool any = false;
    enum error error;

    if (!cache->shared || !cache->poll_microseconds)
        return false;
    own.problem = &problem;
    mark = shm_cache_mark(cache->shared);
    if (!mark)
        return begin_to_follow(cache, &own, began) == ERROR_NONE;
    error = follow_from(cache, &own, mark - 1, &any, &reached);
    if (!error && reached < 0)
        return begin_to_follow(cache, &own, began) == ERROR_NONE;
    if (!error)
        shm_cache_set_looked(cache->shared, reached + 1, began);
    return any;
}

/* Cached answers are valid until poll_microseconds after a poll. After half of that time one worker
 * polls for all; at the end every reader polls, and gets no cached answers if the poll fails. */
static bool is_current(struct live_cache *cache, const struct storage_call *call)
{
    int64_t age, most = cache->poll_microseconds;

    if (!most)
        return true;
    age = shm_cache_looked(cache->shared);
    if (age >= most || (age >= most / 2 && shm_cache_my_turn(cache->shared, most / 2)))
        (void)live_cache_follow(cache, call);
    return shm_cache_looked(cache->shared) < most;
}

void live_cache_witness(struct live_cache *cache, const struct storage_call *call)
{
    struct problem problem = {0};
    struct storage_call own = *call;
    struct generations seen;

    if (!cache->shared || !cache->poll_microseconds)
        return;
    own.problem = &problem;
    if (generations_of_tenant(&own, &seen)) {
        shm_cache_forget(cache->shared);
        return;
    }
    for (size_t i = 0; i < seen.count; i++)
        (void)follow_one(cache, &seen.items[i]);
}

bool live_cache_find(struct live_cache *cache, const struct storage_call *call, const char *key,
                     const char *table, struct shm_cache_ticket *ticket, const char **answer)
{
    const struct string_list tables = {1, (const char *[]){table}};

    return live_cache_find_of(cache, call, key, &tables, ticket, answer);
}

bool live_cache_find_of(struct live_cache *cache, const struct storage_call *call, const char *key,
                        const struct string_list *tables, struct shm_cache_ticket *ticket,
                        const char **answer)
{
    char names[SHM_CACHE_TAGS_MAX][TAG_MAX], bytes[SHM_CACHE_ENTRY_MAX];
    const char *tags[SHM_CACHE_TAGS_MAX];
    size_t length;

    *ticket = (struct shm_cache_ticket){0};
    if (!cache || !cache->shared || tables->count > SHM_CACHE_TAGS_MAX)
        return false;
    if (!is_current(cache, call))
        return false;
    for (size_t i = 0; i < tables->count; i++) {
        tag_of(call->tenant, tables->items[i], names[i]);
        tags[i] = names[i];
    }
    shm_cache_look(cache->shared, tags, tables->count, ticket);
    if (!shm_cache_get(cache->shared, key, ticket, bytes, &length))
        return false;
    *answer = arena_copy(call->arena, bytes, length);
    return true;
}

void live_cache_keep(struct live_cache *cache, const char *key,
                     const struct shm_cache_ticket *ticket, double seconds, const char *answer)
{
    if (cache && cache->shared)
        shm_cache_put(cache->shared, key, ticket, (int64_t)(seconds * 1e6), answer, strlen(answer));
}
