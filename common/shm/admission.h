/*
 * Admission control for computation: how many requests may compute at the same time on this host,
 * and how much they may cost together. The semaphore `compute` holds them, with a class for heavy
 * and one for cheap requests.
 *
 * Heavy: refused when `max_heavy` run, or when others run and the cost in flight plus its own would
 * pass `budget` (a lone heavy request always passes). Cheap: refused when `max_cheap` run; adds at
 * most one unit to the cost in flight.
 */
#ifndef ASSAY_SHM_ADMISSION_H
#define ASSAY_SHM_ADMISSION_H

#include "shm/semaphore.h"

struct admission_limits {
    uint32_t max_heavy;
    uint32_t max_cheap;
    uint32_t budget;             /* cost units in flight */
    uint32_t acquire_timeout_ms; /* 0 = answer at once */
};

enum admission_outcome {
    ADMISSION_GRANTED = 0,
    ADMISSION_HEAVY_CONCURRENCY,
    ADMISSION_COST_BUDGET,
    ADMISSION_CHEAP_CONCURRENCY,
    ADMISSION_OUTCOME__MAX
};

/* "granted", "heavy_concurrency", "cost_budget", "cheap_concurrency". */
const char *admission_outcome_name(enum admission_outcome outcome);

/* Acquires `cost` units as a heavy or a cheap request, waiting (asleep) up to the timeout. On
 * ADMISSION_GRANTED the ticket is held until semaphore_release(); else it is zeroed and the outcome
 * is the last reason for refusal. Keep the ticket in the request, so that every exit path releases
 * it. */
enum admission_outcome admission_acquire(struct shm_region *region,
                                         const struct admission_limits *limits, uint32_t cost,
                                         bool heavy, struct semaphore_ticket *ticket) MUST_CHECK;

struct admission_figures {
    uint32_t heavy_in_flight, cheap_in_flight;
    uint64_t cost_in_flight;
    uint32_t heavy_peak, cheap_peak;
    uint64_t cost_peak;
    uint64_t rejected_by[ADMISSION_OUTCOME__MAX]; /* [ADMISSION_GRANTED] stays 0 */
    uint64_t reclaimed;                           /* tickets of dead processes */
};

void admission_read_figures(struct shm_region *region, struct admission_figures *figures);

#endif
