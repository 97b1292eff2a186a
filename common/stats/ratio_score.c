/* Each end is a root. For a given ratio, the maximum-likelihood rates solve a quadratic equation;
 * it is written in counts of users without a conversion, so that rates near 1 keep their
 * precision. */
#include "stats/ratio_score.h"

#include "math/normal.h"
#include "math/root.h"
#include "stats/two_sample_internal.h"

#include <math.h>

enum { DOUBLINGS_MAX = 1100 };

#define BESIDE 0x1p-52

/* Counts of the two arms, c control and t treatment. */
struct ratio_problem {
    double control_users, treatment_users;
    double without_control, without_treatment; /* users without a conversion */
    double conversions;                        /* of both arms */
    double control_rate, difference;
    double critical;
};

/* The variance of treatment - ratio * control at the maximum-likelihood rates whose ratio is 1 +
 * lift. */
static double variance_at(const struct ratio_problem *problem, double lift)
{
    double ratio = 1 + lift, users = problem->control_users + problem->treatment_users;
    double fc = problem->without_control, ft = problem->without_treatment;
    double shift = lift * users, failures = ft + ratio * fc;
    double root = hypot(shift - ratio * fc + ft, 2 * sqrt(ratio * fc * ft));
    double control = 2 * problem->conversions / (ratio * (users - fc) + users - ft + root);
    double control_rest = failures + shift >= 0 ? (failures + shift + root) / (2 * users * ratio)
                                                : -2 * fc * lift / (root - failures - shift);
    double treatment_rest = failures - shift >= 0 ? (failures - shift + root) / (2 * users)
                                                  : 2 * ft * lift / (root + shift - failures);

    return ratio * control * treatment_rest / problem->treatment_users +
           ratio * ratio * control * (control_rest / problem->control_users);
}

/* The squared standardized distance from the observed ratio minus the critical value: negative
 * inside the interval. */
static double excess(double lift, const void *context)
{
    const struct ratio_problem *problem = context;
    double distance = problem->difference - lift * problem->control_rate;

    return distance * distance - problem->critical * problem->critical * variance_at(problem, lift);
}

/* If the observed rates have no variance, the search starts near them. */
static double start_of(const struct ratio_problem *problem, double observed, double step)
{
    return excess(observed, problem) < 0 ? observed : observed + step;
}

static double lower_end(const struct ratio_problem *problem, double observed)
{
    if (observed <= -1)
        return -1;
    return root_find(excess, problem, -1, start_of(problem, observed, -BESIDE), 0);
}

static double upper_end(const struct ratio_problem *problem, double observed)
{
    double start = start_of(problem, observed, BESIDE), step = 1 + fabs(start);

    for (int i = 0; i < DOUBLINGS_MAX && excess(start + step, problem) < 0; i++)
        step *= 2;
    return root_find(excess, problem, start, start + step, 0);
}

struct relative_lift ratio_score_lift(const struct binary_observation *observed)
{
    struct proportions rates = make_proportions(observed);
    double control_users = (double)observed->control_users;
    double treatment_users = (double)observed->treatment_users;
    const struct ratio_problem problem = {
        .control_users = control_users,
        .treatment_users = treatment_users,
        .without_control = (double)(observed->control_users - observed->control_conversions),
        .without_treatment = (double)(observed->treatment_users - observed->treatment_conversions),
        .conversions =
            (double)observed->control_conversions + (double)observed->treatment_conversions,
        .control_rate = rates.control,
        .difference = rates.difference,
        .critical = normal_upper_quantile(observed->alpha / 2)};
    double lift = rates.relative_pct / 100;

    if (observed->control_conversions == 0)
        return (struct relative_lift){.interval = RELATIVE_OF_ZERO};
    return (struct relative_lift){RELATIVE_SCORE, 100 * lower_end(&problem, lift),
                                  100 * upper_end(&problem, lift)};
}
