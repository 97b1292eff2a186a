/* The ends are quantiles of beta distributions. */
#include "experiments/error_rates/exact_rate.h"

#include "math/beta.h"

#include <math.h>

struct exact_rate exact_rate(int64_t count, int64_t trials, double confidence)
{
    double tail = (1 - confidence) / 2, k = (double)count, rest = (double)(trials - count);

    if (trials <= 0)
        return (struct exact_rate){NAN, NAN, NAN};
    return (struct exact_rate){k / (double)trials,
                               count == 0 ? 0 : beta_quantile(tail, k, rest + 1),
                               count == trials ? 1 : beta_upper_quantile(tail, k + 1, rest)};
}
