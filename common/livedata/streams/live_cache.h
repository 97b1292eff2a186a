/*
 * The cache of answers of one host, by tenant and table, and what other hosts have changed. Works
 * without a cache too: then every answer is made anew.
 */
#ifndef ASSAY_LIVEDATA_STREAMS_LIVE_CACHE_H
#define ASSAY_LIVEDATA_STREAMS_LIVE_CACHE_H

#include "livedata/storage/rows.h"
#include "shm/cache.h"

struct live_cache {
    struct shm_cache *shared;  /* NULL = nothing is kept */
    int64_t poll_microseconds; /* how often to look for changes of other hosts; 0 = never */
};

/* A change of a tenant's table, before the commit and after it; `gen` is its number in the
 * database, 0 when it was not kept. */
void live_cache_changing(struct live_cache *cache, const char *tenant, const char *table);
void live_cache_changed(struct live_cache *cache, const char *tenant, const char *table,
                        int64_t gen);
/* Wakes those who wait for events. */
void live_cache_wake(struct live_cache *cache);

/* Looks whether other hosts have changed anything, when it is time; failures are left to the next
 * look. Outside transactions. */
void live_cache_follow(struct live_cache *cache, const struct storage_call *call);

/* An answer by key, and the ticket with which a new one is kept. `table` is what it is made of. */
bool live_cache_find(struct live_cache *cache, const struct storage_call *call, const char *key,
                     const char *table, struct shm_cache_ticket *ticket, const char **answer);
void live_cache_keep(struct live_cache *cache, const char *key,
                     const struct shm_cache_ticket *ticket, double seconds, const char *answer);

#endif
