/* Cochran's Q of the past values against its expectation. */
#include "stats/bayes/past_prior.h"

#include <math.h>

struct spread {
    double total;   /* of the weights */
    double mean;    /* weighted */
    double squares; /* weighted, about the mean */
    double reach; /* the factor of the variance between experiments in the expectation of squares */
};

static struct spread spread_of(const struct past_result *past, size_t count)
{
    struct spread spread = {0};
    double weights = 0;

    for (size_t i = 0; i < count; i++) {
        spread.total += past[i].n;
        spread.mean += past[i].n * past[i].value;
        weights += past[i].n * past[i].n;
    }
    spread.mean /= spread.total;
    for (size_t i = 0; i < count; i++)
        spread.squares += past[i].n * (past[i].value - spread.mean) * (past[i].value - spread.mean);
    spread.reach = spread.total - weights / spread.total;
    return spread;
}

/* How many observations the prior is worth: `within` is the variance of one, over the variance
 * between experiments. */
static double worth(const struct spread *spread, size_t count, double within)
{
    double between = (spread->squares - within * (double)(count - 1)) / spread->reach;

    return between > 0 ? fmin(within / between, spread->total) : spread->total;
}

bool past_rate_prior(const struct past_result *past, size_t count, struct rate_prior *prior)
{
    struct spread spread = spread_of(past, count);
    double n;

    if (!(spread.mean > 0 && spread.mean < 1))
        return false;
    n = worth(&spread, count, spread.mean * (1 - spread.mean));
    *prior = (struct rate_prior){n * spread.mean, n * (1 - spread.mean)};
    return true;
}

bool past_count_prior(const struct past_result *past, size_t count, struct rate_prior *prior)
{
    struct spread spread = spread_of(past, count);
    double n;

    if (!(spread.mean > 0))
        return false;
    n = worth(&spread, count, spread.mean);
    *prior = (struct rate_prior){n * spread.mean, n};
    return true;
}

/* The variance of one value has as many degrees of freedom as there are experiments: it may differ
 * between them. */
bool past_mean_prior(const struct past_result *past, size_t count, struct mean_prior *prior)
{
    struct spread spread = spread_of(past, count);
    double within = 0, degrees = 0;

    for (size_t i = 0; i < count; i++) {
        within += (past[i].n - 1) * past[i].deviation * past[i].deviation;
        degrees += past[i].n - 1;
    }
    within /= degrees;
    if (!(within > 0 && isfinite(within)))
        return false;
    *prior = (struct mean_prior){spread.mean, worth(&spread, count, within), sqrt(within),
                                 (double)count};
    return true;
}
