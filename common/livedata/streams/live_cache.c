/* Keys and tags of cached answers, and following what other hosts change. */
#include "livedata/streams/live_cache.h"

#include "livedata/storage/journal.h"

#include <stdio.h>
#include <string.h>

enum { TAG_MAX = 256 };

/* Clocks of hosts differ, and transactions commit after they wrote their time. */
static const int64_t follow_overlap = 5000000;

static void tag_of(const char *tenant, const char *table, char tag[TAG_MAX])
{
    (void)!snprintf(tag, TAG_MAX, "%s %s", tenant, table);
}

void live_cache_changing(struct live_cache *cache, const char *tenant, const char *table)
{
    char tag[TAG_MAX];

    tag_of(tenant, table, tag);
    if (cache->shared)
        shm_cache_changing(cache->shared, tag);
}

void live_cache_changed(struct live_cache *cache, const char *tenant, const char *table,
                        int64_t gen)
{
    char tag[TAG_MAX];

    tag_of(tenant, table, tag);
    if (!cache->shared)
        return;
    shm_cache_changed(cache->shared, tag);
    if (gen)
        shm_cache_know(cache->shared, tag, gen);
}

/* A change of another host, unless it is known. */
static bool follow_one(struct live_cache *cache, const struct generation *generation)
{
    char tag[TAG_MAX];

    tag_of(generation->tenant, generation->table, tag);
    if (shm_cache_knows(cache->shared, tag, generation->gen))
        return false;
    live_cache_changed(cache, generation->tenant, generation->table, generation->gen);
    return true;
}

void live_cache_wake(struct live_cache *cache)
{
    if (cache->shared)
        shm_cache_wake(cache->shared);
}

/* Changes of the last seconds are looked at anew each time: some commit late. */
void live_cache_follow(struct live_cache *cache, const struct storage_call *call)
{
    struct generations changed;
    int64_t mark, newest;
    bool any = false;

    if (!cache->shared || !cache->poll_microseconds ||
        !shm_cache_my_turn(cache->shared, cache->poll_microseconds))
        return;
    mark = shm_cache_mark(cache->shared);
    if (generations_since(call, (mark ? mark : call->now) - follow_overlap, &changed))
        return;
    newest = mark;
    for (size_t i = 0; i < changed.count; i++) {
        any = follow_one(cache, &changed.items[i]) || any;
        if (changed.items[i].last_event_at > newest)
            newest = changed.items[i].last_event_at;
    }
    if (newest > mark)
        shm_cache_set_mark(cache->shared, newest);
    if (any)
        shm_cache_wake(cache->shared);
}

bool live_cache_find(struct live_cache *cache, const struct storage_call *call, const char *key,
                     const char *table, struct shm_cache_ticket *ticket, const char **answer)
{
    char tag[TAG_MAX], bytes[SHM_CACHE_ENTRY_MAX];
    const char *tags[] = {tag};
    size_t length;

    *ticket = (struct shm_cache_ticket){0};
    if (!cache || !cache->shared)
        return false;
    live_cache_follow(cache, call);
    tag_of(call->tenant, table, tag);
    shm_cache_look(cache->shared, tags, 1, ticket);
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
