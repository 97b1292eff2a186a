/* Everything in logarithms: e-values soon leave the range of a double. */
#include "stats/e_values.h"

#include <math.h>
#include <stdlib.h>

static bool is_usable(const struct e_estimate *estimate)
{
    return estimate->variance > 0 && estimate->mixture > 0 && estimate->freedom > 0 &&
           isfinite(estimate->variance + estimate->mixture + estimate->freedom);
}

bool e_log_value(const struct e_estimate *estimate, double *log_value)
{
    double ratio = estimate->mixture / estimate->variance, square;

    if (!is_usable(estimate) || !isfinite(estimate->effect))
        return false;
    square = estimate->effect * (estimate->effect / estimate->variance) / estimate->freedom;
    *log_value = (estimate->freedom + 1) / 2 * (log1p(square) - log1p(square / (1 + ratio))) -
                 log1p(ratio) / 2;
    return true;
}

/* The square at which the e-value reaches the limit solves 1 + s = c (1 + s / (1 + ratio)). */
double e_radius(const struct e_estimate *estimate, double log_limit)
{
    double ratio, growth, left;

    if (!is_usable(estimate))
        return INFINITY;
    ratio = estimate->mixture / estimate->variance;
    growth = (log_limit + log1p(ratio) / 2) * 2 / (estimate->freedom + 1);
    left = -expm1(growth - log1p(ratio)); /* 1 - c / (1 + ratio) */
    if (!(left > 0))
        return INFINITY;
    return sqrt(estimate->variance * estimate->freedom * (expm1(growth) / left));
}

double e_log_limit(double hypotheses, size_t discoveries, double level)
{
    return log(hypotheses / (level * (double)(discoveries > 0 ? discoveries : 1)));
}

static int falling(const void *one, const void *other)
{
    double first = *(const double *)one, second = *(const double *)other;

    return (first < second) - (first > second);
}

size_t e_discover(const double *log_values, size_t count, double hypotheses, double level,
                  struct arena *arena, bool *discovered)
{
    double *sorted = ARENA_ARRAY(arena, double, count);
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        sorted[i] = log_values[i];
    if (count > 1)
        qsort(sorted, count, sizeof sorted[0], falling);
    for (size_t i = 0; i < count; i++)
        if (sorted[i] >= e_log_limit(hypotheses, i + 1, level))
            found = i + 1;
    for (size_t i = 0; i < count; i++)
        discovered[i] = found > 0 && log_values[i] >= sorted[found - 1];
    return found;
}
