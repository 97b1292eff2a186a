/*
 * Chi-square and G of a table of counts. With N users at most 5 000 000, O N and r c are whole
 * numbers below 2^53, so the excess O N - r c of a cell is exact as a double and nothing cancels
 * however close to independence a table is.
 */
#include "stats/contingency.h"

#include "math/chi_square.h"
#include "math/pair.h"
#include "math/special.h"

#include <math.h>
#include <string.h>

/* Sums of this many counts up to this value do not overflow. */
static const uint64_t COUNT_MAX = UINT32_MAX;

/* The bits of 2^52: adding an integer to the low bits gives the double 2^52 + integer. */
static const uint64_t WHOLE = 0x4330000000000000;

/* The row and column totals of a table. */
struct margins {
    double rows[CONTINGENCY_LINES_MAX];
    double columns[CONTINGENCY_LINES_MAX];
    double least_row, least_column;
    int64_t total;
};

static double least_of(const double *totals, size_t count)
{
    double least = totals[0];

    for (size_t i = 1; i < count; i++)
        least = totals[i] < least ? totals[i] : least;
    return least;
}

/* Stops at a row with a count over COUNT_MAX, or at which the total exceeds its limit, before a sum
 * could overflow. */
static enum contingency_fault add_up(const struct contingency_table *table, struct margins *margins)
{
    size_t columns = table->rows[0].count;
    uint64_t total = 0, down[CONTINGENCY_LINES_MAX] = {0};

    *margins = (struct margins){0};
    for (size_t i = 0; i < table->row_count; i++) {
        uint64_t across = 0, bits = 0; /* the bitwise or of all counts */

        for (size_t j = 0; j < columns; j++) {
            uint64_t count = (uint64_t)table->rows[i].items[j];

            across += count;
            down[j] += count;
            bits |= count;
        }
        total += across;
        if (bits > COUNT_MAX || total > CONTINGENCY_TOTAL_MAX)
            return CONTINGENCY_TOO_LARGE;
        margins->rows[i] = (double)across;
    }
    for (size_t j = 0; j < columns; j++)
        margins->columns[j] = (double)down[j];
    margins->total = (int64_t)total;
    margins->least_row = least_of(margins->rows, table->row_count);
    margins->least_column = least_of(margins->columns, columns);
    if (margins->total == 0)
        return CONTINGENCY_EMPTY;
    if (margins->least_row == 0 || margins->least_column == 0)
        return CONTINGENCY_EMPTY_LINE;
    return CONTINGENCY_FINE;
}

static void invert(const double *values, size_t count, double *inverse)
{
    for (size_t i = 0; i < count; i++)
        inverse[i] = 1 / values[i];
}

static inline pair count_pair(const int64_t *counts)
{
    pair_bits loaded;

    memcpy(&loaded, counts, sizeof loaded);
    return (pair)(loaded | WHOLE) - 0x1p52;
}

/* The sum of (O - E)^2 / E, where (O - E)^2 / E = (O N - r c)^2 / (N r c). */
static double chi_square_of(const struct contingency_table *table, const struct margins *margins)
{
    double inverse[CONTINGENCY_LINES_MAX], total = (double)margins->total, sum = 0;
    size_t columns = table->rows[0].count;

    invert(margins->columns, columns, inverse);
    for (size_t i = 0; i < table->row_count; i++) {
        const int64_t *counts = table->rows[i].items;
        double row = margins->rows[i], across = 0;
        pair even = {0}, odd = {0}; /* independent sums */
        size_t j = 0;

        for (; j + 4 <= columns; j += 4) {
            pair one = count_pair(counts + j) * total - row * load_pair(margins->columns + j);
            pair two =
                count_pair(counts + j + 2) * total - row * load_pair(margins->columns + j + 2);

            even += one * one * load_pair(inverse + j);
            odd += two * two * load_pair(inverse + j + 2);
        }
        for (; j < columns; j++) {
            double excess = (double)counts[j] * total - row * margins->columns[j];

            across += excess * excess * inverse[j];
        }
        even += odd;
        sum += (even[0] + even[1] + across) / row;
    }
    return sum / total;
}

/*
 * a ln(a / b) - (a - b) of two cells, where 0 ln 0 is 0. With c = b 2^k such that a / c lies
 * between 0.7 and 1.5, and r = (a - c) / (a + c), ln(a / b) is k ln 2 + 2 atanh(r), and all of it
 * a k ln 2 + (b - c) + r (a - c + 2 a (r^2 / 3 + r^4 / 5 + ...)). Where a is close to b, k is 0 and
 * nothing cancels. `inverse` is 1 / b, but for rounding.
 */
static inline pair surprise(pair a, pair b, pair inverse)
{
    const uint64_t one = 0x3ff0000000000000, root_of_half = 0x3fe6a09e667f3bcd;
    pair_bits empty = (pair_bits)(a == 0) & (pair_bits)b; /* b where a is 0 */
    pair filled = a + (pair)empty;
    pair_bits above = (pair_bits)(filled * inverse) + (one - root_of_half);
    pair power = (pair)(above & 0x7ff0000000000000);
    pair k = (pair)(above >> 52 | WHOLE) - (0x1p52 + 1023);
    pair c = b * power, excess = filled - c, r = excess / (filled + c), square = r * r;

    return filled * k * M_LN2 + (b - c) +
           r * (excess + 2 * filled * square * atanh_series_small(square)) + (pair)empty;
}

/* Twice the sum of O ln(O / E), with O N and E N instead of O and E. The sum of O - E over a table
 * is 0, so taking it off changes no G. */
static double g_of(const struct contingency_table *table, const struct margins *margins)
{
    double inverse[CONTINGENCY_LINES_MAX], total = (double)margins->total, sum = 0;
    size_t columns = table->rows[0].count;

    invert(margins->columns, columns, inverse);
    for (size_t i = 0; i < table->row_count; i++) {
        const int64_t *counts = table->rows[i].items;
        double row = margins->rows[i], inverse_row = 1 / row;
        pair across = {0};
        size_t j = 0;

        for (; j + 2 <= columns; j += 2)
            across +=
                surprise(count_pair(counts + j) * total, row * load_pair(margins->columns + j),
                         load_pair(inverse + j) * inverse_row);
        if (j < columns) /* paired with an empty cell */
            across +=
                surprise((pair){(double)counts[j] * total, 1}, (pair){row * margins->columns[j], 1},
                         (pair){inverse[j] * inverse_row, 1});
        sum += across[0] + across[1];
    }
    return 2 * sum / total;
}

enum contingency_fault contingency_test(const struct contingency_table *table,
                                        enum contingency_method method, double alpha,
                                        struct contingency_result *result)
{
    struct margins margins;
    enum contingency_fault fault = add_up(table, &margins);
    int64_t rows = (int64_t)table->row_count, columns = (int64_t)table->rows[0].count;
    int64_t degrees = (rows - 1) * (columns - 1);
    double statistic, total = (double)margins.total;

    if (fault)
        return fault;
    statistic =
        method == CONTINGENCY_G_TEST ? g_of(table, &margins) : chi_square_of(table, &margins);
    *result = (struct contingency_result){
        .statistic = statistic,
        .degrees_of_freedom = degrees,
        .p_value = chi_square_survival(statistic, (double)degrees),
        .cramers_v = sqrt(statistic / (total * (double)((rows < columns ? rows : columns) - 1))),
        .total = margins.total,
        .min_expected = margins.least_row * margins.least_column / total};
    result->is_significant = result->p_value < alpha;
    return CONTINGENCY_FINE;
}
