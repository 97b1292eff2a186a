/* Sorting with labels, against a plain sort: sizes around the bounds of its methods, values that
 * differ in their last bits only. */
#include "base/arena.h"
#include "math/random.h"
#include "math/sort_labelled.h"
#include "test.h"

#include <stdlib.h>

enum { MOST = 5000 };

/* By key, and by place where keys are equal. */
static int ascending(const void *left, const void *right)
{
    const struct sort_item *a = left, *b = right;

    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->label > b->label) - (a->label < b->label);
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
    default: /* all bits of the range taken by one, the rest in a few below */
        return random_below(random, 100) ? 1 + 0x1p-52 * (double)random_below(random, 1000) : -1e9;
    }
}

TEST(order_and_labels)
{
    static const size_t counts[] = {0, 1, 2, 31, 32, 33, 200, 2047, 2048, MOST};
    static struct sort_item items[MOST], scratch[MOST], expected[MOST];
    struct random random = random_start(3, 0);

    for (int kind = 0; kind < 5; kind++) {
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
            for (size_t j = 0; j < counts[i]; j++)
                expected[j] = items[j] = sort_item_of(value_of_kind(kind, &random), (uint32_t)j);
            qsort(expected, counts[i], sizeof expected[0], ascending);
            sort_labelled(items, scratch, counts[i]);
            for (size_t j = 0; j < counts[i]; j++)
                CHECK(items[j].key == expected[j].key && items[j].label == expected[j].label);
        }
    }
}

TEST(values_come_back)
{
    static const double values[] = {-INFINITY, -1.7e308, -1,      -5e-324, 0,
                                    5e-324,    1,        1.7e308, INFINITY};
    struct sort_item negative_zero = sort_item_of(-0.0, 0), zero = sort_item_of(0.0, 0);

    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct sort_item item = sort_item_of(values[i], 7);

        CHECK(sort_item_value(&item) == values[i]);
        if (i > 0) {
            struct sort_item before = sort_item_of(values[i - 1], 7);

            CHECK(before.key < item.key);
        }
    }
    CHECK(negative_zero.key == zero.key);
}

TEST_MAIN(CASE(order_and_labels), CASE(values_come_back))
