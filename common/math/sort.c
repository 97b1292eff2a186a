/* Insertion for a few values, a radix sort of the bit patterns for more. */
#include "math/sort.h"

#include <stdbool.h>
#include <string.h>

enum {
    INSERTION_MAX = 48, /* up to this many values insertion is the fastest sort */
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

/* The byte of a value's key that a pass of the sort goes by, lowest first; the sign counts the
 * other way round. */
static unsigned digit_of(double value, int pass)
{
    return ((uint64_t)sort_key(value) ^ (UINT64_C(1) << 63)) >> (8 * pass) & 0xff;
}

/* One pass: values in the order of one byte, ties as they stood. False, with nothing done, when all
 * have the same byte. */
static bool distribute(const double *from, double *to, size_t count, int pass)
{
    size_t starts[RADIX + 1] = {0};

    for (size_t i = 0; i < count; i++)
        starts[digit_of(from[i], pass) + 1]++;
    if (starts[digit_of(from[0], pass) + 1] == count)
        return false;
    for (int digit = 0; digit < RADIX; digit++)
        starts[digit + 1] += starts[digit];
    for (size_t i = 0; i < count; i++)
        to[starts[digit_of(from[i], pass)]++] = from[i];
    return true;
}

void sort_doubles(double *values, double *scratch, size_t count)
{
    double *from = values, *to = scratch;

    if (count <= INSERTION_MAX) {
        sort_few(values, count);
        return;
    }
    for (int pass = 0; pass < PASSES; pass++) {
        if (distribute(from, to, count, pass)) {
            double *swap = from;

            from = to;
            to = swap;
        }
    }
    if (from != values)
        memcpy(values, from, count * sizeof *values);
}
