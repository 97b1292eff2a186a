/*
 * Chi-square and G of a table of counts. With N users at most 5 000 000, O N and r c are whole
 * numbers below 2^53, so the excess O N - r c of a cell is exact as a double and nothing cancels
 * however close to independence a table is.
 */
#include "experiments/contingency.h"

#include "math/chi_square.h"
#include "math/special.h"

#include <math.h>

/* What a table sums to along its lines. */
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

/* Stops at the first count that carries the total past its limit, so that no sum overflows. */
static enum contingency_fault add_up(const struct contingency_table *table, struct margins *margins)
{
    size_t columns = table->rows[0].count;

    *margins = (struct margins){0};
    for (size_t i = 0; i < table->row_count; i++) {
        int64_t row = 0;

        for (size_t j = 0; j < columns; j++) {
            int64_t count = table->rows[i].items[j];

            if (count > CONTINGENCY_TOTAL_MAX - margins->total - row)
                return CONTINGENCY_TOO_LARGE;
            row += count;
            margins->columns[j] += (double)count;
        }
        margins->rows[i] = (double)row;
        margins->total += row;
    }
    margins->least_row = least_of(margins->rows, table->row_count);
    margins->least_column = least_of(margins->columns, columns);
    if (margins->total == 0)
        return CONTINGENCY_EMPTY;
    if (margins->least_row == 0 || margins->least_column == 0)
        return CONTINGENCY_EMPTY_LINE;
    return CONTINGENCY_FINE;
}

/* The sum of (O - E)^2 / E, where (O - E)^2 / E = (O N - r c)^2 / (N r c). */
static double chi_square_of(const struct contingency_table *table, const struct margins *margins)
{
    double inverse[CONTINGENCY_LINES_MAX], total = (double)margins->total, sum = 0;
    size_t columns = table->rows[0].count;

    for (size_t j = 0; j < columns; j++)
        inverse[j] = 1 / margins->columns[j];
    for (size_t i = 0; i < table->row_count; i++) {
        const int64_t *counts = table->rows[i].items;
        double row = margins->rows[i], across = 0;

        for (size_t j = 0; j < columns; j++) {
            double excess = (double)counts[j] * total - row * margins->columns[j];

            across += excess * excess * inverse[j];
        }
        sum += across / row;
    }
    return sum / total;
}

/* a ln(a / b) - (a - b): never negative, and nothing cancels near a = b. With r = (a - b) / (a +
 * b), ln(a / b) = 2 atanh(r). */
static double surprise(double a, double b)
{
    double excess = a - b, r = excess / (a + b);

    if (a == 0)
        return b;
    if (r * r > ATANH_SERIES_MAX)
        return a * log(a / b) - excess;
    return r * (excess + 2 * a * (r * r) * atanh_series(r * r));
}

/* Twice the sum of O ln(O / E), with O N and E N in place of O and E. The sum of O - E over a table
 * is 0, so taking it off changes no G. */
static double g_of(const struct contingency_table *table, const struct margins *margins)
{
    double total = (double)margins->total, sum = 0;
    size_t columns = table->rows[0].count;

    for (size_t i = 0; i < table->row_count; i++) {
        const int64_t *counts = table->rows[i].items;
        double row = margins->rows[i];

        for (size_t j = 0; j < columns; j++)
            sum += surprise((double)counts[j] * total, row * margins->columns[j]);
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
