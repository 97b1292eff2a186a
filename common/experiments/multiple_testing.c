/* Benjamini-Hochberg and Holm on sorted p-values. */
#include "experiments/multiple_testing.h"

#include <math.h>
#include <stdlib.h>

const char *const multiple_testing_names[MULTIPLE_TESTING__MAX] = {
    [MULTIPLE_TESTING_BH] = "bh",
    [MULTIPLE_TESTING_HOLM] = "holm",
};

enum {
    FEW = 24,           /* p-values that are sorted by insertion at once */
    INSERTION_MAX = 96, /* and those that are when buckets do not suit them */
    CROWDED = 8, /* the mean number of values before a value in its bucket that is too many */
};

struct ranked {
    double p_value;
    size_t place; /* in the caller's order */
};

static int by_p_value(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;

    if (a->p_value != b->p_value)
        return a->p_value < b->p_value ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static void insert_in_order(struct ranked *ranked, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct ranked moved = ranked[i];
        size_t j = i;

        for (; j > 0 && ranked[j - 1].p_value > moved.p_value; j--)
            ranked[j] = ranked[j - 1];
        ranked[j] = moved;
    }
}

/* Puts the p-values into as many buckets of equal width as there are values, in the order they came
 * in, which leaves them nearly sorted. False, with nothing done, when many would share a bucket. */
static bool fill_buckets(const double *p_values, size_t count, struct arena *arena,
                         struct ranked *ranked)
{
    size_t *ends = ARENA_ARRAY(arena, size_t, count + 1), last = 0, crowd = 0;

    for (size_t i = 0; i < count; i++)
        crowd += ends[(size_t)(p_values[i] * (double)count)]++;
    if (crowd > CROWDED * count)
        return false;
    for (size_t i = 0; i <= count; i++) {
        last += ends[i];
        ends[i] = last;
    }
    for (size_t i = count; i > 0; i--) {
        double p_value = p_values[i - 1];

        ranked[--ends[(size_t)(p_value * (double)count)]] = (struct ranked){p_value, i - 1};
    }
    return true;
}

static struct ranked *rank_all(const double *p_values, size_t count, struct arena *arena)
{
    struct ranked *ranked = ARENA_ARRAY(arena, struct ranked, count);
    bool nearly_sorted = count > FEW && fill_buckets(p_values, count, arena, ranked);

    if (!nearly_sorted)
        for (size_t i = 0; i < count; i++)
            ranked[i] = (struct ranked){p_values[i], i};
    if (nearly_sorted || count <= INSERTION_MAX)
        insert_in_order(ranked, count);
    else
        qsort(ranked, count, sizeof *ranked, by_p_value);
    return ranked;
}

/* Each returns how many of the sorted p-values are rejected, the smallest first. */

static size_t step_up(const struct ranked *ranked, size_t count, double level,
                      struct adjusted_test *tests)
{
    double least = 1;
    size_t rejected = 0;

    for (size_t rank = count; rank > 0; rank--) {
        const struct ranked *test = &ranked[rank - 1];
        double raised = test->p_value * (double)count / (double)rank;

        least = raised < least ? raised : least;
        tests[test->place].adjusted_p_value = least;
        if (rejected == 0 && test->p_value <= (double)rank / (double)count * level)
            rejected = rank;
    }
    return rejected;
}

static size_t step_down(const struct ranked *ranked, size_t count, double level,
                        struct adjusted_test *tests)
{
    double largest = 0;
    size_t rejected = 0;

    for (size_t i = 0; i < count; i++) {
        double remaining = (double)(count - i);

        largest = fmax(largest, fmin(1, ranked[i].p_value * remaining));
        tests[ranked[i].place].adjusted_p_value = largest;
        if (rejected == i && ranked[i].p_value <= level / remaining)
            rejected = i + 1;
    }
    return rejected;
}

struct multiple_testing_result multiple_testing_adjust(enum multiple_testing_method method,
                                                       const double *p_values, size_t count,
                                                       double level, struct arena *arena,
                                                       struct adjusted_test *tests)
{
    const struct ranked *ranked = rank_all(p_values, count, arena);
    size_t rejected = method == MULTIPLE_TESTING_HOLM ? step_down(ranked, count, level, tests)
                                                      : step_up(ranked, count, level, tests);

    for (size_t i = 0; i < count; i++)
        tests[ranked[i].place].rejected = i < rejected;
    return (struct multiple_testing_result){
        .rejected_count = rejected, .critical_value = rejected ? ranked[rejected - 1].p_value : 0};
}
