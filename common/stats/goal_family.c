/* The rules, each over the table of p-values. */
#include "stats/goal_family.h"

#include "stats/multiple_testing.h"

#include <math.h>

size_t goal_family_place(const struct goal_family *family, size_t goal, size_t treatment)
{
    return goal * family->treatments + treatment;
}

static void holm(const double *p_values, size_t count, struct arena *arena, double *adjusted)
{
    struct adjusted_test *tests = ARENA_ARRAY(arena, struct adjusted_test, count);

    (void)multiple_testing_adjust(MULTIPLE_TESTING_HOLM, p_values, count, 0, arena, tests);
    for (size_t i = 0; i < count; i++)
        adjusted[i] = tests[i].adjusted_p_value;
}

static void take_smallest(const struct goal_family *family, const double *claims,
                          double *treatments)
{
    for (size_t t = 0; t < family->treatments; t++) {
        treatments[t] = 1;
        for (size_t g = 0; g < family->goals; g++)
            treatments[t] = fmin(treatments[t], claims[goal_family_place(family, g, t)]);
    }
}

static void go_in_order(const struct goal_family *family, const double *p_values, double *claims)
{
    for (size_t t = 0; t < family->treatments; t++) {
        double largest = 0;

        for (size_t g = 0; g < family->goals; g++) {
            size_t at = goal_family_place(family, g, t);

            largest = fmax(largest, fmin(1, (double)family->treatments * p_values[at]));
            claims[at] = largest;
        }
    }
}

static void ask_for_all(const struct goal_family *family, const double *p_values,
                        struct arena *arena, double *claims, double *treatments)
{
    double *largest = ARENA_ARRAY(arena, double, family->treatments);

    for (size_t g = 0; g < family->goals; g++)
        for (size_t t = 0; t < family->treatments; t++)
            largest[t] = fmax(largest[t], p_values[goal_family_place(family, g, t)]);
    holm(largest, family->treatments, arena, treatments);
    for (size_t g = 0; g < family->goals; g++)
        for (size_t t = 0; t < family->treatments; t++)
            claims[goal_family_place(family, g, t)] = treatments[t];
}

void goal_family_adjust(const struct goal_family *family, const double *p_values,
                        struct arena *arena, double *claims, double *treatments)
{
    if (family->rule == GOAL_RULE_ALL) {
        ask_for_all(family, p_values, arena, claims, treatments);
        return;
    }
    if (family->rule == GOAL_RULE_ANY_HOLM)
        holm(p_values, family->goals * family->treatments, arena, claims);
    else
        go_in_order(family, p_values, claims);
    take_smallest(family, claims, treatments);
}

double goal_family_interval_alpha(const struct goal_family *family, double alpha)
{
    double count = (double)family->treatments;

    return alpha / (family->rule == GOAL_RULE_ALL ? count : count * (double)family->goals);
}
