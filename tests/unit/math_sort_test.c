/* Sorting of doubles, few and many, against the order they must come out in. */
#include "math/sort.h"
#include "test.h"

#include <float.h>
#include <stdlib.h>

enum { MANY = 5000 };

static int in_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void check_sorted(double *values, size_t count)
{
    static double expected[MANY], scratch[MANY];
    size_t wrong = 0;

    memcpy(expected, values, count * sizeof *values);
    qsort(expected, count, sizeof *expected, in_order);
    sort_doubles(values, scratch, count);
    for (size_t i = 0; i < count; i++)
        wrong += values[i] != expected[i];
    CHECK_INT(wrong, 0);
}

/* A scramble of i: enough for an order that no sort expects. */
static double scrambled(size_t i)
{
    return (double)((i * 2654435761U + 12345) % 4294967296U) / 65536 - 32768;
}

TEST(any_number_of_values)
{
    static double values[MANY];

    for (size_t count = 0; count < 3000; count += 1 + count / 7) {
        for (size_t i = 0; i < count; i++)
            values[i] = scrambled(i);
        check_sorted(values, count);
    }
}

TEST(values_of_every_kind)
{
    static const double kinds[] = {0.0,      -0.0,      5e-324, -5e-324, DBL_MAX, -DBL_MAX,
                                   INFINITY, -INFINITY, 1,      -1,      1e-300,  1e300};
    static double values[MANY];

    for (size_t i = 0; i < MANY; i++)
        values[i] = kinds[(size_t)fabs(scrambled(i)) % (sizeof kinds / sizeof kinds[0])];
    check_sorted(values, MANY);
    for (size_t i = 0; i < MANY; i++)
        values[i] = ldexp(scrambled(i), (int)(i % 600) - 300);
    check_sorted(values, MANY);
    check_sorted(values, MANY); /* in order already */
    for (size_t i = 0; i < MANY / 2; i++) {
        double swap = values[i];

        values[i] = values[MANY - 1 - i];
        values[MANY - 1 - i] = swap;
    }
    check_sorted(values, MANY);
    for (size_t i = 0; i < MANY; i++)
        values[i] = i == MANY / 2 ? 1e300 : 7 + (double)(i % 3);
    check_sorted(values, MANY);
}

TEST(keys_keep_the_order)
{
    CHECK(sort_key(-1) < sort_key(-0.0) && sort_key(-0.0) == sort_key(0.0));
    CHECK(sort_key(0.0) < sort_key(5e-324) && sort_key(DBL_MAX) < sort_key(INFINITY));
    CHECK_NEAR(sort_value(sort_key(-1e300)), -1e300, 0);
    CHECK_NEAR(sort_value(sort_key(0.1)), 0.1, 0);
}

TEST_MAIN(CASE(any_number_of_values), CASE(values_of_every_kind), CASE(keys_keep_the_order))
