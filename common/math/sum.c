/* Compensated sums and the moments of an array. */
#include "math/sum.h"

#include "math/pair.h"

#include <math.h>

/* Long arrays are summed in eight independent strands, two to a pair, so that additions do not wait
 * for each other; their totals are merged at the end. */
enum { STRANDS = 8 };

struct strands {
    pair high[STRANDS / 2], low[STRANDS / 2];
};

/* Afterwards high is the rounded total and low the rounding error. */
void sum_add(struct sum *sum, double value)
{
    double total = sum->high + value, part = total - sum->high;

    if (!isfinite(total)) {
        *sum = (struct sum){.high = total};
        return;
    }

    double lost = sum->low + ((sum->high - (total - part)) + (value - part));

    sum->high = total + lost;
    sum->low = lost - (sum->high - total);
}

void sum_add_product(struct sum *sum, double x, double y)
{
    double product = x * y;

    sum_add(sum, product);
    if (isfinite(product))
        sum_add(sum, fma(x, y, -product));
}

void sum_merge(struct sum *sum, const struct sum *other)
{
    sum_add(sum, other->high);
    sum_add(sum, other->low);
}

double sum_value(const struct sum *sum)
{
    return sum->high;
}

/* With x = n a + r and y = n b + s, where a and b are means as doubles: products less n a b, a s, b
 * r and r s / n. */
double sum_about_means(const struct sum *products, const struct sum *x, const struct sum *y,
                       double count)
{
    struct sum total = *products;
    double a = x->high / count, b = y->high / count;
    double r = fma(-a, count, x->high) + x->low, s = fma(-b, count, y->high) + y->low;
    double product = a * b;

    sum_add_product(&total, -product, count);
    sum_add_product(&total, -fma(a, b, -product), count);
    sum_add_product(&total, -a, s);
    sum_add_product(&total, -b, r);
    sum_add(&total, -r * (s / count));
    return sum_value(&total);
}

static inline void add_pair(struct strands *strands, int i, pair value)
{
    pair high = strands->high[i], total = high + value, part = total - high;

    strands->low[i] += (high - (total - part)) + (value - part);
    strands->high[i] = total;
}

static struct sum merge_strands(const struct strands *strands)
{
    struct sum sum = {0};

    for (int i = 0; i < STRANDS; i++) {
        sum_add(&sum, strands->high[i / 2][i % 2]);
        if (isfinite(strands->low[i / 2][i % 2]))
            sum_add(&sum, strands->low[i / 2][i % 2]);
    }
    return sum;
}

double sum_array(const double *values, size_t count)
{
    struct strands strands = {0};
    size_t i = 0;

    for (; i + STRANDS <= count; i += STRANDS) {
        add_pair(&strands, 0, load_pair(values + i));
        add_pair(&strands, 1, load_pair(values + i + 2));
        add_pair(&strands, 2, load_pair(values + i + 4));
        add_pair(&strands, 3, load_pair(values + i + 6));
    }

    struct sum sum = merge_strands(&strands);

    for (; i < count; i++)
        sum_add(&sum, values[i]);
    return sum_value(&sum);
}

double sum_magnitudes(const double *values, size_t count)
{
    double totals[4] = {0};
    size_t i = 0;

    for (; i + 4 <= count; i += 4) {
        totals[0] += fabs(values[i]);
        totals[1] += fabs(values[i + 1]);
        totals[2] += fabs(values[i + 2]);
        totals[3] += fabs(values[i + 3]);
    }
    for (; i < count; i++)
        totals[0] += fabs(values[i]);
    return totals[0] + totals[1] + (totals[2] + totals[3]);
}

/* A vertical distance from a line, in two copies. */
static inline pair distance_from(const struct line *line, const double *x, const double *y)
{
    pair across = load_pair(x) - line->x, up = load_pair(y) - line->y;

    return up - line->slope * across;
}

static inline void add_distance(struct strands *squares, pair *drift, int i, pair distance)
{
    add_pair(squares, i, distance * distance);
    drift[i] += distance;
}

double sum_squares_about_line(const double *x, const double *y, size_t count,
                              const struct line *line)
{
    struct strands strands = {0};
    pair drift[STRANDS / 2] = {{0}};
    size_t i = 0;

    for (; i + STRANDS <= count; i += STRANDS) {
        add_distance(&strands, drift, 0, distance_from(line, x + i, y + i));
        add_distance(&strands, drift, 1, distance_from(line, x + i + 2, y + i + 2));
        add_distance(&strands, drift, 2, distance_from(line, x + i + 4, y + i + 4));
        add_distance(&strands, drift, 3, distance_from(line, x + i + 6, y + i + 6));
    }

    struct sum squares = merge_strands(&strands);
    pair drifts = drift[0] + drift[1] + (drift[2] + drift[3]);
    double total_drift = drifts[0] + drifts[1];

    for (; i < count; i++) {
        double distance = y[i] - line->y - line->slope * (x[i] - line->x);

        sum_add(&squares, distance * distance);
        total_drift += distance;
    }
    double about_mean = sum_value(&squares) - total_drift * total_drift / (double)count;

    return about_mean < 0 ? 0 : about_mean;
}

struct moments moments_of(const double *values, size_t count)
{
    struct moments moments = {.count = count, .mean = NAN, .variance = NAN};

    if (count == 0)
        return moments;

    double n = (double)count;

    moments.mean = sum_array(values, count) / n;
    if (count > 1) {
        struct line level = {.y = moments.mean};

        moments.variance = sum_squares_about_line(values, values, count, &level) / (n - 1);
    }
    return moments;
}
