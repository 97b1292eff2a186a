/* The Poisson distribution: Loader's formula for the mass, incomplete gamma functions for the
 * sums. */
#include "math/poisson.h"

#include "math/gamma.h"
#include "math/special.h"
#include "math/tails.h"

#include <math.h>
#include <stdbool.h>

struct poisson {
    double mean, lower, upper;
};

static bool is_mean(double mean)
{
    return mean >= 0 && mean <= 0x1p52;
}

double poisson_log_pmf(int64_t k, double mean)
{
    if (!is_mean(mean))
        return NAN;
    if (k < 0)
        return -INFINITY;
    if (mean == 0)
        return k == 0 ? 0 : -INFINITY;
    return log_poisson_mass((double)k, mean, mean - (double)k);
}

double poisson_pmf(int64_t k, double mean)
{
    return exp(poisson_log_pmf(k, mean));
}

double poisson_cdf(int64_t k, double mean)
{
    if (!is_mean(mean))
        return NAN;
    return k < 0 ? 0 : gamma_survival(mean, (double)k + 1);
}

double poisson_survival(int64_t k, double mean)
{
    if (!is_mean(mean))
        return NAN;
    return k < 0 ? 1 : gamma_cdf(mean, (double)k + 1);
}

static bool reached(int64_t k, const void *context)
{
    const struct poisson *shape = context;

    if (shape->lower <= shape->upper)
        return poisson_cdf(k, shape->mean) >= tails_relaxed_lower(shape->lower);
    return poisson_survival(k, shape->mean) <= tails_relaxed_upper(shape->upper);
}

double poisson_quantile(double probability, double mean)
{
    if (!is_probability(probability) || !is_mean(mean))
        return NAN;
    if (probability == 1)
        return mean == 0 ? 0 : INFINITY;

    struct poisson shape = {.mean = mean, .lower = probability, .upper = 1 - probability};

    return (double)tails_search(reached, &shape, tails_count_guess(mean, mean, 1, probability), 0,
                                INT64_C(1) << 53);
}
