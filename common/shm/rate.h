/*
 * Rate limits: an exact sliding-window log per key, shared by all workers of the host. A call is
 * admitted when fewer than `max` calls were admitted in the `window_seconds` before it; refused
 * calls leave no trace. Time is that of the region's clock, to the microsecond.
 *
 * Keys are any text, by convention `<what>:<who>` ("api:192.0.2.7"); only a keyed hash of them is
 * stored. A key belongs to one rule: when the rule changes, the next call follows the new one (a
 * shorter window forgets at once what lies before it).
 *
 * Memory is bounded. When it is full, keys whose own largest window has passed go first, then
 * those idle longest: such a key starts afresh, which rate_read_figures() counts as `evicted`.
 * When not even that makes room, or a lock cannot be had, the call is refused, never admitted.
 */
#ifndef ASSAY_SHM_RATE_H
#define ASSAY_SHM_RATE_H

#include "shm/region.h"

#include <stdbool.h>

enum {
    RATE_KEYS_MAX = 32768,           /* keys remembered at the same time */
    RATE_EVENTS_MAX = 983040,        /* admitted calls remembered at the same time, all keys */
    RATE_EVENTS_PER_KEY_MAX = 100000 /* a larger `max` is held to this */
};

/* `max` 0 refuses everything; a window of 0 counts as one second. */
struct rate_rule {
    uint32_t max;
    uint32_t window_seconds;
};

struct rate_decision {
    bool allowed;
    uint32_t limit;               /* the rule's max, or RATE_EVENTS_PER_KEY_MAX */
    uint32_t remaining;           /* calls left after this one */
    uint32_t retry_after_seconds; /* refused: at least 1, after which the call would fit;
                                   * admitted: 0 */
    uint32_t reset_seconds;       /* until the oldest call leaves the window; 0 = none there */
};

/* Admits and records one call, or refuses it. */
struct rate_decision rate_allow(struct shm_region *region, const char *key, struct rate_rule rule);

/* The same for a call that costs several units, all or none. More units than `max` never fit. */
struct rate_decision rate_allow_units(struct shm_region *region, const char *key,
                                      struct rate_rule rule, uint32_t units);

/* Records `units` whether they fit or not, as far as the log of the key can hold them. `allowed`
 * says whether they did fit. */
struct rate_decision rate_charge(struct shm_region *region, const char *key, struct rate_rule rule,
                                 uint32_t units);

/* What rate_allow() would say, recording nothing; `remaining` is what is left before the call. */
struct rate_decision rate_peek(struct shm_region *region, const char *key, struct rate_rule rule);

/* A token bucket: `capacity` calls at once, then one for each token that has flowed back, at
 * `refill_per_minute`. A capacity of 0 refuses everything; a refill of 0 counts as 1. */
struct rate_bucket {
    uint32_t capacity;
    uint32_t refill_per_minute;
};

/* Takes a token, or refuses. `reset_seconds` is when the bucket will be full again. A key is used
 * either with this or with the functions above; changing over starts it afresh. */
struct rate_decision rate_take_token(struct shm_region *region, const char *key,
                                     struct rate_bucket bucket);

/* Forgets a key, for instance failures after a success. */
void rate_forget(struct shm_region *region, const char *key);

struct rate_figures {
    uint64_t keys;     /* remembered now */
    uint64_t events;   /* remembered now; those that left their window may still be among them */
    uint64_t evicted;  /* keys forgotten while calls of theirs were inside the window */
    uint64_t overflow; /* calls refused because no memory was left for them */
    uint64_t repairs;  /* times a part of the table was put right after a death or damage */
    uint64_t lost;     /* keys that could not be kept in those repairs */
};
void rate_read_figures(struct shm_region *region, struct rate_figures *figures);

#endif
