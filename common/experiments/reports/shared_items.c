/* A hash table of texts with the lists that have them, in the order of arrival. */
#include "experiments/reports/shared_items.h"
#include "base/text.h"
#include "crypto/token.h"

#include <string.h>

struct item {
    const char *text;
    uint64_t hash;
    unsigned holders;
};

struct shared_items {
    struct arena *arena;
    struct item *items;
    size_t count;
    size_t *slots; /* position in `items` + 1; 0 = free */
    size_t mask;
    uint64_t seed;
};

struct shared_items *shared_items_new(struct arena *arena, size_t capacity)
{
    struct shared_items *items = ARENA_NEW(arena, struct shared_items);
    size_t slots = 16;

    while (slots < 2 * capacity)
        slots *= 2;
    *items = (struct shared_items){.arena = arena,
                                   .items = ARENA_ARRAY(arena, struct item, capacity),
                                   .slots = ARENA_ARRAY(arena, size_t, slots),
                                   .mask = slots - 1};
    token_random_bytes(&items->seed, sizeof items->seed);
    return items;
}

/* Fowler, Noll and Vo's 64-bit hash, variant 1a, from a secret start. */
static uint64_t hash_of(const struct shared_items *items, const char *text)
{
    uint64_t hash = items->seed;

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001B3;
    return hash;
}

static struct item *find_or_add(struct shared_items *items, const char *text)
{
    uint64_t hash = hash_of(items, text);

    for (size_t at = hash & items->mask;; at = (at + 1) & items->mask) {
        struct item *item;

        if (!items->slots[at]) {
            item = &items->items[items->count++];
            *item = (struct item){.text = text, .hash = hash};
            items->slots[at] = items->count;
            return item;
        }
        item = &items->items[items->slots[at] - 1];
        if (item->hash == hash && strcmp(item->text, text) == 0)
            return item;
    }
}

void shared_items_add(struct shared_items *items, const struct string_list *texts, unsigned list)
{
    for (size_t i = 0; i < texts->count; i++) {
        const char *text = text_trimmed(items->arena, texts->items[i], strlen(texts->items[i]));

        if (*text)
            find_or_add(items, text)->holders |= 1U << list;
    }
}

struct string_list shared_items_of(const struct shared_items *items, unsigned holders)
{
    struct string_list found = {.items = ARENA_ARRAY(items->arena, const char *, items->count + 1)};

    for (size_t i = 0; i < items->count; i++)
        if (items->items[i].holders == holders)
            found.items[found.count++] = items->items[i].text;
    return found;
}

struct string_list shared_items_all(const struct shared_items *items, int **counts)
{
    struct string_list all = {.items = ARENA_ARRAY(items->arena, const char *, items->count)};

    *counts = ARENA_ARRAY(items->arena, int, items->count);
    for (; all.count < items->count; all.count++) {
        all.items[all.count] = items->items[all.count].text;
        (*counts)[all.count] = __builtin_popcount(items->items[all.count].holders);
    }
    return all;
}
