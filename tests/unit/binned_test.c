/* Bins: where values fall, what is exact, and how often the interval of a quantile is right. */
#include "math/normal.h"
#include "math/random.h"
#include "stats/binned.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

enum { VALUES = 1000, TRIALS = 2000 };

static void count_value(struct binned_cell *cells, double value)
{
    struct binned_cell *cell = &cells[BINNED_LAST + binned_index(value)];

    cell->index = binned_index(value);
    cell->count++;
    sum_add(&cell->sum, value);
    sum_add_product(&cell->squares, value, value);
}

/* Those that hold something, at the beginning. */
static struct binned_sample sample_of(struct binned_cell *cells)
{
    struct binned_sample sample = {.cells = cells};

    for (size_t i = 0; i < 2 * BINNED_LAST + 1; i++) {
        if (cells[i].count == 0)
            continue;
        sample.total += cells[i].count;
        cells[sample.count++] = cells[i];
    }
    return sample;
}

static struct binned_sample sample_values(const double *values, size_t count)
{
    struct binned_cell *cells = calloc(2 * BINNED_LAST + 1, sizeof *cells);

    for (size_t i = 0; i < count; i++)
        count_value(cells, values[i]);
    return sample_of(cells);
}

TEST(every_value_lies_between_the_edges_of_its_place)
{
    static const double values[] = {1e-6, 0.1, 1, 1.0078125, 2, 3, 255, 256, 257, 1e9, 1e12};

    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            double value = sign * values[i];
            struct binned_edges edges = binned_edges(binned_index(value));

            CHECK(edges.lower <= value && value <= edges.upper);
            CHECK(edges.upper - edges.lower <= fabs(value) / 128 * (1 + 1e-12));
        }
    }
    CHECK_INT(binned_index(0), 0);
    CHECK_INT(binned_index(1e-300), 1);
    CHECK_INT(binned_index(-1e100), -BINNED_LAST);
    CHECK(binned_index(1) < binned_index(1.01) && binned_index(-1.01) < binned_index(-1));
    for (double whole = 1; whole < 256; whole++)
        CHECK(binned_index(whole) < binned_index(whole + 1));
}

/* 1..200 and -1..-50: percentiles of whole numbers are themselves, and capped sums by hand. */
TEST(capped_means_are_exact)
{
    double values[250], cap;
    struct binned_sample sample;
    struct binned_moments moments;

    for (int i = 0; i < 250; i++)
        values[i] = i < 200 ? i + 1 : 199 - i;
    sample = sample_values(values, 250);
    CHECK(binned_cap(&sample, 1, 0.9, &cap)); /* rank 225 is 175 */
    CHECK_NEAR(cap, 176, 0);
    moments = binned_capped_moments(&sample, cap);
    /* 1 + ... + 175 + 25 * 176 - 50 * 51 / 2 */
    CHECK_NEAR(moments.mean, (15400 + 4400 - 1275) / 250.0, 1e-12);
    CHECK_NEAR(moments.squares,
               175 * 176 * 351 / 6.0 + 25 * 176 * 176 + 50 * 51 * 101 / 6.0 - 18525.0 * 18525 / 250,
               1e-6);
    values[0] = 1e100;
    free(sample.cells);
    sample = sample_values(values, 250);
    CHECK(!binned_cap(&sample, 1, 1, &cap)); /* beyond the last edge */
    free(sample.cells);
}

TEST(quantiles_fall_into_their_bin)
{
    struct random random = random_start(3, 1);
    double values[VALUES];
    struct binned_quantile quantile;
    struct binned_sample sample;

    for (int i = 0; i < VALUES; i++)
        values[i] = (i * 7919 % VALUES + random_uniform(&random)) / 10; /* one in each tenth */
    sample = sample_values(values, VALUES);
    for (int percent = 5; percent < 100; percent += 5) {
        CHECK(binned_quantile(&sample, percent / 100.0, 1.96, &quantile));
        CHECK(fabs(quantile.value - percent) <= percent / 128.0 + 0.1);
    }
    CHECK(!binned_quantile(&sample, 0.999, 1.96, &quantile)); /* one value beyond it */
    free(sample.cells);
}

/* Two arms of the same exponential values: an interval of 95 % leaves out 0 in 5 % of the trials,
 * here for the median and the 90th percentile of 1000 people, of whom some have no event. */
TEST(intervals_are_right_as_often_as_they_say)
{
    static const double shares[] = {0.5, 0.9};
    double z = normal_upper_quantile(0.025);

    for (int i = 0; i < 2; i++) {
        int wrong = 0;

        for (int trial = 0; trial < TRIALS; trial++) {
            struct binned_quantile quantiles[2];

            for (int arm = 0; arm < 2; arm++) {
                struct random random =
                    random_start(77 + (uint64_t)i, 2 * (uint64_t)trial + (uint64_t)arm);
                double values[VALUES];
                struct binned_sample sample;

                for (int k = 0; k < VALUES; k++)
                    values[k] =
                        random_below(&random, 5) ? -100 * log(1 - random_uniform(&random)) : 0;
                sample = sample_values(values, VALUES);
                CHECK(binned_quantile(&sample, shares[i], z, &quantiles[arm]));
                free(sample.cells);
            }
            wrong += fabs(quantiles[1].value - quantiles[0].value) >
                     z * hypot(quantiles[0].error, quantiles[1].error);
        }
        printf("  share %.2f: %.2f %% of intervals leave out the truth\n", shares[i],
               100.0 * wrong / TRIALS);
        /* 5 % of 2000 with four standard errors: 3.05 to 6.95 %. */
        CHECK(wrong > 0.03 * TRIALS && wrong < 0.07 * TRIALS);
    }
}

TEST_MAIN(CASE(every_value_lies_between_the_edges_of_its_place), CASE(capped_means_are_exact),
          CASE(quantiles_fall_into_their_bin), CASE(intervals_are_right_as_often_as_they_say))
