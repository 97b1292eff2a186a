/* Compensated sums and the moments of an array. */
#include "math/sum.h"

#include <math.h>

/* Afterwards high is the rounded total and low what the rounding lost. */
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

double sum_array(const double *values, size_t count)
{
    struct sum sum = {0};

    for (size_t i = 0; i < count; i++)
        sum_add(&sum, values[i]);
    return sum_value(&sum);
}

struct moments moments_of(const double *values, size_t count)
{
    struct moments moments = {.count = count, .mean = NAN, .variance = NAN};

    if (count == 0)
        return moments;

    double n = (double)count;
    struct sum squares = {0}, drift = {0};

    moments.mean = sum_array(values, count) / n;
    for (size_t i = 0; i < count; i++) {
        double deviation = values[i] - moments.mean;

        sum_add(&drift, deviation);
        sum_add_product(&squares, deviation, deviation);
    }
    if (count > 1)
        moments.variance =
            (sum_value(&squares) - sum_value(&drift) * sum_value(&drift) / n) / (n - 1);
    return moments;
}
