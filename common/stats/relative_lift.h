/*
 * The interval of an effect in percent of the magnitude of the control value.
 */
#ifndef ASSAY_STATS_RELATIVE_LIFT_H
#define ASSAY_STATS_RELATIVE_LIFT_H

#include "stats/two_sample.h"

/* Two independent means in units of |control|. */
struct relative_means {
    double lift;                           /* (treatment - control) / |control| */
    bool negative;                         /* control is below 0 */
    double control_error, treatment_error; /* standard errors over |control| */
    double critical;                       /* the two-sided quantile */
};

/* With r = treatment / control, k and t the two errors, c the quantile and g = (c k)^2:
 * g >= 0.05: Fieller's interval (1954) of r - 1, unbounded from g = 1 on.
 * g < 0.05: the delta method's r - 1 -+ c sqrt(t^2 + r^2 k^2); the two agree there (Cox 1990).
 * g < 0.05, both means positive and (c t / r)^2 >= 0.05: the delta method on the log scale,
 * exp(log r -+ c sqrt((t / r)^2 + k^2)) - 1, which stays above -100 %.
 * For a negative control the interval is mirrored, so that positive means larger than control. */
struct relative_lift relative_lift(const struct relative_means *means);

#endif
