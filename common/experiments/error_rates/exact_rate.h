/*
 * The exact interval of a rate (Clopper and Pearson 1934): at least the stated confidence for every
 * true rate.
 */
#ifndef ASSAY_EXPERIMENTS_ERROR_RATES_EXACT_RATE_H
#define ASSAY_EXPERIMENTS_ERROR_RATES_EXACT_RATE_H

#include <stdint.h>

struct exact_rate {
    double rate, lower, upper;
};

/* Of `count` in `trials`, 0 <= count <= trials; NaN without trials. */
struct exact_rate exact_rate(int64_t count, int64_t trials, double confidence);

#endif
