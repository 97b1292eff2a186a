/* The mixture is as sure of the planned shares as so many users would be: shifts of about one
 * percent are found soonest. */
#include "experiments/design/srm_sequence.h"

#include "math/special.h"

#include <math.h>

static const double concentration = 1000;

double srm_log_e_value(const int64_t *counts, const double *shares, size_t count)
{
    double total = 0, log_value = 0;

    for (size_t i = 0; i < count; i++) {
        double n = (double)counts[i], prior = concentration * shares[i];

        total += n;
        log_value += log_gamma_ratio(prior, n) - n * log(shares[i]);
    }
    return log_value - log_gamma_ratio(concentration, total);
}
