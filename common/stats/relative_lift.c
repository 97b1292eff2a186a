/* Delta method and Fieller's theorem, in units of the control value. */
#include "stats/relative_lift.h"

#include <math.h>

/* From this squared relative uncertainty of a mean on, the delta method is not accurate enough. */
#define DELTA_UNCERTAINTY_MAX 0.05

/* The interval of ratio - 1. */
struct ratio_interval {
    enum relative_interval kind;
    double lower, upper;
};

static struct ratio_interval delta(const struct relative_means *means, double lift)
{
    double half =
        means->critical * hypot(means->treatment_error, (1 + lift) * means->control_error);

    return (struct ratio_interval){RELATIVE_DELTA, lift - half, lift + half};
}

static struct ratio_interval log_delta(const struct relative_means *means, double lift)
{
    double ratio = 1 + lift;
    double half = means->critical * hypot(means->treatment_error / ratio, means->control_error);

    return (struct ratio_interval){RELATIVE_LOG_DELTA, expm1(log1p(lift) - half),
                                   expm1(log1p(lift) + half)};
}

static struct ratio_interval fieller(const struct relative_means *means, double lift, double g)
{
    double centre = (lift + g) / (1 - g);
    double half = means->critical *
                  hypot(means->treatment_error * sqrt(1 - g), (1 + lift) * means->control_error) /
                  (1 - g);

    return (struct ratio_interval){RELATIVE_FIELLER, centre - half, centre + half};
}

static struct ratio_interval interval_of(const struct relative_means *means, double lift)
{
    double control = means->critical * means->control_error;
    double treatment = means->critical * means->treatment_error / (1 + lift);

    if (!(control * control < 1))
        return (struct ratio_interval){.kind = RELATIVE_UNBOUNDED};
    if (control * control >= DELTA_UNCERTAINTY_MAX)
        return fieller(means, lift, control * control);
    if (!means->negative && lift > -1 && treatment * treatment >= DELTA_UNCERTAINTY_MAX)
        return log_delta(means, lift);
    return delta(means, lift);
}

struct relative_lift relative_lift(const struct relative_means *means)
{
    double sign = means->negative ? -1 : 1;
    struct ratio_interval ratio = interval_of(means, sign * means->lift);
    double one = 100 * sign * ratio.lower, other = 100 * sign * ratio.upper;

    if (ratio.kind == RELATIVE_UNBOUNDED)
        return (struct relative_lift){.interval = RELATIVE_UNBOUNDED};
    if (!isfinite(one) || !isfinite(other))
        return (struct relative_lift){.interval = RELATIVE_TOO_LARGE};
    return (struct relative_lift){ratio.kind, fmin(one, other), fmax(one, other)};
}
