/*
 * The storage under the rate limits: keys, blocks of event times, and the lists that lead to them.
 * It knows nothing of rules; rate.c decides. Putting a shard right again is in rate_repair.c.
 */
#include "shm/rate_table.h"

#include <string.h>

enum { FULL_SWEEP_PAUSE = MICROSECONDS }; /* between two sweeps of a whole shard that is full */

uint32_t *rate_shard_chain(struct rate_shard *shard, const unsigned char *digest)
{
    uint32_t bits;

    memcpy(&bits, digest, sizeof bits);
    return &shard->chains[bits & (RATE_SHARD_CHAINS - 1)];
}

static bool is_key(const struct rate_shard *shard, uint32_t reference)
{
    return reference >= 1 && reference <= RATE_SHARD_KEYS && reference <= shard->keys_touched;
}

static bool is_used_key(const struct rate_shard *shard, uint32_t reference)
{
    return is_key(shard, reference) && shard->keys[reference - 1].kind != RATE_KEY_FREE;
}

struct rate_key *rate_shard_key(struct rate_shard *shard, uint32_t reference)
{
    return &shard->keys[reference - 1];
}

/* NULL for a reference that leads nowhere or to a block with impossible bounds. */
static struct rate_block *block_at(struct rate_shard *shard, uint32_t reference)
{
    struct rate_block *block;

    if (reference < 1 || reference > RATE_SHARD_BLOCKS || reference > shard->blocks_touched)
        return NULL;
    block = &shard->blocks[reference - 1];
    return block->first <= block->end && block->end <= RATE_BLOCK_EVENTS ? block : NULL;
}

/* Damaged bases must not overflow, hence the arithmetic without signs. */
static int64_t event_time(const struct rate_block *block, uint32_t position)
{
    return (int64_t)((uint64_t)block->base + block->offsets[position]);
}

bool rate_shard_find(struct rate_shard *shard, const unsigned char *digest, uint32_t *reference)
{
    uint32_t next = *rate_shard_chain(shard, digest);

    for (int steps = 0; next && steps <= RATE_SHARD_KEYS; steps++) {
        if (!is_used_key(shard, next))
            return false;
        if (memcmp(shard->keys[next - 1].digest, digest, DIGEST_SHORT_BYTES) == 0) {
            *reference = next;
            return true;
        }
        next = shard->keys[next - 1].chain_next;
    }
    *reference = 0;
    return next == 0;
}

static bool unlink_from_chain(struct rate_shard *shard, uint32_t reference)
{
    const struct rate_key *key = rate_shard_key(shard, reference);
    uint32_t *link = rate_shard_chain(shard, key->digest);

    for (int steps = 0; *link != reference; steps++) {
        if (!is_used_key(shard, *link) || steps > RATE_SHARD_KEYS)
            return false;
        link = &shard->keys[*link - 1].chain_next;
    }
    *link = key->chain_next;
    return true;
}

static bool unlink_from_idle_list(struct rate_shard *shard, uint32_t reference)
{
    const struct rate_key *key = rate_shard_key(shard, reference);

    if ((key->older ? !is_used_key(shard, key->older) : shard->oldest != reference) ||
        (key->newer ? !is_used_key(shard, key->newer) : shard->newest != reference))
        return false;
    *(key->older ? &shard->keys[key->older - 1].newer : &shard->oldest) = key->newer;
    shm_checkpoint("rate.half_unlinked");
    *(key->newer ? &shard->keys[key->newer - 1].older : &shard->newest) = key->older;
    return true;
}

static bool link_as_newest(struct rate_shard *shard, uint32_t reference)
{
    struct rate_key *key = rate_shard_key(shard, reference);

    if (shard->newest && !is_used_key(shard, shard->newest))
        return false;
    key->older = shard->newest;
    key->newer = 0;
    *(shard->newest ? &shard->keys[shard->newest - 1].newer : &shard->oldest) = reference;
    shm_checkpoint("rate.half_linked");
    shard->newest = reference;
    return true;
}

bool rate_shard_touch(struct rate_shard *shard, uint32_t reference, int64_t now)
{
    rate_shard_key(shard, reference)->used = now;
    if (shard->newest == reference)
        return true;
    return unlink_from_idle_list(shard, reference) && link_as_newest(shard, reference);
}

static void free_block(struct rate_shard *shard, struct rate_block *block)
{
    block->first = block->end = 0;
    block->next = shard->free_block;
    shm_checkpoint("rate.block_freeing");
    shard->free_block = (uint32_t)(block - shard->blocks) + 1;
    shard->free_block_count++;
}

