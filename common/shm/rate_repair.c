/*
 * Putting a shard right after its lock was inherited from a dead process, or after a function of
 * rate_table.c met an impossible value. The keys and the chains of blocks behind them are the
 * truth; chains, idle list, free lists and totals are derived from them.
 *
 * Should the repair itself be interrupted, the next one starts from what is left.
 */
#include "shm/rate_table.h"

#include <stdlib.h>
#include <string.h>

struct kept_key {
    int64_t used;
    uint32_t reference;
};

struct survey {
    uint32_t kept_count;
    struct kept_key kept[RATE_SHARD_KEYS];
    bool taken[RATE_SHARD_BLOCKS]; /* blocks that belong to a key */
};

/* Times may not fall, nor lie in the future. */
static bool is_whole_block(const struct rate_block *block, int64_t *previous, int64_t now)
{
    if (block->first > block->end || block->end > RATE_BLOCK_EVENTS || block->base < 0 ||
        block->base > now + MICROSECONDS)
        return false;
    for (uint32_t i = block->first; i < block->end; i++) {
        int64_t time = block->base + block->offsets[i];

        if (time < *previous || time > now + MICROSECONDS)
            return false;
        *previous = time;
    }
    return true;
}

/* Cuts the key's chain before its first bad block. False when something was cut off. */
static bool keep_events(struct rate_shard *shard, struct rate_key *key, int64_t now,
                        struct survey *survey)
{
    uint32_t *link = &key->first_block, last = 0;
    int64_t time = 0;
    bool whole = true;

    key->events = 0;
    while (*link) {
        uint32_t reference = *link;
        struct rate_block *block;

        whole = reference <= shard->blocks_touched && !survey->taken[reference - 1] &&
                is_whole_block(&shard->blocks[reference - 1], &time, now);
        if (!whole)
            break;
        block = &shard->blocks[reference - 1];
        if (block->first == block->end) /* taken for an event that was never written */
            break;
        survey->taken[reference - 1] = true;
        key->events += (uint32_t)(block->end - block->first);
        key->newest = time;
        last = reference;
        link = &block->next;
    }
    *link = 0;
    key->last_block = last;
    return whole;
}

static void survey_keys(struct rate_shard *shard, int64_t now, struct survey *survey)
{
    for (uint32_t i = 0; i < shard->keys_touched; i++) {
        struct rate_key *key = &shard->keys[i];
        bool keep = false;

        if (key->kind == RATE_KEY_LOG) {
            shard->lost += !keep_events(shard, key, now, survey);
            keep = key->events > 0;
        } else if (key->kind == RATE_KEY_BUCKET) {
            keep = rate_key_is_sane(key, now);
            shard->lost += !keep;
        }
        if (!keep) {
            key->kind = RATE_KEY_FREE;
            continue;
        }
        if (key->used < key->newest || key->used > now)
            key->used = key->newest;
        survey->kept[survey->kept_count++] =
            (struct kept_key){.used = key->used, .reference = i + 1};
    }
}

static int compare_use(const void *a, const void *b)
{
    int64_t x = ((const struct kept_key *)a)->used, y = ((const struct kept_key *)b)->used;

    return (x > y) - (x < y);
}

/* From the one idle longest to the one used last. */
static void rebuild_key_lists(struct rate_shard *shard, struct survey *survey)
{
    shard->oldest = shard->newest = 0;
    memset(shard->chains, 0, sizeof shard->chains);
    qsort(survey->kept, survey->kept_count, sizeof survey->kept[0], compare_use);
    for (uint32_t i = 0; i < survey->kept_count; i++) {
        uint32_t reference = survey->kept[i].reference;
        struct rate_key *key = &shard->keys[reference - 1];
        uint32_t *chain = rate_shard_chain(shard, key->digest);

        key->chain_next = *chain;
        *chain = reference;
        key->older = shard->newest;
        key->newer = 0;
        *(shard->newest ? &shard->keys[shard->newest - 1].newer : &shard->oldest) = reference;
        shard->newest = reference;
    }
}

static void rebuild_free_lists(struct rate_shard *shard, const struct survey *survey)
{
    shard->free_key = shard->free_block = 0;
    shard->free_block_count = 0;
    for (uint32_t i = shard->keys_touched; i-- > 0;) {
        if (shard->keys[i].kind != RATE_KEY_FREE)
            continue;
        shard->keys[i].chain_next = shard->free_key;
        shard->free_key = i + 1;
    }
    for (uint32_t i = shard->blocks_touched; i-- > 0;) {
        if (survey->taken[i])
            continue;
        shard->blocks[i].first = shard->blocks[i].end = 0;
        shard->blocks[i].next = shard->free_block;
        shard->free_block = i + 1;
        shard->free_block_count++;
    }
}

void rate_shard_repair(struct rate_shard *shard, int64_t now)
{
    static struct survey survey; /* too large for the stack of a worker; used under the lock */

    memset(&survey, 0, sizeof survey);
    if (shard->keys_touched > RATE_SHARD_KEYS)
        shard->keys_touched = RATE_SHARD_KEYS;
    if (shard->blocks_touched > RATE_SHARD_BLOCKS)
        shard->blocks_touched = RATE_SHARD_BLOCKS;
    survey_keys(shard, now, &survey);
    shm_checkpoint("rate.surveyed");
    rebuild_key_lists(shard, &survey);
    shm_checkpoint("rate.half_repaired");
    rebuild_free_lists(shard, &survey);
    shard->key_count = survey.kept_count;
    shard->event_count = 0;
    for (uint32_t i = 0; i < survey.kept_count; i++) {
        const struct rate_key *key = &shard->keys[survey.kept[i].reference - 1];

        shard->event_count += key->kind == RATE_KEY_LOG ? key->events : 0;
    }
    shard->sweep_hand = 0;
    shard->swept_at = 0;
    shard->repairs++;
}
