/* The likelihood ratio against a normal mixture over the effects, in logarithms. */
#include "stats/always_valid.h"

#include <math.h>

void always_valid_test(double difference, double variance, double mixture, double alpha,
                       struct always_valid *result)
{
    double total = variance + mixture, spread, log_ratio, radius;

    *result = (struct always_valid){0};
    if (!(variance > 0 && mixture > 0 && isfinite(total) && isfinite(difference)))
        return;
    spread = log1p(mixture / variance) / 2;
    log_ratio = mixture / total * difference * (difference / variance) / 2 - spread;
    radius = sqrt(2 * variance * (total / mixture) * (spread - log(alpha)));
    result->evaluable = true;
    result->p_value = log_ratio <= 0 ? 1 : exp(-log_ratio);
    result->confidence_level = 1 - alpha;
    result->lower = difference - radius;
    result->upper = difference + radius;
    result->is_significant = result->p_value < alpha;
    result->mixture_variance = mixture;
}
