/*
 * Private to common/shm: the storage under the rate limits. Keys are spread over shards by their
 * digest; each shard has its own lock, keys and blocks, and nothing in it refers to another shard.
 *
 * A key owns a chain of blocks, oldest first; a block holds up to twelve event times as offsets
 * from its base. A shard also keeps its keys in hash chains and in a list from the one idle
 * longest to the one used last. References are index + 1; 0 refers to nothing.
 *
 * Functions that return false have met an impossible value: memory was damaged. The caller then
 * runs rate_shard_repair(), which derives everything anew from the keys and their blocks.
 */
#ifndef ASSAY_SHM_RATE_TABLE_H
#define ASSAY_SHM_RATE_TABLE_H

#include "crypto/digest.h"
#include "shm/lock.h"
#include "shm/rate.h"

#define MICROSECONDS INT64_C(1000000) /* in a second */

enum {
    RATE_SHARDS = 8,
    RATE_SHARD_KEYS = RATE_KEYS_MAX / RATE_SHARDS,
    RATE_SHARD_CHAINS = 4096, /* a power of two */
    RATE_BLOCK_EVENTS = 12,
    RATE_SHARD_BLOCKS = RATE_EVENTS_MAX / RATE_SHARDS / RATE_BLOCK_EVENTS
};

enum rate_key_kind { RATE_KEY_FREE, RATE_KEY_LOG, RATE_KEY_BUCKET };

/* One cache line each. */
struct rate_key {
    unsigned char digest[DIGEST_SHORT_BYTES];
    int64_t newest;  /* time of the newest event, or when the bucket's debt was reckoned */
    int64_t used;    /* time of the latest call, admitted or not */
    uint32_t kind;   /* enum rate_key_kind; set last */
    uint32_t window; /* seconds; the largest ever used with the key */
    union {
        struct {
            uint32_t first_block, last_block;
        };
        int64_t debt; /* of a bucket: tokens taken and not yet refilled, 60e6 to the token */
    };
    uint32_t events;
    uint32_t chain_next; /* also links free keys */
    uint32_t older, newer;
};

struct rate_block {
    int64_t base;
    uint32_t next; /* also links free blocks */
    uint16_t first, end;
    uint32_t offsets[RATE_BLOCK_EVENTS]; /* microseconds after base, never falling */
};

_Static_assert(sizeof(struct rate_key) == 64, "a key fills a cache line");
_Static_assert(sizeof(struct rate_block) == 64, "a block fills a cache line");

struct rate_shard {
    _Alignas(4096) struct shm_lock lock;
    uint32_t free_key, keys_touched, key_count;
    uint32_t free_block, free_block_count, blocks_touched;
    uint32_t oldest, newest; /* the list by time of last use */
    uint32_t sweep_hand;
    int64_t swept_at;
    uint64_t event_count, evicted, overflow, repairs, lost;
    uint32_t chains[RATE_SHARD_CHAINS];
    _Alignas(64) struct rate_key keys[RATE_SHARD_KEYS];
    struct rate_block blocks[RATE_SHARD_BLOCKS];
};

/* The head of the hash chain that the digest belongs to. */
uint32_t *rate_shard_chain(struct rate_shard *shard, const unsigned char *digest);

/* *reference is 0 when the shard does not know the digest. */
bool rate_shard_find(struct rate_shard *shard, const unsigned char *digest, uint32_t *reference);

/* The key behind a reference that is known to be good. */
struct rate_key *rate_shard_key(struct rate_shard *shard, uint32_t reference);

/* False for a key that no sequence of calls can have left behind. Clocks of two processors may
 * differ a little, so a second of future is allowed. */
bool rate_key_is_sane(const struct rate_key *key, int64_t now);

/* A new key without events; the caller sets its window. Makes room by sweeping, then by evicting
 * the key idle longest. */
bool rate_shard_add(struct rate_shard *shard, const unsigned char *digest, int64_t now,
                    enum rate_key_kind kind, uint32_t *reference);

/* Marks the key as the one used last. */
bool rate_shard_touch(struct rate_shard *shard, uint32_t reference, int64_t now);

bool rate_shard_remove(struct rate_shard *shard, uint32_t reference);

/* Drops the events of the key at or before `horizon`. */
bool rate_shard_expire(struct rate_shard *shard, uint32_t reference, int64_t horizon);

/* Appends `count` events at `now`. *stored is false, with nothing appended, when the shard has no
 * room even after evicting every other key. */
bool rate_shard_append(struct rate_shard *shard, uint32_t reference, int64_t now, uint32_t count,
                       bool *stored);

/* Time of the event with that index, oldest first. */
bool rate_shard_event_time(struct rate_shard *shard, uint32_t reference, uint32_t index,
                           int64_t *time);

/* Looks at `count` keys in turn and removes those whose largest window has passed. */
bool rate_shard_sweep(struct rate_shard *shard, int64_t now, uint32_t count);

/* Keeps what is whole, drops the rest, rebuilds all lists and totals. */
void rate_shard_repair(struct rate_shard *shard, int64_t now);

#endif
