/* The probability that the treatment is better than the control, with flat priors. */
#ifndef ASSAY_STATS_BAYES_SUPERIORITY_H
#define ASSAY_STATS_BAYES_SUPERIORITY_H

#include <stdint.h>

/* P(treatment rate > control rate) under independent uniform priors: the exact integral of the two
 * beta posteriors, to 1e-9. Counts as in struct binary_observation. */
double superiority_of_rates(int64_t control_conversions, int64_t control_users,
                            int64_t treatment_conversions, int64_t treatment_users);

/* P(treatment mean > control mean) for means known to a standard error; 1/2 when that is 0. */
double superiority_of_means(double difference, double standard_error);

#endif
