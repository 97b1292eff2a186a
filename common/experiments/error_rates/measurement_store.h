/* Contains all SQL of measured error rates, but that of clearing an experiment: one row per
 * experiment. */
#ifndef ASSAY_EXPERIMENTS_ERROR_RATES_MEASUREMENT_STORE_H
#define ASSAY_EXPERIMENTS_ERROR_RATES_MEASUREMENT_STORE_H

#include "experiments/error_rates/measurement.h"

struct error_rates_row {
    int64_t request; /* number of the order; 0 = there is no row */
    int state;       /* enum error_rates_state */
    int64_t seed, runs, users;
    const char *failure;
    int64_t requested_at;
    const char *running; /* struct error_record as JSON; NULL = not begun */
    const char *result;  /* of the newest finished measurement */
};

MUST_CHECK enum error error_rates_row_read(const struct live_call *call, const char *id,
                                           struct error_rates_row *row);

/* A text that changes whenever the newest finished measurement does; "" = there is no row. Cheap:
 * what was measured is not read. */
MUST_CHECK enum error error_rates_row_mark(const struct live_call *call, const char *id,
                                           const char **mark);

/* Puts an order in place of what is finished; `request` is its number, 0 where one is in hand. */
MUST_CHECK enum error error_rates_row_order(const struct live_call *call, const char *id,
                                            const struct error_rates_order *order,
                                            int64_t *request);

/* These change the row of the order `request` while it is in hand; `found` says whether it was. */
MUST_CHECK enum error error_rates_row_progress(const struct live_call *call, const char *id,
                                               int64_t request, const char *record, bool *found);
MUST_CHECK enum error error_rates_row_finish(const struct live_call *call, const char *id,
                                             int64_t request, const char *record);
MUST_CHECK enum error error_rates_row_fail(const struct live_call *call, const char *id,
                                           int64_t request, const char *why);

#endif
