/*
 * The interval of an effect in percent of the control value.
 */
#ifndef ASSAY_EXPERIMENTS_METHODS_RELATIVE_LIFT_H
#define ASSAY_EXPERIMENTS_METHODS_RELATIVE_LIFT_H

#include "experiments/methods/two_sample.h"

/* `lift` is treatment / control - 1, the errors are the standard errors of both over the absolute
 * value of control, `critical` the two-sided quantile. The delta method's lift -+ c sqrt(t^2 + (1 +
 * lift)^2 k^2) as long as g = (c k)^2 is below 0.05, where it and Fieller's interval (1954) agree
 * (Cox 1990); Fieller's above, unbounded from g = 1 on. Independent arms. */
struct relative_lift relative_lift(double lift, double control_error, double treatment_error,
                                   double critical);

#endif
