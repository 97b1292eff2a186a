/*
 * For the tests of rate limits: says whether every list, chain and total of every shard agrees
 * with the keys and blocks.
 */
#ifndef ASSAY_SHM_RATE_CHECK_H
#define ASSAY_SHM_RATE_CHECK_H

#include "shm/layout.h"
#include "test.h"

struct shard_tally {
    bool key_seen[RATE_SHARD_KEYS], block_seen[RATE_SHARD_BLOCKS];
    uint32_t keys, blocks;
    uint64_t events;
};

static inline bool tally_block(struct shard_tally *tally, uint32_t reference)
{
    if (reference < 1 || reference > RATE_SHARD_BLOCKS || tally->block_seen[reference - 1])
        return false;
    tally->block_seen[reference - 1] = true;
    tally->blocks++;
    return true;
}

static inline bool log_is_whole(const struct rate_shard *shard, const struct rate_key *key,
                                struct shard_tally *tally)
{
    uint32_t last = 0, events = 0;
    int64_t previous = 0;

    for (uint32_t at = key->first_block; at; at = shard->blocks[at - 1].next) {
        const struct rate_block *block = &shard->blocks[at - 1];

        if (!tally_block(tally, at) || block->first >= block->end || block->end > RATE_BLOCK_EVENTS)
            return false;
        for (int i = block->first; i < block->end; i++) {
            if (block->base + block->offsets[i] < previous)
                return false;
            previous = block->base + block->offsets[i];
        }
        events += (uint32_t)(block->end - block->first);
        last = at;
    }
    tally->events += events;
    return last == key->last_block && events == key->events && previous <= key->newest;
}

static inline bool idle_list_is_whole(const struct rate_shard *shard, struct shard_tally *tally)
{
    uint32_t previous = 0;

    for (uint32_t at = shard->oldest; at; at = shard->keys[at - 1].newer) {
        const struct rate_key *key = &shard->keys[at - 1];

        if (at > shard->keys_touched || tally->key_seen[at - 1] || key->older != previous ||
            key->kind == RATE_KEY_FREE)
            return false;
        if (key->kind == RATE_KEY_LOG && !log_is_whole(shard, key, tally))
            return false;
        tally->key_seen[at - 1] = true;
        tally->keys++;
        previous = at;
    }
    return previous == shard->newest;
}

static inline bool chains_are_whole(struct rate_shard *shard, const struct shard_tally *tally)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < RATE_SHARD_CHAINS; i++) {
        for (uint32_t at = shard->chains[i]; at; at = shard->keys[at - 1].chain_next) {
            if (at > shard->keys_touched || !tally->key_seen[at - 1] || ++found > tally->keys ||
                rate_shard_chain(shard, shard->keys[at - 1].digest) != &shard->chains[i])
                return false;
        }
    }
    return found == tally->keys;
}

static inline bool free_lists_are_whole(const struct rate_shard *shard, struct shard_tally *tally)
{
    uint32_t free_keys = 0, free_blocks = 0;

    for (uint32_t at = shard->free_key; at; at = shard->keys[at - 1].chain_next) {
        if (at > shard->keys_touched || tally->key_seen[at - 1] || free_keys > RATE_SHARD_KEYS)
            return false;
        tally->key_seen[at - 1] = true;
        free_keys++;
    }
    for (uint32_t at = shard->free_block; at; at = shard->blocks[at - 1].next) {
        if (at > shard->blocks_touched || !tally_block(tally, at))
            return false;
        free_blocks++;
    }
    return tally->keys + free_keys == shard->keys_touched &&
           tally->blocks == shard->blocks_touched && free_blocks == shard->free_block_count;
}

static inline bool shard_is_whole(struct rate_shard *shard)
{
    static struct shard_tally tally;

    memset(&tally, 0, sizeof tally);
    return idle_list_is_whole(shard, &tally) && chains_are_whole(shard, &tally) &&
           free_lists_are_whole(shard, &tally) && tally.keys == shard->key_count &&
           tally.events == shard->event_count;
}

static inline void check_shards(struct shm_region *region)
{
    for (int i = 0; i < RATE_SHARDS; i++)
        CHECK(shard_is_whole(&region->layout->rate_shards[i]));
}

#endif
