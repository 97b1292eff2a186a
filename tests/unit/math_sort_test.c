/* Sorting of doubles, alone and with labels, against the order they must come out in: sizes around
 * the bounds of its methods, values of every kind. */
#include "math/random.h"
#include "math/sort.h"
#include "test.h"

#include <float.h>
#include <stdlib.h>

enum { MANY = 5000, LABELLED = 20000 };

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

/* By value, and by place where values are equal. */
static int labelled_in_order(const void *left, const void *right)
{
    const struct sort_item *a = left, *b = right;
    int by_value = in_order(&a->value, &b->value);

    return by_value ? by_value : (a->label > b->label) - (a->label < b->label);
}

static double value_of_kind(int kind, struct random *random)
{
    switch (kind) {
    case 0:
        return random_normal(random);
    case 1:
        return (double)random_below(random, 5) - 2;
    case 2:
        return exp(200 * random_normal(random)) * (random_below(random, 2) ? 1 : -1);
    case 3:
        return 1e9 + 1e-6 * (double)random_below(random, 1000);
    case 4: /* distances that no double holds, and zeros of either sign */
        return ((const double[]){-DBL_MAX, -0.0, 0.0, DBL_MAX, INFINITY,
                                 -INFINITY})[random_below(random, 6)];
    default: /* all bits of the range taken by one, the rest in a few below */
        return random_below(random, 100) ? 1 + 0x1p-52 * (double)random_below(random, 1000) : -1e9;
    }
}

TEST(labels_stay_with_their_values)
{
    static const size_t counts[] = {0,   1,   2,    31,   32,   33,   127,  128,
                                    129, 200, 2047, 2048, 8191, 8192, 8193, LABELLED};
    static struct sort_item items[LABELLED], scratch[LABELLED], expected[LABELLED];
    struct random random = random_start(3, 0);

    for (int kind = 0; kind < 6; kind++) {
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
            size_t wrong = 0;

            for (size_t j = 0; j < counts[i]; j++)
                expected[j] = items[j] =
                    (struct sort_item){value_of_kind(kind, &random), (uint32_t)j};
            qsort(expected, counts[i], sizeof expected[0], labelled_in_order);
            sort_labelled(items, scratch, counts[i]);
            for (size_t j = 0; j < counts[i]; j++)
                wrong += items[j].value != expected[j].value || items[j].label != expected[j].label;
            CHECK_INT(wrong, 0);
        }
    }
}

TEST(keys_keep_the_order)
{
    CHECK(sort_key(-1) < sort_key(-0.0) && sort_key(-0.0) == sort_key(0.0));
    CHECK(sort_key(0.0) < sort_key(5e-324) && sort_key(DBL_MAX) < sort_key(INFINITY));
    CHECK_NEAR(sort_value(sort_key(-1e300)), -1e300, 0);
    CHECK_NEAR(sort_value(sort_key(0.1)), 0.1, 0);
}

TEST_MAIN(CASE(any_number_of_values), CASE(values_of_every_kind),
          CASE(labels_stay_with_their_values), CASE(keys_keep_the_order))
