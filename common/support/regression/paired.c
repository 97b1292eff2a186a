/* The exact paired test with severities, and its power. */
#include "support/regression/paired.h"
#include "math/binomial.h"
#include "math/normal.h"

#include <math.h>
#include <stdlib.h>

enum { EXACT_MOST = 2000, STEPS = 40 };

static double normal_p_value(double loss, double squares)
{
    return normal_survival((loss - 0.5) / sqrt(squares));
}

/* The distribution of the sum of the severities of which a fair coin takes each: `chance[s]`. */
static double exact_p_value(const int *weights, size_t count, int total, int worse)
{
    double *chance = calloc((size_t)total + 1, sizeof *chance), p = 0;
    int reached = 0;

    if (!chance)
        return NAN;
    chance[0] = 1;
    for (size_t i = 0; i < count; i++) {
        reached += weights[i];
        for (int sum = reached; sum >= 0; sum--)
            chance[sum] = (chance[sum] + (sum >= weights[i] ? chance[sum - weights[i]] : 0)) / 2;
    }
    for (int sum = total; sum >= worse; sum--)
        p += chance[sum];
    free(chance);
    return p < 1 ? p : 1;
}

double paired_p_value(const struct paired_case *cases, size_t count)
{
    int *weights = malloc((EXACT_MOST + 1) * sizeof *weights), total = 0, worse = 0;
    size_t different = 0;
    double squares = 0, p = 1;

    if (!weights)
        return NAN;
    for (size_t i = 0; i < count; i++) {
        if (cases[i].baseline_passed == cases[i].candidate_passed)
            continue;
        if (different < EXACT_MOST)
            weights[different] = cases[i].severity;
        different++;
        total += cases[i].severity;
        squares += (double)cases[i].severity * cases[i].severity;
        if (cases[i].baseline_passed)
            worse += cases[i].severity;
    }
    if (different > EXACT_MOST)
        p = normal_p_value(2.0 * worse - total, squares);
    else if (different)
        p = exact_p_value(weights, different, total, worse);
    free(weights);
    return p;
}

/* The smallest number of losses among the differing cases at which the test is significant; one
 * more than their number when it never is. */
static int64_t critical(int64_t different, double alpha)
{
    int64_t k = (int64_t)binomial_quantile(1 - alpha, different, 0.5) + 1;

    while (k > 0 && binomial_survival(k - 2, different, 0.5) <= alpha)
        k--;
    while (k <= different && binomial_survival(k - 1, different, 0.5) > alpha)
        k++;
    return k;
}

double paired_power(int64_t cases, double lost, double won, double alpha)
{
    double differ = lost + won, share = differ > 0 ? lost / differ : 0, power = 0;
    double middle = (double)cases * differ,
           reach = 9 * sqrt(middle * (1 - (differ < 1 ? differ : 1))) + 20;
    int64_t first = (int64_t)fmax(0, middle - reach),
            last = (int64_t)fmin((double)cases, middle + reach);

    if (differ <= 0 || differ > 1)
        return differ > 1 ? NAN : 0;
    for (int64_t count = first; count <= last; count++) {
        double weight = binomial_pmf(count, cases, differ);

        if (weight > 1e-14)
            power += weight * binomial_survival(critical(count, alpha) - 1, count, share);
    }
    return power;
}

/* By bisection: the smallest fall with the requested power. */
static double least_drop(int64_t cases, double won, double alpha, double power)
{
    double low = 0, high = 1 - 2 * won;

    if (cases < 1 || high <= 0 || !(paired_power(cases, won + high, won, alpha) >= power))
        return 2;
    for (int i = 0; i < STEPS; i++) {
        double middle = (low + high) / 2;

        if (paired_power(cases, won + middle, won, alpha) >= power)
            high = middle;
        else
            low = middle;
    }
    return high;
}

static int64_t cases_needed(double won, double alpha, double power, double target)
{
    int64_t low = 0, high = 8;

    if (target <= 0 || won + won + target > 1)
        return -1;
    while (paired_power(high, won + target, won, alpha) < power) {
        low = high;
        high *= 2;
        if (high > PAIRED_CASES_MAX)
            return -1;
    }
    while (high - low > 1) {
        int64_t middle = (low + high) / 2;

        if (paired_power(middle, won + target, won, alpha) >= power)
            high = middle;
        else
            low = middle;
    }
    return high;
}

struct paired_reach paired_reach(int64_t cases, double won, double alpha, double power,
                                 double target)
{
    return (struct paired_reach){.alpha = alpha,
                                 .power = power,
                                 .won = won,
                                 .drop = least_drop(cases, won, alpha, power),
                                 .target = target,
                                 .needed = cases_needed(won, alpha, power, target)};
}