static bool free_first_block(struct rate_shard *shard, struct rate_key *key)
{
    struct rate_block *block = block_at(shard, key->first_block);
    uint32_t events;

    if (!block || block->first == block->end)
        return false;
    events = block->end - block->first;
    if (events > key->events || events > shard->event_count)
        return false;
    key->first_block = block->next;
    if (!block->next)
        key->last_block = 0;
    key->events -= events;
    shard->event_count -= events;
    shm_checkpoint("rate.block_unlinked");
    free_block(shard, block);
    return true;
}

bool rate_shard_expire(struct rate_shard *shard, uint32_t reference, int64_t horizon)
{
    struct rate_key *key = rate_shard_key(shard, reference);

    while (key->events > 0) {
        struct rate_block *block = block_at(shard, key->first_block);
        uint16_t first;

        if (!block || block->first == block->end)
            return false;
        first = block->first;
        while (first < block->end && event_time(block, first) <= horizon)
            first++;
        if (first < block->end) {
            uint32_t dropped = first - block->first;

            if (dropped >= key->events || dropped > shard->event_count)
                return false;
            block->first = first;
            shm_checkpoint("rate.event_dropped");
            key->events -= dropped;
            shard->event_count -= dropped;
            return true;
        }
        if (!free_first_block(shard, key))
            return false;
    }
    return key->first_block == 0;
}

bool rate_shard_remove(struct rate_shard *shard, uint32_t reference)
{
    struct rate_key *key = rate_shard_key(shard, reference);

    if (!unlink_from_idle_list(shard, reference) || !unlink_from_chain(shard, reference))
        return false;
    shm_checkpoint("rate.key_unlinked");
    while (key->kind == RATE_KEY_LOG && key->first_block) {
        if (!free_first_block(shard, key))
            return false;
    }
    key->kind = RATE_KEY_FREE;
    shm_checkpoint("rate.key_freed");
    key->chain_next = shard->free_key;
    shard->free_key = reference;
    shard->key_count--;
    return true;
}

bool rate_key_is_sane(const struct rate_key *key, int64_t now)
{
    return key->newest >= 0 && key->newest <= now + MICROSECONDS &&
           (key->kind == RATE_KEY_LOG || (key->kind == RATE_KEY_BUCKET && key->debt >= 0));
}

/* The window of a key has passed when even its newest event has left it. */
static bool is_expired(const struct rate_key *key, int64_t now)
{
    return now - key->newest >= key->window * MICROSECONDS;
}

/* Removes the key, or else the events of it that no window needs any more. */
static bool sweep_key(struct rate_shard *shard, uint32_t reference, int64_t now)
{
    const struct rate_key *key = rate_shard_key(shard, reference);

    if (!rate_key_is_sane(key, now))
        return false;
    if (is_expired(key, now))
        return rate_shard_remove(shard, reference);
    return key->kind != RATE_KEY_LOG ||
           rate_shard_expire(shard, reference, now - key->window * MICROSECONDS);
}

bool rate_shard_sweep(struct rate_shard *shard, int64_t now, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        shard->sweep_hand = shard->sweep_hand < shard->keys_touched ? shard->sweep_hand + 1 : 1;
        if (is_used_key(shard, shard->sweep_hand) && !sweep_key(shard, shard->sweep_hand, now))
            return false;
    }
    return true;
}

/* When a shard is full: everything that has had its time, at most once a second. */
static bool sweep_all(struct rate_shard *shard, int64_t now)
{
    if (shard->swept_at && (uint64_t)now - (uint64_t)shard->swept_at < FULL_SWEEP_PAUSE)
        return true;
    shard->swept_at = now;
    return rate_shard_sweep(shard, now, RATE_SHARD_KEYS);
}

/* Evicts the key idle longest, but not `keep`. *evicted is false when there is no other. */
static bool evict_one(struct rate_shard *shard, uint32_t keep, int64_t now, bool *evicted)
{
    uint32_t victim = shard->oldest;

    if (victim && victim == keep)
        victim = rate_shard_key(shard, keep)->newer;
    *evicted = victim != 0;
    if (!victim)
        return true;
    if (!is_used_key(shard, victim) || !rate_key_is_sane(rate_shard_key(shard, victim), now))
        return false;
    if (!is_expired(rate_shard_key(shard, victim), now))
        shard->evicted++;
    return rate_shard_remove(shard, victim);
}

static bool has_room_for_key(const struct rate_shard *shard)
{
    return shard->free_key || shard->keys_touched < RATE_SHARD_KEYS;
}

/* Takes a key from the list of free ones, else one that was never used. */
static uint32_t take_free_key(struct rate_shard *shard)
{
    uint32_t reference = shard->free_key;

    if (!reference)
        return shard->keys_touched < RATE_SHARD_KEYS ? ++shard->keys_touched : 0;
    if (!is_key(shard, reference) || is_used_key(shard, reference))
        return 0;
    shard->free_key = shard->keys[reference - 1].chain_next;
    return reference;
}

