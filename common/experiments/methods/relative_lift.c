/* Delta method and Fieller's theorem, in units of the control value. */
#include "experiments/methods/relative_lift.h"

#include <math.h>

/* From this share of the control value's uncertainty on its square matters. */
#define DELTA_UNCERTAINTY_MAX 0.05

struct relative_lift relative_lift(double lift, double control_error, double treatment_error,
                                   double critical)
{
    double ratio = 1 + lift, uncertainty = critical * control_error;
    double centre = lift, half, g = uncertainty * uncertainty;
    struct relative_lift found = {.interval = RELATIVE_DELTA};

    if (!(g < 1))
        return (struct relative_lift){.interval = RELATIVE_UNBOUNDED};
    if (g < DELTA_UNCERTAINTY_MAX) {
        half = critical * hypot(treatment_error, ratio * control_error);
    } else {
        found.interval = RELATIVE_FIELLER;
        centre = (lift + g) / (1 - g);
        half = critical * hypot(treatment_error * sqrt(1 - g), ratio * control_error) / (1 - g);
    }
    found.lower_pct = 100 * (centre - half);
    found.upper_pct = 100 * (centre + half);
    if (!isfinite(found.lower_pct) || !isfinite(found.upper_pct))
        return (struct relative_lift){.interval = RELATIVE_TOO_LARGE};
    return found;
}
