/*
 * Rate limits, shared by all workers of the host: a sliding window of two counters per key, and a
 * token bucket. They use the region's clock, to the microsecond.
 *
 * A key's window begins with its first call. Within it the count is exact: `max` calls are admitted
 * at any speed, and the next one is refused. When a window ends, its calls leave evenly during the
 * next one (the calls of the window before are weighted by the part of it that the last
 * `window_seconds` still cover), and all at once when no call was recorded for `window_seconds`.
 * Fewer than twice `max` calls are admitted in any `window_seconds`.
 *
 * Keys are any text, by convention `<what>:<who>` ("api:192.0.2.7"); only a keyed hash of them is
 * stored. A key belongs to one rule: when the rule changes, the next call follows the new one.
 *
 * Memory is bounded: a key may occupy one of RATE_SET_CELLS cells. When all of them are in use, an
 * expired key is evicted, else the one idle longest. An unexpired key then starts anew, which
 * rate_read_figures() counts as `evicted`. If the lock times out, the call is refused.
 */
#ifndef ASSAY_SHM_RATE_H
#define ASSAY_SHM_RATE_H

#include "shm/region.h"

#include <stdbool.h>

enum {
    RATE_KEYS_MAX = 32768,     /* keys stored at the same time */
    RATE_COUNT_MAX = 500000000 /* calls of a key; a larger `max` is reduced to this */
};

/* `max` 0 refuses everything; a window of 0 counts as one second. */
struct rate_rule {
    uint32_t max;
    uint32_t window_seconds;
};

struct rate_decision {
    bool allowed;
    uint32_t limit;               /* the rule's max, or RATE_COUNT_MAX */
    uint32_t remaining;           /* calls left after this one */
    uint32_t retry_after_seconds; /* when refused: at least 1, after which the call would fit; when
                                     admitted: 0 */
    uint32_t reset_seconds;       /* until the oldest call leaves the window; 0 = no call in it */
};

/* Admits and records one call, or refuses it. Refused calls are not recorded. */
struct rate_decision rate_allow(struct shm_region *region, const char *key, struct rate_rule rule);

/* Records a call that costs `units`, whether they fit or not. `allowed` says whether they fit. */
struct rate_decision rate_charge(struct shm_region *region, const char *key, struct rate_rule rule,
                                 uint32_t units);

/* The result that rate_allow() would give, without recording; `remaining` is the count before the
 * call. */
struct rate_decision rate_peek(struct shm_region *region, const char *key, struct rate_rule rule);

/* A token bucket: `capacity` calls at once, then one per refilled token, at `refill_per_minute`. A
 * capacity of 0 refuses everything; a refill of 0 counts as 1. */
struct rate_bucket {
    uint32_t capacity;
    uint32_t refill_per_minute;
};

/* Takes a token, or refuses. `reset_seconds` is the time until the bucket is full. A key is used
 * either with this or with the functions above; a change resets it. */
struct rate_decision rate_take_token(struct shm_region *region, const char *key,
                                     struct rate_bucket bucket);

/* Forgets a key, for instance failures after a success. */
void rate_forget(struct shm_region *region, const char *key);

struct rate_figures {
    uint64_t keys;      /* in the table, expired ones included */
    uint64_t evicted;   /* keys evicted while calls of theirs counted */
    uint64_t unchecked; /* calls refused because the lock timed out */
};
void rate_read_figures(struct shm_region *region, struct rate_figures *figures);

#endif
