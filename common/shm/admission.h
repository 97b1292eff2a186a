/*
 * Admission of heavy computation: how many requests may compute at the same time on this host, and
 * how much they may cost together. Each admitted request holds a slot that carries its process;
 * slots of processes that died are taken back by whoever asks next.
 *
 * Heavy: refused when `max_heavy` run, or when others run and the cost in flight plus its own
 * would pass `budget` (a lone heavy request always passes). Cheap: refused when `max_cheap` run;
 * adds at most one unit to the cost in flight.
 */
#ifndef ASSAY_SHM_ADMISSION_H
#define ASSAY_SHM_ADMISSION_H

#include "shm/region.h"

#include <stdbool.h>

enum {
    ADMISSION_SLOTS_MAX = 256,       /* requests in flight; more are refused for their lane */
    ADMISSION_ANALYZERS_MAX = 32,    /* names with a count of their own; the rest share "other" */
    ADMISSION_ANALYZER_NAME_MAX = 32 /* bytes with the NUL; longer names are cut */
};

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

/* Zeroed, it holds nothing. Keep it in the request, so that every way out releases it. */
struct admission_ticket {
    uint32_t slot; /* 1 to ADMISSION_SLOTS_MAX; 0 = none */
    uint32_t generation;
};

/* Asks for `cost` units in the heavy or the cheap lane, waiting (asleep) up to the timeout. On
 * ADMISSION_GRANTED the ticket holds a slot until admission_release(); else it is zeroed and the
 * outcome says what stood in the way last. `analyzer` is counted when refused. */
enum admission_outcome admission_acquire(struct shm_region *region,
                                         const struct admission_limits *limits, uint32_t cost,
                                         bool heavy, const char *analyzer,
                                         struct admission_ticket *ticket) MUST_CHECK;

/* Gives the slot back and zeroes the ticket. Harmless on a ticket that holds nothing. */
void admission_release(struct shm_region *region, struct admission_ticket *ticket);

struct admission_analyzer {
    char name[ADMISSION_ANALYZER_NAME_MAX];
    uint64_t rejected;
};

struct admission_figures {
    uint32_t heavy_in_flight, cheap_in_flight;
    uint64_t cost_in_flight;
    uint32_t heavy_peak, cheap_peak;
    uint64_t cost_peak;
    uint64_t admitted, rejected;
    uint64_t rejected_by[ADMISSION_OUTCOME__MAX]; /* [ADMISSION_GRANTED] stays 0 */
    uint64_t reclaimed;                           /* slots taken back from dead processes */
    size_t analyzer_count;
    struct admission_analyzer analyzers[ADMISSION_ANALYZERS_MAX + 1]; /* in order of arrival */
};

/* A consistent picture; takes back slots of dead processes first. */
void admission_read_figures(struct shm_region *region, struct admission_figures *figures);

#endif
