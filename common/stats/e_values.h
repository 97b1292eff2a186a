/*
 * E-values: evidence against "no effect" that may be looked at whenever one likes, and discoveries
 * among many of them with a limited false discovery rate.
 *
 * The e-value of a difference is the likelihood ratio of a normal mixture over the effects against
 * no effect, with the heavier tails that an estimated variance calls for (Gonen, Johnson, Lu and
 * Westfall 2005; Wang and Ramdas 2023). Its expectation without an effect is at most 1 at every
 * stopping time. E-BH (Wang and Ramdas 2022) and the intervals of what was selected (e-BY: Xu, Wang
 * and Ramdas 2022) hold under any dependence.
 */
#ifndef ASSAY_STATS_E_VALUES_H
#define ASSAY_STATS_E_VALUES_H

#include "base/arena.h"

#include <stdbool.h>

/* An estimated difference. `mixture` is the variance of the effects that the e-value is tuned for,
 * fixed before the data; `freedom` the degrees of freedom of the estimated variance. */
struct e_estimate {
    double effect;
    double variance; /* of the estimate */
    double mixture;
    double freedom;
};

/* The logarithm of the e-value; false when a variance is not positive and finite, or there is no
 * degree of freedom. */
bool e_log_value(const struct e_estimate *estimate, double *log_value);

/* Half the width of the interval of effects whose e-value is below exp(log_limit): the effects that
 * a level of exp(-log_limit) does not reject at any look. Infinite while the data are too few. */
double e_radius(const struct e_estimate *estimate, double log_limit);

/* E-BH: marks the discoveries among `count` e-values, given as logarithms, and returns their
 * number. `hypotheses` is how many were fixed before the data, `count` or more: those without data
 * have no e-value. `level` is the false discovery rate. */
size_t e_discover(const double *log_values, size_t count, double hypotheses, double level,
                  struct arena *arena, bool *discovered);

/* What an e-value must reach, as a logarithm, when `discoveries` were made (0 counts as 1); the
 * intervals with this limit are those of what was selected. */
double e_log_limit(double hypotheses, size_t discoveries, double level);

#endif
