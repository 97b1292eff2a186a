/*
 * A bucket for each item, by where its value lies between the least and the greatest, finished by
 * insertion. Where values crowd, a radix sort by the leading bits of the keys' range, finished by
 * insertion too; where even those agree, by all bits.
 */
#include "math/sort_labelled.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
    INSERTION_MAX = 32, /* up to this many items insertion is the fastest sort */
    BUCKETS_MAX = 4096,
    SMALL_MAX = 2048, /* from here on wider digits pay */
    SMALL_BITS = 8,
    LARGE_BITS = 11,
    LEADING_DIGITS = 3,
    MOVES_PER_ITEM = 4, /* of insertion, before it is given up */
    KEY_BITS = 64,
};

static const uint64_t SIGN = UINT64_C(1) << 63;

struct sort_item sort_item_of(double value, uint32_t label)
{
    uint64_t bits;

    value += 0.0; /* no negative zero */
    memcpy(&bits, &value, sizeof bits);
    return (struct sort_item){bits & SIGN ? ~bits : bits | SIGN, label};
}

double sort_item_value(const struct sort_item *item)
{
    uint64_t bits = item->key & SIGN ? item->key & ~SIGN : ~item->key;
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* False when it would take more than `moves` moves; the items are then in some order. */
static bool insert_all(struct sort_item *items, size_t count, size_t moves)
{
    for (size_t i = 1; i < count; i++) {
        struct sort_item item = items[i];
        size_t j = i;

        for (; j > 0 && items[j - 1].key > item.key; j--)
            items[j] = items[j - 1];
        items[j] = item;
        if (i - j > moves)
            return false;
        moves -= i - j;
    }
    return true;
}

/* One pass: items in the order of `bits` bits of key - least from `shift` on. */
static void distribute(const struct sort_item *from, struct sort_item *to, size_t count,
                       uint64_t least, int shift, int bits)
{
    uint32_t starts[(1 << LARGE_BITS) + 1];
    uint64_t mask = (UINT64_C(1) << bits) - 1;

    memset(starts, 0, sizeof starts[0] * (mask + 2));
    for (size_t i = 0; i < count; i++)
        starts[((from[i].key - least) >> shift & mask) + 1]++;
    for (uint64_t digit = 0; digit < mask; digit++)
        starts[digit + 1] += starts[digit];
    for (size_t i = 0; i < count; i++)
        to[starts[(from[i].key - least) >> shift & mask]++] = from[i];
}

/* Sorts by the bits of key - least from `low` to `high`, lowest first. */
static void sort_bits(struct sort_item *items, struct sort_item *scratch, size_t count,
                      uint64_t least, int low, int high)
{
    int bits = count < SMALL_MAX ? SMALL_BITS : LARGE_BITS;
    struct sort_item *from = items, *to = scratch;

    for (int shift = low; shift < high; shift += bits) {
        struct sort_item *swap = from;

        distribute(from, to, count, least, shift, bits);
        from = to;
        to = swap;
    }
    if (from != items)
        memcpy(items, from, count * sizeof *items);
}

static void find_ends(const struct sort_item *items, size_t count, struct sort_item *least,
                      struct sort_item *most)
{
    *least = *most = items[0];
    for (size_t i = 1; i < count; i++) {
        if (items[i].key < least->key)
            *least = items[i];
        if (items[i].key > most->key)
            *most = items[i];
    }
}

/* Items in the order of their buckets. False, with nothing done, when values have no distance that
 * a double can hold. */
static bool spread_out(struct sort_item *items, struct sort_item *scratch, size_t count,
                       double least, double most)
{
    uint32_t starts[BUCKETS_MAX + 1];
    double scale = (double)(count - 1) / (most - least);

    if (!(isfinite(scale) && isfinite(most - least)))
        return false;
    memset(starts, 0, sizeof starts[0] * (count + 1));
    for (size_t i = 0; i < count; i++)
        starts[(size_t)((sort_item_value(&items[i]) - least) * scale) + 1]++;
    for (size_t bucket = 1; bucket < count; bucket++)
        starts[bucket] += starts[bucket - 1];
    for (size_t i = 0; i < count; i++)
        scratch[starts[(size_t)((sort_item_value(&items[i]) - least) * scale)]++] = items[i];
    memcpy(items, scratch, count * sizeof *items);
    return true;
}

void sort_labelled(struct sort_item *items, struct sort_item *scratch, size_t count)
{
    struct sort_item least, most;
    size_t moves = MOVES_PER_ITEM * count;
    int high, low, leading;

    if (count <= INSERTION_MAX) {
        insert_all(items, count, SIZE_MAX);
        return;
    }
    find_ends(items, count, &least, &most);
    if (least.key == most.key)
        return;
    if (count <= BUCKETS_MAX &&
        spread_out(items, scratch, count, sort_item_value(&least), sort_item_value(&most)) &&
        insert_all(items, count, moves))
        return;
    high = KEY_BITS - __builtin_clzll(most.key - least.key);
    leading = LEADING_DIGITS * (count < SMALL_MAX ? SMALL_BITS : LARGE_BITS);
    low = high > leading ? high - leading : 0;
    sort_bits(items, scratch, count, least.key, low, high);
    if (low > 0 && !insert_all(items, count, moves))
        sort_bits(items, scratch, count, least.key, 0, high);
}
