/* Mee's interval: one root for the likeliest rates at a difference, one for each end. */
#include "experiments/methods/score_interval.h"

#include "experiments/methods/two_sample_internal.h"
#include "math/normal.h"
#include "math/root.h"

#include <math.h>

enum { HALVINGS_MAX = 200 };

#define BESIDE_THE_END 1e-15

/* One arm's users with and without what is counted. */
struct outcomes {
    double with, without, users;
};

/* The end above the observed difference; arms and outcomes are swapped to find the others. */
struct score_problem {
    struct outcomes low, high; /* the arm whose rate is the smaller one, and the other */
    double observed;           /* high's rate less low's */
    double critical;
};

static double share(double count, double of)
{
    return count > 0 ? count / fmax(of, 0) : 0;
}

/* The derivative of the likelihood falls with the rate: its root by halving, which takes slopes
 * without bound at the ends, down to neighbouring doubles. `low` has this rate, `high` one that is
 * `difference` above. */
static double likeliest_rate(const struct score_problem *problem, double difference)
{
    const struct outcomes *low = &problem->low, *high = &problem->high;
    double least = 0, most = 1 - difference;

    for (int i = 0; i < HALVINGS_MAX; i++) {
        double rate = least + (most - least) / 2, rest = 1 - rate;

        if (rate <= least || rate >= most)
            break;
        if (share(low->with, rate) + share(high->with, rate + difference) >
            share(low->without, rest) + share(high->without, rest - difference))
            least = rate;
        else
            most = rate;
    }
    return least;
}

/* Squared distance from the observed difference less what the test allows: negative inside. Below 0
 * the arms change places. */
static double excess(double difference, const void *context)
{
    struct score_problem problem = *(const struct score_problem *)context;
    double distance = difference - problem.observed, rate, other, variance;

    if (difference < 0) {
        struct outcomes low = problem.low;

        problem.low = problem.high;
        problem.high = low;
        difference = -difference;
    }
    rate = likeliest_rate(&problem, difference);
    other = rate + difference;
    variance = rate * (1 - rate) / problem.low.users + other * (1 - other) / problem.high.users;
    return distance * distance - problem.critical * problem.critical * variance;
}

static double upper_end(const struct score_problem *problem)
{
    double start = problem->observed;

    if (start >= 1)
        return 1;
    if (start <= -1) /* everybody against nobody: no variance at the start itself */
        start += BESIDE_THE_END;
    return root_find(excess, problem, start, 1, 0);
}

struct test_interval score_interval(const struct binary_observation *observed)
{
    struct proportions rates = make_proportions(observed);
    double x1 = (double)observed->control_conversions, n1 = (double)observed->control_users;
    double x2 = (double)observed->treatment_conversions, n2 = (double)observed->treatment_users;
    struct outcomes control = {x1, n1 - x1, n1}, treatment = {x2, n2 - x2, n2};
    struct score_problem up = {control, treatment, rates.difference, 0}, down;

    if (x1 + x2 > n1 + n2 - x1 - x2) { /* small rates keep their digits: count the others */
        up.low = (struct outcomes){treatment.without, treatment.with, n2};
        up.high = (struct outcomes){control.without, control.with, n1};
    }
    up.critical = normal_upper_quantile(observed->alpha / 2);
    down = (struct score_problem){up.high, up.low, -up.observed, up.critical};
    return (struct test_interval){TEST_INTERVAL_SCORE, GIVEN_NUMBER(-100 * upper_end(&down)),
                                  GIVEN_NUMBER(100 * upper_end(&up))};
}
