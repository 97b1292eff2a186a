/*
 * Answers that all workers of a host share: a mapped file of fixed size beside the region, in which
 * an entry is valid as long as none of its tags has changed and its time is not over. Tags are
 * names (a tenant's table); who changes what one stands for says so before and after the commit, so
 * that no entry made of older data is given out after a change was seen.
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

/* Opens or makes the file; one of another layout or an earlier boot is replaced. The caller owns
 * *cache until shm_cache_close(). ERROR_SYSTEM shm_cache. */
MUST_CHECK enum error shm_cache_open(const char *path, struct shm_cache **cache,
                                     struct problem *problem);
/* The same without a file, shared with children only: for tests and programs of one process. */
MUST_CHECK enum error shm_cache_open_anonymous(struct shm_cache **cache, struct problem *problem);
void shm_cache_close(struct shm_cache *cache);

/* Before the commit of a change, and after it (also when it was not kept). */
void shm_cache_changing(struct shm_cache *cache, const char *tag);
void shm_cache_changed(struct shm_cache *cache, const char *tag);

/* The number of a change that is stored elsewhere, as far as this host knows: the second tells
 * whether it knows of this one already, so that its own changes are not announced to it once more.
 */
void shm_cache_know(struct shm_cache *cache, const char *tag, int64_t number);
bool shm_cache_knows(struct shm_cache *cache, const char *tag, int64_t number);

/* What the tags were before the data was read; needed to keep what was made of it. */
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

/* A word that everybody can wait for: shm_cache_wait() returns when it is no longer `seen`, or
 * after the time; shm_cache_wake() changes it. */
uint32_t shm_cache_word(const struct shm_cache *cache);
void shm_cache_wait(struct shm_cache *cache, uint32_t seen, int milliseconds);
void shm_cache_wake(struct shm_cache *cache);

/* True for one caller every `microseconds`: what one worker does for all, and how far it got. */
bool shm_cache_my_turn(struct shm_cache *cache, int64_t microseconds);
int64_t shm_cache_mark(const struct shm_cache *cache);
void shm_cache_set_mark(struct shm_cache *cache, int64_t mark);

#endif
