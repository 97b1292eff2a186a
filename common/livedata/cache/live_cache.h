/*
 * The answer cache of one host, by tenant and table, with invalidation by other hosts' changes.
 * Without a cache every answer is computed.
 */
#ifndef ASSAY_LIVEDATA_CACHE_LIVE_CACHE_H
#define ASSAY_LIVEDATA_CACHE_LIVE_CACHE_H

#include "base/optional.h"
#include "livedata/storage_call.h"
#include "shm/cache.h"

/* Notification channel in the shared PostgreSQL database: an event was applied. */
#define LIVE_CHANNEL "livedata_changed"
#define LIVE_REDIS_CHANNEL "live:cache:metrics_invalidate" /* the same over Redis */

struct live_cache {
    struct shm_cache *shared; /* NULL = no cache */
    /* How long after a poll for changes of other hosts cached answers are valid; 0 = there are no
     * other hosts. */
    int64_t poll_microseconds;
};

/* A change of a tenant's table: call the first function before the commit, the second after it with
 * the first one's result. `gen` is its number in the database, 0 when it was not committed. */
int64_t live_cache_changing(struct live_cache *cache, const char *tenant, const char *table);
void live_cache_changed(struct live_cache *cache, const char *tenant, const char *table,
                        int64_t change, int64_t gen);
/* Polls for changes of other hosts and removes them from the cache, regardless of the last poll's
 * time; true when there were any. live_cache_find() polls when it is due. A failure does not renew
 * the last poll's time. Outside transactions. */
bool live_cache_follow(struct live_cache *cache, const struct storage_call *call);

/* A reader that bypassed the cache calls this before it answers. It may have seen changes of other
 * hosts; afterwards the cache must not return older data. */
void live_cache_witness(struct live_cache *cache, const struct storage_call *call);

/* Finds an answer by key; returns a ticket for storing a new one. `table` is its source. */
bool live_cache_find(struct live_cache *cache, const struct storage_call *call, const char *key,
                     const char *table, struct shm_cache_ticket *ticket, const char **answer);
/* Of several sources; with more than SHM_CACHE_TAGS_MAX nothing is found or stored. */
bool live_cache_find_of(struct live_cache *cache, const struct storage_call *call, const char *key,
                        const struct string_list *tables, struct shm_cache_ticket *ticket,
                        const char **answer);
void live_cache_keep(struct live_cache *cache, const char *key,
                     const struct shm_cache_ticket *ticket, double seconds, const char *answer);

#endif