bool rate_shard_add(struct rate_shard *shard, const unsigned char *digest, int64_t now,
                    enum rate_key_kind kind, uint32_t *reference)
{
    uint32_t *chain = rate_shard_chain(shard, digest);
    struct rate_key *key;
    bool evicted;

    if (!has_room_for_key(shard) && !sweep_all(shard, now))
        return false;
    if (!has_room_for_key(shard) && !evict_one(shard, 0, now, &evicted))
        return false;
    *reference = take_free_key(shard);
    if (!*reference)
        return false;
    key = rate_shard_key(shard, *reference);
    memset(key, 0, sizeof *key);
    memcpy(key->digest, digest, DIGEST_SHORT_BYTES);
    key->used = key->newest = now;
    shm_checkpoint("rate.key_filled");
    key->kind = kind;
    key->chain_next = *chain;
    shm_checkpoint("rate.key_made");
    *chain = *reference;
    shard->key_count++;
    return link_as_newest(shard, *reference);
}

/* An empty block at the end of the key's chain; there must be a free one. */
static struct rate_block *add_block(struct rate_shard *shard, struct rate_key *key, int64_t now)
{
    uint32_t reference = shard->free_block;
    struct rate_block *block, *last = key->last_block ? block_at(shard, key->last_block) : NULL;

    if (!reference && shard->blocks_touched < RATE_SHARD_BLOCKS)
        reference = ++shard->blocks_touched;
    block = block_at(shard, reference);
    if (!block || (key->last_block && !last))
        return NULL;
    if (shard->free_block) {
        shard->free_block = block->next;
        shard->free_block_count--;
    }
    shm_checkpoint("rate.block_taken");
    block->base = now;
    block->next = 0;
    block->first = block->end = 0;
    shm_checkpoint("rate.block_emptied");
    *(last ? &last->next : &key->first_block) = reference;
    shm_checkpoint("rate.block_linked");
    key->last_block = reference;
    return block;
}

/* The block that can take an event at `now`, with room in it; NULL when a new one is needed. */
static struct rate_block *open_block(struct rate_shard *shard, const struct rate_key *key,
                                     int64_t now)
{
    struct rate_block *block = block_at(shard, key->last_block);

    return block && block->end < RATE_BLOCK_EVENTS &&
                   (uint64_t)now - (uint64_t)block->base <= UINT32_MAX
               ? block
               : NULL;
}

static bool make_room_for_blocks(struct rate_shard *shard, uint32_t reference, uint32_t blocks,
                                 int64_t now, bool *made)
{
    bool evicted = true;

    *made = true;
    for (bool swept = false;; swept = true) {
        if (shard->free_block_count + (RATE_SHARD_BLOCKS - shard->blocks_touched) >= blocks)
            return true;
        if (!(swept ? evict_one(shard, reference, now, &evicted) : sweep_all(shard, now)))
            return false;
        *made = evicted;
        if (!evicted)
            return true;
    }
}

bool rate_shard_append(struct rate_shard *shard, uint32_t reference, int64_t now, uint32_t count,
                       bool *stored)
{
    struct rate_key *key = rate_shard_key(shard, reference);
    struct rate_block *block = open_block(shard, key, now);
    uint32_t room = block ? (uint32_t)(RATE_BLOCK_EVENTS - block->end) : 0;
    uint32_t more = count > room ? count - room : 0;

    *stored = false;
    key->newest = now; /* before sweeping, which must not take this very key */
    if (shard->blocks_touched > RATE_SHARD_BLOCKS ||
        !make_room_for_blocks(shard, reference, (more + RATE_BLOCK_EVENTS - 1) / RATE_BLOCK_EVENTS,
                              now, stored))
        return false;
    for (uint32_t i = 0; *stored && i < count; i++) {
        block = open_block(shard, key, now);
        if (!block && !(block = add_block(shard, key, now)))
            return false;
        block->offsets[block->end] = (uint32_t)(now - block->base);
        shm_checkpoint("rate.event_written");
        block->end++;
        shm_checkpoint("rate.event_recorded");
        key->events++;
        shard->event_count++;
    }
    return true;
}

bool rate_shard_event_time(struct rate_shard *shard, uint32_t reference, uint32_t index,
                           int64_t *time)
{
    uint32_t next = rate_shard_key(shard, reference)->first_block;

    for (int steps = 0; steps <= RATE_SHARD_BLOCKS; steps++) {
        const struct rate_block *block = block_at(shard, next);
        uint32_t events;

        if (!block)
            return false;
        events = block->end - block->first;
        if (index < events) {
            *time = event_time(block, block->first + index);
            return true;
        }
        index -= events;
        next = block->next;
    }
    return false;
}
