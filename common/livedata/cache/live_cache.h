/*
 * The cache of answers of one host, by tenant and table, and what other hosts have changed. Works
 * without a cache too: then every answer is made anew.
 */
#ifndef ASSAY_LIVEDATA_CACHE_LIVE_CACHE_H
#define ASSAY_LIVEDATA_CACHE_LIVE_CACHE_H

#include "livedata/storage_call.h"
#include "shm/cache.h"

/* Hosts that share a PostgreSQL database notify each other on it that something was applied. */
#define LIVE_CHANNEL "livedata_changed"
#define LIVE_REDIS_CHANNEL "live:cache:metrics_invalidate" /* the same over Redis */

struct live_cache {
    struct shm_cache *shared; /* NULL = nothing is kept */
    /* How long after a look at what other hosts have changed answers may be given out; 0 = there
     * are no other hosts. */
    int64_t poll_microseconds;
};

/* A change of a tenant's table: before the commit, and after it with what the first has given.
 * `gen` is its number in the database, 0 when it was not kept. */
int64_t live_cache_changing(struct live_cache *cache, const char *tenant, const char *table);
void live_cache_changed(struct live_cache *cache, const char *tenant, const char *table,
                        int64_t change, int64_t gen);
/* Looks what other hosts have changed, and takes it out of the cache: now, whatever the time of the
 * last look; true when there was anything. live_cache_find() does so when it is time. A failure
 * leaves the last look's age as it is. Outside transactions. */
bool live_cache_follow(struct live_cache *cache, const struct storage_call *call);

/* A reader that has read the tenant's tables without the cache calls this before it answers: after
 * the changes of other hosts that it may have seen, the cache must return nothing older. */
void live_cache_witness(struct live_cache *cache, const struct storage_call *call);

/* An answer by key, and the ticket with which a new one is kept. `table` is what it is made of. */
bool live_cache_find(struct live_cache *cache, const struct storage_call *call, const char *key,
                     const char *table, struct shm_cache_ticket *ticket, const char **answer);
void live_cache_keep(struct live_cache *cache, const char *key,
                     const struct shm_cache_ticket *ticket, double seconds, const char *answer);

#endif
