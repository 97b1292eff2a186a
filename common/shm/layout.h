/*
 * Private to common/shm: the layout of the mapped file. It holds indices, never pointers. Zero
 * always means "unused", so that a new file needs only its header and its locks. Every value read
 * from the file is checked before it is used as an index or a bound.
 *
 * Raise SHM_LAYOUT_VERSION with every change of meaning; a change of size is detected
 * automatically.
 */
#ifndef ASSAY_SHM_LAYOUT_H
#define ASSAY_SHM_LAYOUT_H

#include "crypto/digest.h"
#include "shm/admission.h"
#include "shm/breaker.h"
#include "shm/lock.h"
#include "shm/rate.h"
#include "shm/region.h"
#include "shm/semaphore.h"
#include "shm/watch.h"

#include <stdatomic.h>
#include <sys/types.h>

#define SHM_LAYOUT_VERSION 14
#define SHM_MAGIC "ASSAYSHM"
#define MICROSECONDS INT64_C(1000000) /* per second */

enum { SHM_CACHE_LINE = 64, SHM_PAGE = 4096, SHM_BOOT_ID_TEXT = 40 };

struct region_header {
    char magic[8];
    uint32_t layout_version;
    uint32_t caller_version;
    uint64_t size;
    char boot_id[SHM_BOOT_ID_TEXT];
    int64_t created_at;
    int64_t damaged_at; /* when a damaged file was found at this path; 0 = never */
    unsigned char rate_secret[DIGEST_SHORT_KEY_BYTES];
    struct shm_lock join_lock; /* of watch.c */
};

/* The counters of admission.c. */
struct admission_counts {
    _Atomic uint64_t heavy_peak, cheap_peak, cost_peak;
    _Atomic uint64_t rejected_by[ADMISSION_OUTCOME__MAX];
};

/* Closed while `open_until` is 0. A probe is in flight while `probe` is not 0; `probe` is set
 * last. */
struct breaker_cell {
    char name[BREAKER_NAME_MAX];
    uint32_t term;      /* generation of the name in this cell; older permits are ignored */
    uint32_t failures;  /* in a row */
    uint32_t probe;     /* generation of the permit */
    int64_t open_until; /* microseconds of the region's clock, as the next ones */
    int64_t asked_at;
    int64_t probe_until;
    uint64_t probe_started; /* start time of its process, clock ticks since boot */
    pid_t probe_pid;
    uint64_t opens, refusals; /* since the name has this cell */
    int64_t opened_at;        /* of the region's clock, as the next ones; 0 = not open */
    int64_t failed_at;        /* the last of `failures` */
    int64_t reset_at;         /* by breaker_reset() on this host; 0 = never */
    int64_t deaf_until;       /* after a reset: what others say is from before it */
    uint32_t is_own;          /* as the rule of the last call says */
    uint32_t is_heard;        /* it is open because another host said so */
    uint32_t others;          /* failures in a row on other hosts, as it was heard at: */
    int64_t heard_at;
    struct breaker_failure last;
};

struct breaker_table {
    struct shm_lock lock;
    uint32_t generation;
    uint32_t count; /* cells in use; raised last */
    struct breaker_cell cells[BREAKERS_MAX];
};

/* In use while `holder` is not 0; `holder` is set last and cleared first. The links are indices
 * from 1; they and the sums of a group follow from the other members and are rebuilt from them. */
struct semaphore_cell {
    _Atomic uint32_t holder; /* generation of the ticket */
    uint32_t granted;        /* 0 = waiting */
    uint32_t next, previous; /* in the queue of its group; `next` also among the free cells */
    uint32_t group;          /* 0 = in none */
    uint64_t order;          /* order of arrival */
    uint64_t started;        /* start time of the process, clock ticks since boot */
    pid_t pid;
    uint32_t class, cost;
    char name[SEMAPHORE_NAME_MAX];
};

/* The tickets of a name. In use while it has any. */
struct semaphore_group {
    uint32_t next; /* with the same hash, or among the free groups */
    uint32_t held[SEMAPHORE_CLASSES], waiting;
    uint64_t cost;        /* of those that are held */
    uint32_t first, last; /* of those that wait */
    char name[SEMAPHORE_NAME_MAX];
};

