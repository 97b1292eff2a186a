/* The job that measures error rates. */
#ifndef ASSAY_EXPERIMENTS_ERROR_RATES_MEASUREMENT_JOB_H
#define ASSAY_EXPERIMENTS_ERROR_RATES_MEASUREMENT_JOB_H

#include "experiments/live_results/live_results.h"
#include "jobs/job.h"

extern const struct job_kind error_rates_kind;

/* The context of its runner. */
struct error_rates_runner {
    int64_t spike_events, mixture_users;
    int64_t seconds;    /* a measurement that takes longer ends with the runs that it has */
    bool (*stop)(void); /* the job goes on later from where it is */
};

/* Adds the job of an order, in the caller's transaction. */
MUST_CHECK enum error error_rates_job_add(const struct live_call *call, const char *id,
                                          int64_t request);

/* Whether that job is still to be run, or runs: a dead letter is not. */
MUST_CHECK enum error error_rates_job_waits(const struct live_call *call, const char *id,
                                            int64_t request, bool *waits);

#endif
