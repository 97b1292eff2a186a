/* Random walks of the estimate. */
#include "stats/bayes/loss_stopping.h"

#include "math/beta.h"
#include "math/normal.h"
#include "math/random.h"

#include <math.h>

enum { SEED = 42 };

static const double half_beyond = 0.025;

struct measured_rate measured_rate(int64_t count, int64_t runs)
{
    double k = (double)count, n = (double)runs;

    return (struct measured_rate){k / n, count > 0 ? beta_quantile(half_beyond, k, n - k + 1) : 0,
                                  count < runs ? beta_upper_quantile(half_beyond, k + 1, n - k)
                                               : 1};
}

double normal_loss(double mean, double error)
{
    double z = fabs(mean) / error;

    return error * (normal_density(z) - z * normal_survival(z));
}

/* +1 or -1 where it stops for the treatment or the control, 0 where it does not. */
static int run(const struct stopping_plan *plan, struct random *random)
{
    double sum = 0, step = plan->error * sqrt(plan->looks);

    for (int look = 1; look <= plan->looks; look++) {
        double share = (double)look / plan->looks, weight = share / (share + plan->prior);
        double mean;

        sum += plan->effect + step * random_normal(random);
        mean = weight * sum / look;
        if (normal_loss(mean, plan->error * sqrt(weight / share)) < plan->threshold)
            return mean > 0 ? 1 : -1;
    }
    return 0;
}

void stopping_measure(const struct stopping_plan *plan, struct stopping_rates *rates)
{
    int64_t treatment = 0, control = 0;

    for (int i = 0; i < STOPPING_RUNS; i++) {
        struct random random = random_start(SEED, (uint64_t)i);
        int end = run(plan, &random);

        treatment += end > 0;
        control += end < 0;
    }
    rates->stopped = measured_rate(treatment + control, STOPPING_RUNS);
    rates->chose_treatment = measured_rate(treatment, STOPPING_RUNS);
    rates->chose_control = measured_rate(control, STOPPING_RUNS);
}