enum { SEMAPHORE_BUCKETS = 1024 };

struct semaphore_table {
    struct shm_lock lock;
    _Atomic uint32_t releases; /* waiters sleep on this number (futex) */
    _Atomic uint32_t waiters;  /* too high if a waiter died */
    _Atomic uint32_t stale;    /* a ticket was released without the lock: rebuild first */
    uint32_t generation;
    uint32_t touched, groups_touched; /* cells and groups from here on were never used */
    uint32_t free_cell, free_group;
    uint64_t order;
    uint64_t reclaimed;
    int64_t owners_due_at; /* for the next check; CLOCK_MONOTONIC, microseconds */
    uint32_t buckets[SEMAPHORE_BUCKETS];
    struct semaphore_group groups[SEMAPHORE_NAMES_MAX];
    uint32_t sorted[SEMAPHORE_TICKETS_MAX]; /* while the queues are rebuilt */
    struct semaphore_cell cells[SEMAPHORE_TICKETS_MAX];
};

/* Free while its process is gone. */
struct watched {
    _Atomic int64_t deadline; /* CLOCK_MONOTONIC, microseconds; 0 = at no request */
    uint64_t started;         /* start time of the process, clock ticks since boot */
    pid_t pid;
};

enum rate_kind { RATE_FREE, RATE_WINDOW, RATE_BUCKET };

/* What a key has used: one cache line. Every combination of values is a valid state, so that a
 * worker may be killed between any two stores. The order of the stores in rate.c makes the limit of
 * such a key stricter for one window, never looser. */
struct rate_cell {
    unsigned char digest[DIGEST_SHORT_BYTES];
    int64_t used;    /* time of the latest call, admitted or not */
    int64_t newest;  /* time of the latest recorded call; of a bucket: when `debt` was computed */
    uint32_t window; /* seconds after `newest` until the counts of the key expire */
    uint32_t kind;   /* enum rate_kind; set last, cleared first */
    int64_t start;   /* of the current window */
    union {
        struct {
            uint32_t earlier, current; /* calls of the window before, and of this one */
        };
        int64_t debt; /* of a bucket: tokens taken and not yet refilled, 60e6 to the token */
    };
    int64_t unused;
};

enum {
    RATE_SHARDS = 8,
    RATE_SET_CELLS = 16, /* a key may occupy any cell of one set */
    RATE_SHARD_SETS = RATE_KEYS_MAX / RATE_SHARDS / RATE_SET_CELLS
};

_Static_assert(sizeof(struct rate_cell) == SHM_CACHE_LINE, "a key fills a cache line");

struct rate_set {
    struct rate_cell cells[RATE_SET_CELLS];
};

struct rate_shard {
    _Alignas(SHM_PAGE) struct shm_lock lock;
    uint64_t keys, evicted;
    _Atomic uint64_t unchecked;
    _Alignas(SHM_CACHE_LINE) struct rate_set sets[RATE_SHARD_SETS];
};

struct region_layout {
    struct region_header header;
    _Atomic int64_t numbers[SHM_NUMBERS_MAX];
    _Alignas(SHM_PAGE) struct admission_counts admission;
    _Alignas(SHM_CACHE_LINE) struct breaker_table breakers;
    _Alignas(SHM_PAGE) struct semaphore_table semaphores;
    _Alignas(SHM_CACHE_LINE) struct shm_lock write_lock; /* guards no data in this file */
    _Alignas(SHM_CACHE_LINE) struct watched watched[WATCHED_MAX];
    struct rate_shard rate_shards[RATE_SHARDS];
};

/* A worker's handle of the region. */
struct shm_region {
    struct region_layout *layout;
    int64_t (*now)(void); /* microseconds */
    void *attached;       /* of a module above; NULL = nothing */
    char *path;           /* NULL without a file */
    dev_t device;         /* identify the mapped file */
    ino_t inode;
};

/* Aborts if the index is out of range, which the caller's enum should prevent. */
void shm_check_index(const char *what, unsigned index, unsigned limit);

#endif
