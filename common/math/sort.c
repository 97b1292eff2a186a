/* Insertion for a few values; buckets of equal width for up to some thousand that fill them evenly;
 * a radix sort of the bit patterns for all others. */
#include "math/sort.h"

#include <float.h>
#include <stdbool.h>
#include <string.h>

enum {
    INSERTION_MAX = 40, /* up to this many values insertion is the fastest sort */
    BUCKETS_MAX = 8192,
    CROWDED = 12, /* the mean number of values beside a value in its bucket that is too many */
    TABLES_DEAR =
        128, /* up to this many values the tables of the radix sort cost more than they save */
    RADIX = 256,
    PASSES = 8,
};

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

void sort_few(double *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        double value = values[i];
        size_t j = i;

        for (; j > 0 && values[j - 1] > value; j--)
            values[j] = values[j - 1];
        values[j] = value;
    }
}

/* Puts values into at least as many buckets as there are values, which leaves them nearly sorted.
 * False, with nothing done, when many would share a bucket. */
static bool fill_buckets(double *values, double *scratch, size_t count, double least, double scale)
{
    uint16_t ends[BUCKETS_MAX];
    size_t last = 0, crowd = 0, buckets = count + 2;

    memset(ends, 0, buckets * sizeof *ends);
    for (size_t i = 0; i < count; i++) {
        size_t bucket = (size_t)((values[i] - least) * scale);

        crowd += ends[bucket]++;
    }
    if (crowd > CROWDED * count / 2)
        return false;
    for (size_t i = 0; i < buckets; i++) {
        last += ends[i];
        ends[i] = (uint16_t)last;
    }
    for (size_t i = count; i > 0; i--)
        scratch[--ends[(size_t)((values[i - 1] - least) * scale)]] = values[i - 1];
    memcpy(values, scratch, count * sizeof *values);
    return true;
}

/* False, with nothing done, when the values do not suit buckets. */
static bool sort_by_buckets(double *values, double *scratch, size_t count)
{
    double least = values[0], most = values[0], scale;

    for (size_t i = 1; i < count; i++) {
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    if (least == most)
        return true;
    scale = (double)count / (most - least);
    if (!(scale > 0 && scale <= DBL_MAX) || !fill_buckets(values, scratch, count, least, scale))
        return false;
    sort_few(values, count);
    return true;
}

/* The key with its sign counted the other way round, so that bytes compare as numbers do. */
static uint64_t ordered_bits(double value)
{
    return (uint64_t)sort_key(value) ^ (UINT64_C(1) << 63);
}

static unsigned digit_of(double value, int pass)
{
    return ordered_bits(value) >> (8 * pass) & 0xff;
}

/* How often each byte has each value, in one walk. */
static void count_digits(const double *values, size_t count, size_t digits[PASSES][RADIX])
{
    memset(digits, 0, PASSES * sizeof digits[0]);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = ordered_bits(values[i]);

        for (int pass = 0; pass < PASSES; pass++)
            digits[pass][bits >> (8 * pass) & 0xff]++;
    }
}

/* One pass: values in the order of one byte, ties as they stood. */
static void distribute(const double *from, double *to, size_t count, int pass, size_t places[RADIX])
{
    size_t place = 0;

    for (int digit = 0; digit < RADIX; digit++) {
        size_t here = places[digit];

        places[digit] = place;
        place += here;
    }
    for (size_t i = 0; i < count; i++)
        to[places[digit_of(from[i], pass)]++] = from[i];
}

/* Bytes that all values share are passed over. */
static void sort_by_radix(double *values, double *scratch, size_t count)
{
    size_t digits[PASSES][RADIX];
    double *from = values, *to = scratch;

    count_digits(values, count, digits);
    for (int pass = 0; pass < PASSES; pass++) {
        if (digits[pass][digit_of(from[0], pass)] < count) {
            double *swap = from;

            distribute(from, to, count, pass, digits[pass]);
            from = to;
            to = swap;
        }
    }
    if (from != values)
        memcpy(values, from, count * sizeof *values);
}

void sort_doubles(double *values, double *scratch, size_t count)
{
    bool for_buckets = count > INSERTION_MAX && count <= BUCKETS_MAX - 2;

    if (for_buckets && sort_by_buckets(values, scratch, count))
        return;
    if (count <= TABLES_DEAR)
        sort_few(values, count);
    else
        sort_by_radix(values, scratch, count);
}
