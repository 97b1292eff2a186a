/* The measured error rates of an experiment, as they are shown (error_rates/measurement.h). */
#ifndef ASSAY_EXPERIMENTS_LIVE_RESULTS_MEASURED_RATES_H
#define ASSAY_EXPERIMENTS_LIVE_RESULTS_MEASURED_RATES_H

#include "base/schema.h"

/* The interval has the confidence of struct measured_error_rates; status: as_expected, above, below
 * (all of the interval lies there) or not_measured. */
struct measured_rate {
    int64_t runs, count;
    struct optional_number rate, lower, upper;
    double expected;
    const char *status;
};
struct measured_metric {
    const char *name, *role, *unit;
    struct optional_number at;
    const struct measured_rate *false_positives;
    const struct measured_rate *coverage;
};
struct measured_error_rates {
    int64_t measured_at;
    bool is_current;
    int64_t seed, runs, users, people;
    double alpha, confidence;
    OBJECT_LIST(struct measured_metric, metrics);
    const struct measured_rate *always_valid; /* of the goal */
    const struct measured_rate *ship;         /* verdicts that would ship a treatment */
};
SCHEMA_OF(measured_error_rates_schema, struct measured_error_rates);

#endif
