/* Mee's interval: a root search for each end, and within it one for the maximum-likelihood rates at
 * a difference. */
#include "stats/score_interval.h"

#include "math/normal.h"
#include "math/root.h"
#include "stats/two_sample_internal.h"

#include <math.h>

/* Steps of the search for the maximum-likelihood rate: at most, and from one forced bisection to
 * the next. */
enum { STEPS_MAX = 300, STEPS_FREE = 8 };

/* A relative Newton step this small means convergence. */
#define SETTLED 1e-9

#define BESIDE_THE_END 1e-15

/* One arm's users with and without the counted outcome. */
struct outcomes {
    double with, without, users;
};

/* The end above the observed difference; the other one is found by swapping arms and outcomes. */
struct score_problem {
    struct outcomes low, high; /* the arm with the smaller rate, and the other */
    double observed;           /* high's rate minus low's */
    double critical;
};

static double share(double count, double of)
{
    return count > 0 ? count / fmax(of, 0) : 0;
}

/* The derivative of the log-likelihood, and the second derivative. */
static double likelihood_slope(const struct score_problem *problem, double rate, double difference,
                               double *bend)
{
    const struct outcomes *low = &problem->low, *high = &problem->high;
    double rest = 1 - rate, other = rate + difference, remainder = rest - difference;
    double with = share(low->with, rate), high_with = share(high->with, other);
    double without = share(low->without, rest), high_without = share(high->without, remainder);

    *bend = -(with / rate + high_with / other + without / rest + high_without / remainder);
    return with + high_with - without - high_without;
}

static double pooled_rate(const struct score_problem *problem, double difference)
{
    const struct outcomes *low = &problem->low, *high = &problem->high;

    return (low->with + high->with - difference * high->users) / (low->users + high->users);
}

/* The slope falls with the rate, without bound at the ends. Its root is found by Newton's method,
 * with bisection where a step leaves the bracket or converges slowly. `low` has this rate, `high`
 * one that is `difference` higher. */
static double likeliest_rate(const struct score_problem *problem, double difference)
{
    double least = 0, most = 1 - difference, rate = pooled_rate(problem, difference);

    if (problem->low.with == 0 && share(problem->high.with, difference) <=
                                      problem->low.without + share(problem->high.without, most))
        return 0;
    if (!(rate > least && rate < most))
        rate = most / 2;
    for (int i = 0; i < STEPS_MAX && rate > least && rate < most; i++) {
        double bend, slope = likelihood_slope(problem, rate, difference, &bend);
        double next = rate - slope / bend;

        if (fabs(next - rate) <= SETTLED * rate)
            return next;
        if (slope > 0)
            least = rate;
        else
            most = rate;
        if (!(next > least && next < most) || i % STEPS_FREE == STEPS_FREE - 1)
            next = least + (most - least) / 2;
        rate = next;
    }
    return rate;
}

/* The squared standardized distance from the observed difference minus the critical value: negative
 * inside the interval. Below 0 the arms swap. */
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
    if (start <= -1) /* all against none: no variance at the initial value itself */
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

    if (x1 + x2 > n1 + n2 - x1 - x2) { /* small rates are more precise: count the other outcome */
        up.low = (struct outcomes){treatment.without, treatment.with, n2};
        up.high = (struct outcomes){control.without, control.with, n1};
    }
    up.critical = normal_upper_quantile(observed->alpha / 2);
    down = (struct score_problem){up.high, up.low, -up.observed, up.critical};
    return (struct test_interval){TEST_INTERVAL_SCORE, GIVEN_NUMBER(-100 * upper_end(&down)),
                                  GIVEN_NUMBER(100 * upper_end(&up))};
}
