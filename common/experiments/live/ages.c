/* Adds users up by days since their exposure. */
#include "experiments/live/ages.h"

#include "experiments/live/units.h"

#include <math.h>

static const int64_t day_length = INT64_C(86400) * 1000000;

size_t live_ages_in_window(int64_t window)
{
    int64_t days = window > 0 ? window / day_length : LIVE_AGES_MAX;

    return days < LIVE_AGES_MAX ? (size_t)days : LIVE_AGES_MAX;
}

void live_ages_start(struct live_ages *ages, int64_t until, size_t count, struct arena *arena)
{
    *ages = (struct live_ages){.until = until, .count = count};
    ages->cells = arena_alloc(arena, LIVE_ARMS_MAX * sizeof ages->cells[0]);
    for (int arm = 0; arm < LIVE_ARMS_MAX; arm++)
        for (int first = 0; first < LIVE_AGES_MAX; first++)
            for (int second = 0; second < LIVE_AGES_MAX; second++)
                ages->cells[arm][first][second] = (struct live_age_cell){0};
}

int live_age_of(const struct live_ages *ages, int64_t at, int64_t exposed_at)
{
    int64_t day = at > exposed_at ? (at - exposed_at) / day_length : 0;

    return day < (int64_t)ages->count ? (int)day : -1;
}

static void add_pair(struct live_age_cell *cell, double first, double second)
{
    cell->people++;
    if (!(fabs(first) <= LIVE_VALUE_MAX) || !(fabs(second) <= LIVE_VALUE_MAX)) {
        cell->huge++;
        return;
    }
    if (first == 0)
        return;
    sum_add(&cell->value, first);
    sum_add_product(&cell->products, first, second);
}

void live_ages_add(struct live_ages *ages, int64_t arm, int64_t exposed_at,
                   const double values[LIVE_AGES_MAX])
{
    int64_t over = ages->until > exposed_at ? (ages->until - exposed_at) / day_length : 0;
    size_t days = over < (int64_t)ages->count ? (size_t)over : ages->count;

    for (size_t second = 0; second < days; second++)
        for (size_t first = 0; first <= second; first++)
            add_pair(&ages->cells[arm][first][second], values[first], values[second]);
}

struct object_list live_ages_rows(const struct live_ages *ages, struct arena *arena)
{
    struct live_age *rows = NULL;
    size_t count = 0;

    for (int64_t arm = 0; arm < LIVE_ARMS_MAX && ages->count; arm++) {
        for (size_t first = 0; first < ages->count; first++) {
            for (size_t second = first; second < ages->count; second++) {
                const struct live_age_cell *cell = &ages->cells[arm][first][second];

                if (cell->people)
                    *ARRAY_ADD(arena, rows, count) =
                        (struct live_age){.arm = arm,
                                          .first = (int64_t)first,
                                          .second = (int64_t)second,
                                          .people = cell->people,
                                          .huge = cell->huge,
                                          .value_sum = sum_value(&cell->value),
                                          .products = sum_value(&cell->products)};
            }
        }
    }
    return (struct object_list){count, rows};
}
