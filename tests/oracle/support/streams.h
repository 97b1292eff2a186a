/*
 * Streams of users for simulations: draws of a value with a covariate from before, the sums of an
 * arm, and the difference of two arms with the variance of its estimate.
 */
#ifndef ASSAY_STREAMS_H
#define ASSAY_STREAMS_H

#include "math/draws.h"

#include <stdbool.h>
#include <stdint.h>

struct stream_user {
    double value, covariate, denominator;
};

/* The parameter is a deviation, the shape of the tail, or a rate. Ratios have a user's orders, 1 or
 * more, as denominators. About half of the variance was there before. */
typedef void stream_draw(struct draws *draws, double parameter, struct stream_user *user);
stream_draw stream_normal, stream_log_normal, stream_pareto, stream_rate, stream_ratio;

/* Sums of an arm: of 1, value, covariate and denominator, and of their products. */
struct stream_sums {
    double n, one[3], two[3][3];
};
void stream_add(struct stream_sums *sums, const struct stream_user *user);

enum stream_metric { METRIC_MEAN, METRIC_RATE, METRIC_RATIO_OF_TOTALS };

/* The second arm less the first one, adjusted by the covariate or not. */
void stream_estimate(const struct stream_sums arms[2], enum stream_metric metric, bool adjusted,
                     double *difference, double *variance);

/* The lower end of the one-sided interval of level 99 % of a rate (Clopper and Pearson 1934). */
double stream_lower_bound(int64_t count, int64_t runs);

#endif
