/*
 * Bucket sort with one bucket of equal width per item, finished by insertion sort. Where values
 * crowd, a radix sort by the leading bits of the range of keys, also finished by insertion sort;
 * where even those bits agree, a radix sort by all bits.
 *
 * An item is a double and its label, if any. `size` is a constant in each of the functions at the
 * end, so the compiler specializes the sort for each.
 */
#include "math/sort.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
    INSERTION_MAX = 32, /* up to this many items insertion sort is the fastest */
    RADIX_MIN = 128,    /* up to this many items the tables of the radix sort cost too much */
    BUCKETS_MAX = 8192,
    SMALL_MAX = 2048, /* from this many items on wider digits are faster */
    SMALL_BITS = 8,
    LARGE_BITS = 11,
    LEADING_DIGITS = 3,
    MOVES_PER_ITEM = 4, /* limit of insertion sort, which then gives up */
    MOVES_AT_FIRST = 64,
    KEY_BITS = 64,
};

#define SORTER static inline __attribute__((always_inline))

int64_t sort_key(double value)
{
    int64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits >= 0 ? bits : INT64_MIN - bits;
}

double sort_value(int64_t key)
{
    int64_t bits = key >= 0 ? key : INT64_MIN - key;
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

SORTER double value_at(const char *items, size_t i, size_t size)
{
    double value;

    memcpy(&value, items + i * size, sizeof value);
    return value;
}

SORTER void move(char *to, size_t i, const char *from, size_t j, size_t size)
{
    memcpy(to + i * size, from + j * size, size);
}

/* False when insertion takes more than `moves_per_item` moves for each item so far; the order of
 * the items is then undefined, but none is lost. */
SORTER bool insert_all(char *items, size_t count, size_t moves_per_item, size_t size)
{
    char item[sizeof(struct sort_item)];
    size_t moves = MOVES_AT_FIRST;

    for (size_t i = 1; i < count; i++) {
        double value = value_at(items, i, size);
        size_t j = i;

        move(item, 0, items, i, size);
        for (; j > 0 && value_at(items, j - 1, size) > value; j--)
            move(items, j, items, j - 1, size);
        move(items, j, item, 0, size);
        moves += moves_per_item;
        if (i - j > moves)
            return false;
        moves -= i - j;
    }
    return true;
}

SORTER void find_ends(const char *items, size_t count, double *least, double *most, size_t size)
{
    double low = value_at(items, 0, size), high = low;

    for (size_t i = 1; i < count; i++) {
        double value = value_at(items, i, size);

        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    *least = low;
    *most = high;
}

/* Puts the items into the order of their buckets. False, without any change, when no double can
 * hold the range of the values. */
SORTER bool spread_out(char *items, char *scratch, size_t count, double least, double most,
                       size_t size)
{
    uint16_t ends[BUCKETS_MAX + 2];
    double scale = (double)count / (most - least);
    size_t last = 0;

    if (!(isfinite(scale) && scale > 0))
        return false;
    memset(ends, 0, (count + 2) * sizeof *ends);
    for (size_t i = 0; i < count; i++)
        ends[(size_t)((value_at(items, i, size) - least) * scale)]++;
    for (size_t i = 0; i < count + 2; i++) {
        last += ends[i];
        ends[i] = (uint16_t)last;
    }
    for (size_t i = count; i > 0; i--)
        move(scratch, --ends[(size_t)((value_at(items, i - 1, size) - least) * scale)], items,
             i - 1, size);
    memcpy(items, scratch, count * size);
    return true;
}

/* The key of a value, relative to another; zeros of either sign have the same key. */
static inline uint64_t key_above(double value, int64_t least)
{
    return (uint64_t)sort_key(value) - (uint64_t)least;
}

/* One pass: sorts the items by `bits` bits of their keys from `shift` on. */
SORTER void distribute(const char *from, char *to, size_t count, int64_t least, int shift, int bits,
                       size_t size)
{
    uint32_t starts[(1 << LARGE_BITS) + 1];
    uint64_t mask = (UINT64_C(1) << bits) - 1;

    memset(starts, 0, sizeof starts[0] * (mask + 2));
    for (size_t i = 0; i < count; i++)
        starts[(key_above(value_at(from, i, size), least) >> shift & mask) + 1]++;
    for (uint64_t digit = 0; digit < mask; digit++)
        starts[digit + 1] += starts[digit];
    for (size_t i = 0; i < count; i++)
        move(to, starts[key_above(value_at(from, i, size), least) >> shift & mask]++, from, i,
             size);
}

/* Sorts by the bits of keys from `low` to `high`, lowest first. */
SORTER void sort_bits(char *items, char *scratch, size_t count, int64_t least, int low, int high,
                      size_t size)
{
    int bits = count < SMALL_MAX ? SMALL_BITS : LARGE_BITS;
    char *from = items, *to = scratch;

    for (int shift = low; shift < high; shift += bits) {
        char *swap = from;

        distribute(from, to, count, least, shift, bits, size);
        from = to;
        to = swap;
    }
    if (from != items)
        memcpy(items, from, count * size);
}

SORTER void sort_by_radix(char *items, char *scratch, size_t count, double least, double most,
                          size_t size)
{
    int64_t base = sort_key(least);
    int high = KEY_BITS - __builtin_clzll(key_above(most, base));
    int leading = LEADING_DIGITS * (count < SMALL_MAX ? SMALL_BITS : LARGE_BITS);
    int low = high > leading ? high - leading : 0;

    sort_bits(items, scratch, count, base, low, high, size);
    if (low > 0 && !insert_all(items, count, MOVES_PER_ITEM, size))
        sort_bits(items, scratch, count, base, 0, high, size);
}

SORTER void sort_any(char *items, char *scratch, size_t count, size_t size)
{
    double least, most;

    if (count <= INSERTION_MAX) {
        insert_all(items, count, count, size);
        return;
    }
    find_ends(items, count, &least, &most, size);
    if (least == most)
        return;
    if (count <= RADIX_MIN) {
        spread_out(items, scratch, count, least, most, size);
        insert_all(items, count, count, size);
    } else if (!(count <= BUCKETS_MAX && spread_out(items, scratch, count, least, most, size) &&
                 insert_all(items, count, MOVES_PER_ITEM, size)))
        sort_by_radix(items, scratch, count, least, most, size);
}

void sort_few(double *values, size_t count)
{
    insert_all((char *)values, count, count, sizeof *values);
}

void sort_doubles(double *values, double *scratch, size_t count)
{
    sort_any((char *)values, (char *)scratch, count, sizeof *values);
}

void sort_labelled(struct sort_item *items, struct sort_item *scratch, size_t count)
{
    sort_any((char *)items, (char *)scratch, count, sizeof *items);
}
