/* Admission control for computation: the rules for heavy and cheap requests, the wait, and the
 * counters. */
#include "shm/admission.h"

#include "base/clock.h"
#include "base/fiber.h"
#include "shm/layout.h"

enum { CLASS_CHEAP, CLASS_HEAVY };

static const char COMPUTE[] = "compute";

enum {
    WAIT_MAX_MS = 20, /* the death of a holder wakes no waiter: try again after this */
    FIBER_WAIT_MS =
        4 /* between two looks at the number of releases, where others go on meanwhile */
};

const char *admission_outcome_name(enum admission_outcome outcome)
{
    static const char *const names[ADMISSION_OUTCOME__MAX] = {
        [ADMISSION_GRANTED] = "granted",
        [ADMISSION_HEAVY_CONCURRENCY] = "heavy_concurrency",
        [ADMISSION_COST_BUDGET] = "cost_budget",
        [ADMISSION_CHEAP_CONCURRENCY] = "cheap_concurrency",
    };

    shm_check_index("admission outcome", outcome, ADMISSION_OUTCOME__MAX);
    return names[outcome];
}

static struct semaphore_request request_of(const struct admission_limits *limits, uint32_t cost,
                                           bool heavy)
{
    if (heavy)
        return (struct semaphore_request){.name = COMPUTE,
                                          .class = CLASS_HEAVY,
                                          .cost = cost,
                                          .count_max = limits->max_heavy,
                                          .cost_max = limits->budget};
    return (struct semaphore_request){.name = COMPUTE,
                                      .class = CLASS_CHEAP,
                                      .cost = cost < 1 ? cost : 1,
                                      .count_max = limits->max_cheap};
}

static void raise(_Atomic uint64_t *peak, uint64_t value)
{
    uint64_t seen = atomic_load(peak);

    while (seen < value && !atomic_compare_exchange_weak(peak, &seen, value))
        ;
}

static enum admission_outcome outcome_of(enum semaphore_outcome outcome, bool heavy)
{
    if (outcome == SEMAPHORE_ACQUIRED)
        return ADMISSION_GRANTED;
    if (outcome == SEMAPHORE_COST)
        return ADMISSION_COST_BUDGET;
    return heavy ? ADMISSION_HEAVY_CONCURRENCY : ADMISSION_CHEAP_CONCURRENCY;
}

/* Waits for a release, at most so long. */
static void await_release(struct shm_region *region, uint32_t seen, uint32_t milliseconds)
{
    int64_t now = clock_monotonic_microseconds(), until = now + milliseconds * INT64_C(1000);

    if (!fiber_current()) {
        semaphore_wait(region, seen, milliseconds);
        return;
    }
    while (now < until && semaphore_releases(region) == seen) {
        fiber_sleep(now + FIBER_WAIT_MS * INT64_C(1000));
        now = clock_monotonic_microseconds();
    }
}

enum admission_outcome admission_acquire(struct shm_region *region,
                                         const struct admission_limits *limits, uint32_t cost,
                                         bool heavy, struct semaphore_ticket *ticket)
{
    struct admission_counts *counts = &region->layout->admission;
    const struct semaphore_request request = request_of(limits, cost, heavy);
    int64_t deadline = clock_monotonic_microseconds() + limits->acquire_timeout_ms * INT64_C(1000);

    for (;;) {
        uint32_t seen = semaphore_releases(region);
        struct semaphore_usage usage;
        enum admission_outcome outcome =
            outcome_of(semaphore_try(region, &request, ticket, &usage), heavy);
        int64_t left = (deadline - clock_monotonic_microseconds() + 999) / 1000;

        if (outcome == ADMISSION_GRANTED) {
            raise(heavy ? &counts->heavy_peak : &counts->cheap_peak, usage.count);
            raise(&counts->cost_peak, usage.cost);
            return outcome;
        }
        if (left <= 0) {
            atomic_fetch_add(&counts->rejected_by[outcome], 1);
            return outcome;
        }
        await_release(region, seen, left < WAIT_MAX_MS ? (uint32_t)left : WAIT_MAX_MS);
    }
}

void admission_read_figures(struct shm_region *region, struct admission_figures *figures)
{
    struct admission_counts *counts = &region->layout->admission;
    struct semaphore_usage heavy = semaphore_read_usage(region, COMPUTE, CLASS_HEAVY);
    struct semaphore_usage cheap = semaphore_read_usage(region, COMPUTE, CLASS_CHEAP);

    *figures = (struct admission_figures){.heavy_in_flight = heavy.count,
                                          .cheap_in_flight = cheap.count,
                                          .cost_in_flight = cheap.cost,
                                          .heavy_peak = (uint32_t)atomic_load(&counts->heavy_peak),
                                          .cheap_peak = (uint32_t)atomic_load(&counts->cheap_peak),
                                          .cost_peak = atomic_load(&counts->cost_peak),
                                          .reclaimed = semaphore_reclaimed(region)};
    for (int i = 0; i < ADMISSION_OUTCOME__MAX; i++)
        figures->rejected_by[i] = atomic_load(&counts->rejected_by[i]);
}
