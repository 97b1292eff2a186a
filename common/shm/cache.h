/*
 * Answers that all workers of a host share: a mapped file of fixed size beside the region, in which
 * an entry is valid as long as none of its tags has changed and it has not expired. Tags are names
 * (a tenant's table). A writer announces a change of a tag before and after its commit, so that no
 * entry made of older data is returned after a reader has seen the change.
 *
 * Workers may be killed at any instruction: an entry that was being written is never read, and a
 * change whose writer died counts as going on for some seconds. Entries may vanish at any time.
 */
#ifndef ASSAY_SHM_CACHE_H
#define ASSAY_SHM_CACHE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SHM_CACHE_TAGS_MAX = 4,    /* of one entry */
    SHM_CACHE_ENTRY_MAX = 3968 /* bytes of an answer; larger ones are not kept */
};

struct shm_cache;

/* Opens or makes the file; a file of another layout or an earlier boot is replaced. The caller owns
 * *cache until shm_cache_close(). ERROR_SYSTEM shm_cache. */
MUST_CHECK enum error shm_cache_open(const char *path, struct shm_cache **cache,
                                     struct problem *problem);
/* The same without a file, shared with child processes only: for tests and programs of one
 * process. */
MUST_CHECK enum error shm_cache_open_anonymous(struct shm_cache **cache, struct problem *problem);
void shm_cache_close(struct shm_cache *cache);

/* A writer calls the first before it commits a change, and the second afterwards, also after a
 * rollback, with the value that the first returned. 0 = a change of another host, committed
 * already.
 */
int64_t shm_cache_changing(struct shm_cache *cache, const char *tag);
void shm_cache_changed(struct shm_cache *cache, const char *tag, int64_t change);

/* The number of a change that is stored elsewhere, as far as this host knows. The second returns
 * whether this host knows of the change already, so that it skips announcements of its own
 * changes. */
void shm_cache_know(struct shm_cache *cache, const char *tag, int64_t number);
bool shm_cache_knows(struct shm_cache *cache, const char *tag, int64_t number);

/* The generations of the tags before the data is read; shm_cache_put() needs them. */
struct shm_cache_ticket {
    size_t count;
    uint64_t slots[SHM_CACHE_TAGS_MAX];
    uint64_t generations[SHM_CACHE_TAGS_MAX];
    bool usable; /* none of them was changing */
};
void shm_cache_look(struct shm_cache *cache, const char *const *tags, size_t count,
                    struct shm_cache_ticket *ticket);

/* Copies the entry of `key` into `bytes` (SHM_CACHE_ENTRY_MAX) when it is valid. */
bool shm_cache_get(struct shm_cache *cache, const char *key, const struct shm_cache_ticket *ticket,
                   char *bytes, size_t *length);
void shm_cache_put(struct shm_cache *cache, const char *key, const struct shm_cache_ticket *ticket,
                   int64_t ttl_microseconds, const char *bytes, size_t length);

/* Invalidates all entries. */
void shm_cache_forget(struct shm_cache *cache);

/* True for one caller in every `microseconds`: for work that one worker does for all. */
bool shm_cache_my_turn(struct shm_cache *cache, int64_t microseconds);
/* Up to which mark the changes of other hosts were polled (0 = not yet), and how many microseconds
 * ago the last poll began (INT64_MAX = there was none). The third sets the mark and the time at
 * which the poll began; neither falls, except that a mark of 0 is stored. */
int64_t shm_cache_mark(const struct shm_cache *cache);
int64_t shm_cache_looked(const struct shm_cache *cache);
void shm_cache_set_looked(struct shm_cache *cache, int64_t mark, int64_t began);

#endif
