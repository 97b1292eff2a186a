/* The slope is a weighted sum of the estimates, and so is its variance known. */
#include "stats/contrasts/trend.h"

#include "math/normal.h"

#include <math.h>

bool trend_test(const struct trend_points *points, double level, struct trend *result)
{
    double weights = 0, x = 0, y = 0, spread = 0, variance = 0, radius;
    double share[TREND_POINTS_MAX];

    *result = (struct trend){0};
    for (size_t i = 0; i < points->count; i++) {
        double weight = 1 / points->covariance[i][i];

        if (!(points->covariance[i][i] > 0) || !isfinite(weight))
            return false;
        weights += weight;
        x += weight * points->x[i];
        y += weight * points->estimate[i];
    }
    x /= weights;
    y /= weights;
    for (size_t i = 0; i < points->count; i++)
        spread += pow(points->x[i] - x, 2) / points->covariance[i][i];
    if (!(spread > 0))
        return false;
    for (size_t i = 0; i < points->count; i++) {
        share[i] = (points->x[i] - x) / points->covariance[i][i] / spread;
        result->slope += share[i] * points->estimate[i];
    }
    for (size_t i = 0; i < points->count; i++)
        for (size_t j = 0; j < points->count; j++)
            variance += share[i] * share[j] * points->covariance[i][j];
    if (!(variance > 0))
        return false;
    result->intercept = y - result->slope * x;
    result->standard_error = sqrt(variance);
    radius = normal_upper_quantile(level / 2) * result->standard_error;
    result->ci_lower = result->slope - radius;
    result->ci_upper = result->slope + radius;
    result->p_value = fmin(1, 2 * normal_survival(fabs(result->slope) / result->standard_error));
    return true;
}
