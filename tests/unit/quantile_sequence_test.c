/* Quantiles of arms whose cells differ: wider cells may hide a difference, but never make one. */
#include "math/random.h"
#include "stats/sequential/confidence_sequence.h"
#include "test.h"

#include <math.h>

enum { TRIALS = 400, VALUES_MAX = 60, PLACES = 8 };

static const double users = 100, alpha = 0.05;

static struct quantile_cells cells_from(const struct quantile_cell *cells, size_t count)
{
    return (struct quantile_cells){count, cells};
}

/* How many of an arm have each of the values 0, 1, ... */
struct counts {
    int64_t of[PLACES];
};

static struct counts draw(struct random *random, bool raised)
{
    struct counts counts = {0};

    for (int i = 0; i < VALUES_MAX; i++)
        counts.of[random_below(random, raised && i % 2 ? 2 : PLACES)]++;
    return counts;
}

/* A cell ends after a place with the chance 1 / `width`. */
static size_t make_cells(const struct counts *counts, struct random *random, uint64_t width,
                         struct quantile_cell *cells)
{
    int64_t through = 0;
    size_t used = 0;

    for (int place = 0, first = 0; place < PLACES; place++) {
        through += counts->of[place];
        if (place + 1 < PLACES && random_below(random, width) > 0)
            continue;
        cells[used++] = (struct quantile_cell){first, place, through};
        first = place + 1;
    }
    return used;
}

TEST(wider_cells_never_make_a_difference)
{
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        struct random random = random_start(11, trial);
        struct counts arms[2] = {draw(&random, false), draw(&random, trial % 2)};
        double p[2];

        for (int wide = 0; wide < 2; wide++) {
            struct quantile_cell cells[2][PLACES];
            struct quantile_cells both[2];
            struct quantile_sequence result;

            for (int arm = 0; arm < 2; arm++)
                both[arm] = cells_from(cells[arm], make_cells(&arms[arm], &random,
                                                              1 + 2 * (uint64_t)wide, cells[arm]));
            quantile_sequence_difference(&both[0], &both[1], 0.5, users, alpha, &result);
            p[wide] = result.p_value;
            CHECK(result.p_value < alpha || (result.lower <= 0 && result.upper >= 0));
        }
        CHECK(p[1] >= p[0] * (1 - 1e-9));
    }
}

/* 65 of 100 are 0 in both arms, kept in two cells; and an atom beside a bin around it. */
TEST(the_same_value_in_other_cells_is_the_same)
{
    const struct quantile_cell zeros[2][3] = {{{0, 0, 55}, {0, 0, 65}, {1, 9, 100}},
                                              {{0, 0, 20}, {0, 0, 65}, {1, 9, 100}}};
    const struct quantile_cell point[] = {{1, 2, 200}, {5, 5, 800}, {6, 9, 1000}};
    const struct quantile_cell bin[] = {{1, 2, 200}, {4.5, 5.5, 801}, {6, 9, 1000}};
    const struct quantile_cells arms[][2] = {
        {{3, zeros[0]}, {3, zeros[1]}}, {{3, point}, {3, bin}}, {{3, bin}, {3, point}}};

    for (size_t i = 0; i < sizeof arms / sizeof arms[0]; i++)
        CHECK_NEAR(quantile_sequence_p(&arms[i][0], &arms[i][1], 0.5, users, alpha), 1, 0);
}

TEST_MAIN(CASE(wider_cells_never_make_a_difference),
          CASE(the_same_value_in_other_cells_is_the_same))
