/* Benjamini-Hochberg and Holm on sorted p-values. */
#include "stats/multiple_testing.h"

#include "math/sort.h"

#include <math.h>

const char *const multiple_testing_names[MULTIPLE_TESTING__MAX] = {
    [MULTIPLE_TESTING_BH] = "bh",
    [MULTIPLE_TESTING_HOLM] = "holm",
};

static const struct sort_item *rank_all(const double *p_values, size_t count, struct arena *arena)
{
    struct sort_item *ranked = ARENA_ARRAY(arena, struct sort_item, count);

    for (size_t i = 0; i < count; i++)
        ranked[i] = (struct sort_item){p_values[i], (uint32_t)i};
    sort_labelled(ranked, ARENA_ARRAY(arena, struct sort_item, count), count);
    return ranked;
}

/* Each returns the number of rejected p-values among the sorted ones, the smallest first. */

static size_t step_up(const struct sort_item *ranked, size_t count, double level,
                      struct adjusted_test *tests)
{
    double least = 1;
    size_t rejected = 0;

    for (size_t rank = count; rank > 0; rank--) {
        const struct sort_item *test = &ranked[rank - 1];
        double raised = test->value * (double)count / (double)rank;

        least = raised < least ? raised : least;
        tests[test->label].adjusted_p_value = least;
        if (rejected == 0 && test->value <= (double)rank / (double)count * level)
            rejected = rank;
    }
    return rejected;
}

static size_t step_down(const struct sort_item *ranked, size_t count, double level,
                        struct adjusted_test *tests)
{
    double largest = 0;
    size_t rejected = 0;

    for (size_t i = 0; i < count; i++) {
        double remaining = (double)(count - i);

        largest = fmax(largest, fmin(1, ranked[i].value * remaining));
        tests[ranked[i].label].adjusted_p_value = largest;
        if (rejected == i && ranked[i].value <= level / remaining)
            rejected = i + 1;
    }
    return rejected;
}

struct multiple_testing_result multiple_testing_adjust(enum multiple_testing_method method,
                                                       const double *p_values, size_t count,
                                                       double level, struct arena *arena,
                                                       struct adjusted_test *tests)
{
    const struct sort_item *ranked = rank_all(p_values, count, arena);
    size_t rejected = method == MULTIPLE_TESTING_HOLM ? step_down(ranked, count, level, tests)
                                                      : step_up(ranked, count, level, tests);

    for (size_t i = 0; i < count; i++)
        tests[ranked[i].label].rejected = i < rejected;
    return (struct multiple_testing_result){
        .rejected_count = rejected, .critical_value = rejected ? ranked[rejected - 1].value : 0};
}
