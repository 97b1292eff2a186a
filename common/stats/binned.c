/* Bins by the leading bits of a double: the exponent and seven bits of the fraction. */
#include "stats/binned.h"

#include <math.h>
#include <string.h>

enum { DROPPED_BITS = 45, LEAST_ON_A_SIDE = 10 };

#define SMALLEST 0x1p-20

/* The rounding error of the squares of identical values, relatively. */
#define ALL_THE_SAME 0x1p-90

static int64_t leading_bits(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return (int64_t)(bits >> DROPPED_BITS);
}

static double from_leading_bits(int64_t leading)
{
    uint64_t bits = (uint64_t)leading << DROPPED_BITS;
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

int64_t binned_index(double value)
{
    double size = fabs(value);
    int64_t index;

    if (size == 0)
        return 0;
    index = 1 + leading_bits(fmax(size, SMALLEST)) - leading_bits(SMALLEST);
    index = index < BINNED_LAST ? index : BINNED_LAST;
    return value < 0 ? -index : index;
}

struct binned_edges binned_edges(int64_t index)
{
    int64_t size = index < 0 ? -index : index;
    struct binned_edges edges = {0, 0};

    if (size > 1)
        edges.lower = from_leading_bits(leading_bits(SMALLEST) + size - 1);
    if (size > 0)
        edges.upper =
            size == BINNED_LAST ? INFINITY : from_leading_bits(leading_bits(SMALLEST) + size);
    return index < 0 ? (struct binned_edges){-edges.upper, -edges.lower} : edges;
}

/* The number of values of all samples in the bin or below it. */
static int64_t count_up_to(const struct binned_sample *samples, size_t count, int64_t index)
{
    int64_t found = 0;

    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < samples[i].count && samples[i].cells[k].index <= index; k++)
            found += samples[i].cells[k].count;
    return found;
}

bool binned_cap(const struct binned_sample *samples, size_t count, double share, double *cap)
{
    int64_t low = -BINNED_LAST, high = BINNED_LAST, total = 0;
    double rank;

    for (size_t i = 0; i < count; i++)
        total += samples[i].total;
    rank = ceil(share * (double)total);
    while (low < high) {
        int64_t middle = low + (high - low) / 2;

        if ((double)count_up_to(samples, count, middle) >= rank)
            high = middle;
        else
            low = middle + 1;
    }
    *cap = binned_edges(low).upper;
    return total > 0 && isfinite(*cap);
}

struct binned_moments binned_capped_moments(const struct binned_sample *sample, double cap)
{
    struct sum sum = {0}, squares = {0};

    for (size_t i = 0; i < sample->count; i++) {
        const struct binned_cell *cell = &sample->cells[i];

        if (binned_edges(cell->index).upper <= cap) {
            sum_merge(&sum, &cell->sum);
            sum_merge(&squares, &cell->squares);
        } else {
            sum_add_product(&sum, (double)cell->count, cap);
            sum_add_product(&squares, (double)cell->count * cap, cap);
        }
    }
    return (struct binned_moments){sum_value(&sum) / (double)sample->total,
                                   sum_about_means(&squares, &sum, &sum, (double)sample->total)};
}

static bool all_the_same(const struct binned_cell *cell)
{
    return cell->count == 1 ||
           sum_about_means(&cell->squares, &cell->sum, &cell->sum, (double)cell->count) <
               ALL_THE_SAME * sum_value(&cell->squares);
}

/* Of values that are all the same, that value to its last digit: arms that share it are equal. */
static double mean_of(const struct binned_cell *cell)
{
    double count = (double)cell->count, mean = sum_value(&cell->sum) / count;

    return mean + (fma(-mean, count, cell->sum.high) + cell->sum.low) / count;
}

struct binned_edges binned_cell_ends(const struct binned_cell *cell)
{
    double value = mean_of(cell);

    if (cell->index == 0 || all_the_same(cell))
        return (struct binned_edges){value, value};
    return binned_edges(cell->index);
}

/* The value of a rank, from 1. */
static double value_at(const struct binned_sample *sample, double rank)
{
    const struct binned_cell *cell = sample->cells;
    struct binned_edges edges;
    double before = 0;

    for (size_t i = 0; i + 1 < sample->count && before + (double)cell->count < rank; i++, cell++)
        before += (double)cell->count;
    edges = binned_edges(cell->index);
    if (cell->index == 0 || all_the_same(cell) || !isfinite(edges.lower) || !isfinite(edges.upper))
        return mean_of(cell);
    return edges.lower + (edges.upper - edges.lower) * (rank - before - 0.5) / (double)cell->count;
}

bool binned_quantile(const struct binned_sample *sample, double share, double z,
                     struct binned_quantile *quantile)
{
    double total = (double)sample->total, middle = share * total;
    double reach = z * sqrt(total * share * (1 - share));
    double lower = floor(middle - reach), upper = ceil(middle + reach) + 1;

    if (fmin(middle, total - middle) < LEAST_ON_A_SIDE || lower < 1 || upper > total)
        return false;
    quantile->value = value_at(sample, ceil(middle));
    quantile->error = (value_at(sample, upper) - value_at(sample, lower)) / (2 * z);
    return true;
}
