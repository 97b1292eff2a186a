/*
 * The measured error rates of an experiment: its past users are divided anew over its arms a
 * thousand times, and it is counted how often its statistics err. A job with progress; what was
 * found is kept until the next measurement. Docs: docs/use/measured-error-rates.md.
 */
#ifndef ASSAY_EXPERIMENTS_ERROR_RATES_MEASUREMENT_H
#define ASSAY_EXPERIMENTS_ERROR_RATES_MEASUREMENT_H

#include "experiments/error_rates/reassignment.h"
#include "experiments/live_results/measured_rates.h"

/* What is asked for. */
struct error_rates_order {
    int64_t runs, users, seed;
};

/* A measurement as stored, finished or so far. */
struct error_record {
    const char *version; /* of the data and the design, as live_view_version() */
    int64_t seed, runs;
    int64_t runs_done;
    int64_t users, people; /* in the sample, in the arms */
    double alpha;
    int64_t took;        /* microseconds of all runs */
    int64_t measured_at; /* microseconds since 1970 */
    OBJECT_LIST(struct error_tally, metrics);
    int64_t always_valid_runs, always_valid_wrong;
    int64_t verdict_runs, ships, stops;
};
SCHEMA_OF(error_record_schema, struct error_record);

/* Rates of a finished measurement; `version` is that of now. */
const struct measured_error_rates *measured_rates(const struct error_record *record,
                                                  const char *version, struct arena *arena);

enum error_rates_state {
    ERROR_RATES_NONE,
    ERROR_RATES_WAITING,
    ERROR_RATES_RUNNING,
    ERROR_RATES_DONE,
    ERROR_RATES_FAILED,
    ERROR_RATES_STATE__MAX
};

struct error_rates {
    const char *experiment_id;
    int state; /* enum error_rates_state, of the newest measurement */
    struct optional_integer runs, runs_done;
    const char *failure;
    int64_t requested_at;                        /* 0 = never */
    const struct measured_error_rates *measured; /* the newest finished one; NULL = none */
};
SCHEMA_OF(error_rates_schema, struct error_rates);

/* What is known of an experiment. ERROR_NOT_FOUND `not_found`. */
MUST_CHECK enum error error_rates_read(const struct live_call *call, const char *id,
                                       struct error_rates *rates);

/* A text that changes whenever the newest finished measurement does; "" = none was ordered. */
MUST_CHECK enum error error_rates_mark(const struct live_call *call, const char *id,
                                       const char **mark);

/* The newest finished measurement alone; NULL = none. */
MUST_CHECK enum error error_rates_newest(const struct live_call *call, const char *id,
                                         const struct error_record **record);

/* Orders a measurement, unless one is waiting or running: then that one stands. ERROR_NOT_FOUND
 * `project_not_found`, ERROR_INVALID `project_archived`. */
MUST_CHECK enum error error_rates_order(const struct live_call *call, const char *id,
                                        const struct error_rates_order *order);

#endif
