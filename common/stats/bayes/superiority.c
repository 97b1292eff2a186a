/* Numerical integration over the narrower posterior, on whose range the other's distribution
 * function is smooth. */
#include "stats/bayes/superiority.h"

#include "math/beta.h"
#include "math/normal.h"
#include "math/quadrature.h"

#include <math.h>
#include <stdbool.h>

enum { NODES = 256 };

/* The omitted part of the range of integration on either side. */
#define TAIL 1e-15

struct posterior {
    double a, b;
};

static double spread_of(const struct posterior *posterior)
{
    double total = posterior->a + posterior->b;

    return posterior->a / total * (posterior->b / total) / (total + 1);
}

/* P(other < one), or P(other > one): the mean of the other's tail over the distribution of
 * `one`. */
static double mean_tail(const struct posterior *one, const struct posterior *other, bool above)
{
    double node[NODES], weight[NODES], mean = 0, mass = 0;
    double low = beta_quantile(TAIL, one->a, one->b);
    double high = beta_upper_quantile(TAIL, one->a, one->b);

    if (!gauss_legendre(NODES, low, high, node, weight))
        return NAN;
    for (int i = 0; i < NODES; i++) {
        double density = weight[i] * beta_density(node[i], one->a, one->b);

        mass += density;
        mean += density * (above ? beta_survival(node[i], other->a, other->b)
                                 : beta_cdf(node[i], other->a, other->b));
    }
    return fmin(mean / mass, 1);
}

double superiority_of_rates(int64_t control_conversions, int64_t control_users,
                            int64_t treatment_conversions, int64_t treatment_users)
{
    const struct posterior control = {(double)control_conversions + 1,
                                      (double)(control_users - control_conversions) + 1};
    const struct posterior treatment = {(double)treatment_conversions + 1,
                                        (double)(treatment_users - treatment_conversions) + 1};

    if (spread_of(&control) <= spread_of(&treatment))
        return mean_tail(&control, &treatment, true);
    return mean_tail(&treatment, &control, false);
}

double superiority_of_means(double difference, double standard_error)
{
    if (!(standard_error > 0))
        return 0.5;
    return normal_cdf(difference / standard_error);
}
