/* The binomial distribution: Loader's formula for the mass, incomplete beta functions for the
 * sums. */
#include "math/binomial.h"

#include "math/beta.h"
#include "math/normal.h"
#include "math/special.h"
#include "math/tails.h"

#include <math.h>
#include <stdbool.h>

struct binomial {
    int64_t n;
    double p, lower, upper;
};

static bool are_parameters(int64_t n, double p)
{
    return n >= 0 && n <= INT64_C(1) << 53 && is_probability(p);
}

/* Given K successes and F failures as independent Poisson counts, K is binomial once K + F = n. */
double binomial_log_pmf(int64_t k, int64_t n, double p)
{
    if (!are_parameters(n, p))
        return NAN;
    if (k < 0 || k > n || (p == 0 && k > 0) || (p == 1 && k < n))
        return -INFINITY;
    if (p == 0 || p == 1 || n == 0)
        return 0;
    if (k == 0)
        return (double)n * log1p(-p);
    if (k == n)
        return (double)n * log(p);

    double total = (double)n, successes = (double)k, failures = (double)(n - k);
    double excess = fma(total, p, -successes);

    return log_poisson_mass(successes, total * p, excess) +
           log_poisson_mass(failures, total * (1 - p), -excess) - log_poisson_mass(total, total, 0);
}

double binomial_pmf(int64_t k, int64_t n, double p)
{
    return exp(binomial_log_pmf(k, n, p));
}

double binomial_cdf(int64_t k, int64_t n, double p)
{
    if (!are_parameters(n, p))
        return NAN;
    if (k < 0 || k >= n)
        return k < 0 ? 0 : 1;
    return beta_survival(p, (double)k + 1, (double)(n - k));
}

double binomial_survival(int64_t k, int64_t n, double p)
{
    if (!are_parameters(n, p))
        return NAN;
    if (k < 0 || k >= n)
        return k < 0 ? 1 : 0;
    return beta_cdf(p, (double)k + 1, (double)(n - k));
}

static bool reached(int64_t k, const void *context)
{
    const struct binomial *shape = context;

    if (shape->lower <= shape->upper)
        return binomial_cdf(k, shape->n, shape->p) >= tails_relaxed_lower(shape->lower);
    return binomial_survival(k, shape->n, shape->p) <= tails_relaxed_upper(shape->upper);
}

double binomial_quantile(double probability, int64_t n, double p)
{
    if (!is_probability(probability) || !are_parameters(n, p))
        return NAN;
    if (probability == 1)
        return p == 0 ? 0 : (double)n;

    struct binomial shape = {.n = n, .p = p, .lower = probability, .upper = 1 - probability};
    double variance = (double)n * p * (1 - p);
    double guess = tails_count_guess((double)n * p, variance, 1 - 2 * p, probability);

    return (double)tails_search(reached, &shape, guess, 0, n);
}
