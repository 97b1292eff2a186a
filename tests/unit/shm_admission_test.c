/* Admission: the rule of each class, waiting, and tickets whose holders were killed. */
#include "shm/admission.h"

#include "shm/process.h"
#include "shm_children.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

/* The defaults of the service, without waiting. */
static const struct admission_limits limits = {.max_heavy = 2, .max_cheap = 32, .budget = 250};

static enum admission_outcome acquire(struct shm_region *region, uint32_t cost, bool heavy,
                                      struct semaphore_ticket *ticket)
{
    return admission_acquire(region, &limits, cost, heavy, ticket);
}

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void pause_milliseconds(int milliseconds)
{
    struct timespec pause = {.tv_sec = milliseconds / 1000,
                             .tv_nsec = milliseconds % 1000 * 1000000L};

    nanosleep(&pause, NULL);
}

TEST(a_lone_heavy_request_passes_whatever_it_costs)
{
    struct shm_region *region = open_anonymous();
    struct semaphore_ticket first, second;

    CHECK_INT(acquire(region, 100000, true, &first), ADMISSION_GRANTED);
    CHECK_INT(acquire(region, 8, true, &second), ADMISSION_COST_BUDGET);
    CHECK_INT(second.cell, 0);
    semaphore_release(region, &first);
    CHECK_INT(acquire(region, 8, true, &second), ADMISSION_GRANTED);
    CHECK_INT(acquire(region, 242, true, &first), ADMISSION_GRANTED); /* 250 in all */
    semaphore_release(region, &first);
    CHECK_INT(acquire(region, 243, true, &first), ADMISSION_COST_BUDGET);
    shm_region_close(region);
}

TEST(heavy_requests_are_refused_by_number_first)
{
    struct shm_region *region = open_anonymous();
    struct semaphore_ticket tickets[3];

    CHECK_INT(acquire(region, 8, true, &tickets[0]), ADMISSION_GRANTED);
    CHECK_INT(acquire(region, 8, true, &tickets[1]), ADMISSION_GRANTED);
    CHECK_INT(acquire(region, 100000, true, &tickets[2]), ADMISSION_HEAVY_CONCURRENCY);
    shm_region_close(region);
}

TEST(cheap_requests_add_one_unit_at_most_and_have_a_limit_of_their_own)
{
    struct shm_region *region = open_anonymous();
    struct semaphore_ticket tickets[34];
    struct admission_figures figures;

    CHECK_INT(acquire(region, 249, true, &tickets[32]), ADMISSION_GRANTED);
    for (int i = 0; i < 32; i++)
        CHECK_INT(acquire(region, (uint32_t)i % 8, false, &tickets[i]), ADMISSION_GRANTED);
    CHECK_INT(acquire(region, 1, false, &tickets[33]), ADMISSION_CHEAP_CONCURRENCY);
    admission_read_figures(region, &figures);
    CHECK_INT(figures.heavy_in_flight, 1);
    CHECK_INT(figures.cheap_in_flight, 32);
    CHECK_INT(figures.cost_in_flight, 249 + 28); /* four of the cheap ones cost nothing */
    shm_region_close(region);
}

TEST(figures_count_peaks_and_refusals_by_reason)
{
    struct shm_region *region = open_anonymous();
    struct semaphore_ticket tickets[3];
    struct admission_figures figures;

    CHECK_INT(acquire(region, 100, true, &tickets[0]), ADMISSION_GRANTED);
    CHECK_INT(acquire(region, 200, true, &tickets[1]), ADMISSION_COST_BUDGET);
    CHECK_INT(acquire(region, 100, true, &tickets[1]), ADMISSION_GRANTED);
    CHECK_INT(admission_acquire(region, &limits, 20, true, &tickets[2]),
              ADMISSION_HEAVY_CONCURRENCY);
    CHECK_INT(admission_acquire(region, &limits, 20, true, &tickets[2]),
              ADMISSION_HEAVY_CONCURRENCY);
    semaphore_release(region, &tickets[0]);
    semaphore_release(region, &tickets[0]); /* harmless */
    admission_read_figures(region, &figures);
    CHECK_INT(figures.rejected_by[ADMISSION_COST_BUDGET], 1);
    CHECK_INT(figures.rejected_by[ADMISSION_HEAVY_CONCURRENCY], 2);
    CHECK_INT(figures.heavy_in_flight, 1);
    CHECK_INT(figures.heavy_peak, 2);
    CHECK_INT(figures.cost_in_flight, 100);
    CHECK_INT(figures.cost_peak, 200);
    shm_region_close(region);
}

TEST(outcomes_have_names)
{
    CHECK_TEXT(admission_outcome_name(ADMISSION_GRANTED), "granted");
    CHECK_TEXT(admission_outcome_name(ADMISSION_HEAVY_CONCURRENCY), "heavy_concurrency");
    CHECK_TEXT(admission_outcome_name(ADMISSION_COST_BUDGET), "cost_budget");
    CHECK_TEXT(admission_outcome_name(ADMISSION_CHEAP_CONCURRENCY), "cheap_concurrency");
}

TEST(tickets_end_before_limits_beyond_the_table)
{
    const struct admission_limits wide = {.max_heavy = 1, .max_cheap = 100000, .budget = 1};
    struct shm_region *region = open_anonymous();
    struct semaphore_ticket ticket;

    for (int i = 0; i < SEMAPHORE_TICKETS_MAX; i++)
        CHECK_INT(admission_acquire(region, &wide, 1, false, &ticket), ADMISSION_GRANTED);
    CHECK_INT(admission_acquire(region, &wide, 1, false, &ticket), ADMISSION_CHEAP_CONCURRENCY);
    CHECK_INT(admission_acquire(region, &wide, 9, true, &ticket), ADMISSION_HEAVY_CONCURRENCY);
    shm_region_close(region);
}

TEST(a_ticket_of_the_past_releases_nothing)
{
    struct shm_region *region = open_anonymous();
    struct semaphore_ticket ticket, stale, wild = {.cell = 100000, .generation = 7};
    struct admission_figures figures;

    CHECK_INT(acquire(region, 8, true, &ticket), ADMISSION_GRANTED);
    stale = ticket;
    semaphore_release(region, &ticket);
    CHECK_INT(acquire(region, 8, true, &ticket), ADMISSION_GRANTED);
    CHECK_INT(ticket.cell, stale.cell);
    semaphore_release(region, &stale);
    semaphore_release(region, &wild);
    admission_read_figures(region, &figures);
    CHECK_INT(figures.heavy_in_flight, 1);
    shm_region_close(region);
}

TEST(waiting_lasts_as_long_as_the_timeout)
{
    struct admission_limits patient = limits;
    struct shm_region *region = open_anonymous();
    struct semaphore_ticket ticket, second;
    double started;

    patient.acquire_timeout_ms = 100;
    patient.max_heavy = 1;
    CHECK_INT(acquire(region, 8, true, &ticket), ADMISSION_GRANTED);
    started = seconds_now();
    CHECK_INT(admission_acquire(region, &patient, 8, true, &second), ADMISSION_HEAVY_CONCURRENCY);
    CHECK(seconds_now() - started >= 0.1);
    CHECK(seconds_now() - started < 2);
    shm_region_close(region);
}

static int hold_for_a_while(int child, void *context)
{
    struct semaphore_ticket ticket;

    if (child == 1) { /* asks while the other one holds */
        const struct admission_limits patient = {1, 1, 1, 20000};

        pause_milliseconds(50);
        return admission_acquire(context, &patient, 8, true, &ticket);
    }
    if (acquire(context, 8, true, &ticket) != ADMISSION_GRANTED)
        return 1;
    pause_milliseconds(200);
    semaphore_release(context, &ticket);
    return 0;
}

TEST(a_waiter_follows_a_release)
{
    struct shm_region *region = open_anonymous();
    double started = seconds_now();

    CHECK_INT(run_children(2, hold_for_a_while, region), 0);
    CHECK(seconds_now() - started >= 0.2);
    CHECK(seconds_now() - started < 10); /* far from the 20 seconds it would have waited */
    shm_region_close(region);
}

/* Waiters also look again every 20 ms, which would hide a release that wakes nobody; so one child
 * sleeps on the word itself, much longer. */
static int sleep_on_the_word(int child, void *context)
{
    struct shm_region *region = context;
    const struct timespec long_nap = {.tv_sec = 20};
    struct semaphore_ticket ticket;

    if (child == 0)
        atomic_fetch_add(&region->layout->semaphores.waiters, 1);
    if (child == 0)
        return syscall(SYS_futex, &region->layout->semaphores.releases, FUTEX_WAIT, 0, &long_nap,
                       NULL, 0) != 0 &&
               errno != EAGAIN; /* the release came first */
    pause_milliseconds(100);
    if (acquire(region, 8, true, &ticket) != ADMISSION_GRANTED)
        return 1;
    semaphore_release(region, &ticket);
    return 0;
}

TEST(a_release_wakes_sleepers)
{
    struct shm_region *region = open_anonymous();

    CHECK_INT(run_children(2, sleep_on_the_word, region), 0);
    CHECK_INT(region->layout->semaphores.releases, 1);
    shm_region_close(region);
}

static int come_and_go(int child, void *context)
{
    const struct admission_limits tight = {2, 3, 250, 10000};
    struct semaphore_ticket ticket;

    for (int i = 0; i < 300; i++) {
        bool heavy = (child + i) % 2;

        if (admission_acquire(context, &tight, heavy ? 10 : 1, heavy, &ticket) != ADMISSION_GRANTED)
            return 1;
        semaphore_release(context, &ticket);
    }
    return 0;
}

TEST(eight_processes_never_pass_the_limits)
{
    struct shm_region *region = open_anonymous();
    struct admission_figures figures;

    CHECK_INT(run_children(8, come_and_go, region), 0);
    admission_read_figures(region, &figures);
    CHECK_INT(figures.heavy_in_flight + figures.cheap_in_flight, 0);
    CHECK_INT(figures.cost_in_flight, 0);
    CHECK(figures.heavy_peak >= 1 && figures.heavy_peak <= 2);
    CHECK(figures.cheap_peak >= 1 && figures.cheap_peak <= 3);
    shm_region_close(region);
}

static void acquire_then_be_refused(void *context)
{
    const struct admission_limits one = {1, 1, 10, 0};
    struct semaphore_ticket ticket;

    for (int i = 0; i < 2; i++) {
        if (admission_acquire(context, &one, 10, true, &ticket) == ADMISSION_OUTCOME__MAX)
            abort();
    }
    shm_checkpoint("test.end"); /* killed here it holds a ticket */
}

TEST(a_worker_killed_anywhere_gives_its_ticket_back)
{
    const struct admission_limits one = {1, 1, 10, 1000};
    int n = 1;

    for (bool killed = true; killed; n++) {
        struct shm_region *region = open_anonymous();
        struct admission_figures figures;
        struct semaphore_ticket ticket;

        killed = child_killed_at(n, acquire_then_be_refused, region);
        CHECK_INT(admission_acquire(region, &one, 10, true, &ticket), ADMISSION_GRANTED);
        admission_read_figures(region, &figures);
        CHECK_INT(figures.heavy_in_flight, 1);
        CHECK_INT(figures.cost_in_flight, 10);
        CHECK_INT(figures.reclaimed, n > 1); /* killed before it held one, or not */
        shm_region_close(region);
    }
    CHECK_INT(n - 2, 3); /* filled, taken, end */
}

static int wait_for_the_dying(int child, void *context)
{
    const struct admission_limits one = {1, 1, 10, 20000};
    struct semaphore_ticket ticket;

    if (child == 1) {
        pause_milliseconds(50);
        return admission_acquire(context, &one, 8, true, &ticket);
    }
    if (admission_acquire(context, &one, 8, true, &ticket) != ADMISSION_GRANTED)
        return 1;
    pause_milliseconds(150);
    kill(getpid(), SIGKILL);
    return 2;
}

TEST(a_waiter_takes_over_from_a_holder_that_dies)
{
    struct shm_region *region = open_anonymous();
    struct admission_figures figures;
    double started = seconds_now();

    CHECK_INT(run_children(2, wait_for_the_dying, region), 1); /* only the one that was killed */
    CHECK(seconds_now() - started < 10);
    admission_read_figures(region, &figures);
    CHECK_INT(figures.heavy_peak, 1);
    shm_region_close(region);
}

/* A child that was killed and not yet waited for, and a number given out again. */
TEST(zombies_and_later_processes_are_not_the_holder)
{
    uint64_t own = process_start_time();
    uint64_t child_start = 0;
    pid_t child;
    siginfo_t information;

    CHECK(own > 0);
    CHECK(process_is_alive(getpid(), own));
    CHECK(!process_is_alive(getpid(), own - 1));
    CHECK(!process_is_alive(0, own));
    CHECK(!process_is_alive(-5, own));
    child = fork();
    if (child == 0)
        _exit(process_start_time() >= own ? 0 : 1);
    waitid(P_PID, (id_t)child, &information, WEXITED | WNOWAIT);
    CHECK(!process_is_alive(child, child_start));
    waitpid(child, NULL, 0);
    CHECK(!process_is_alive(child, child_start));
}

/* The kit must survive whatever bytes it finds; the lock itself is left alone. */
TEST(damaged_tables_never_crash_a_worker)
{
    struct shm_region *region = open_anonymous();
    struct semaphore_table *table = &region->layout->semaphores;
    unsigned char *bytes = (unsigned char *)&table->releases;
    size_t length = sizeof *table - offsetof(struct semaphore_table, releases);
    uint32_t state = 12345;

    for (int round = 0; round < 300; round++) {
        struct semaphore_ticket ticket;
        struct admission_figures figures;

        for (int i = 0; i < 50; i++) {
            state = state * 1664525 + 1013904223;
            bytes[(state >> 8) % (i % 2 ? length : 256)] = (unsigned char)(state >> 24);
        }
        if (acquire(region, 8, round % 2, &ticket) == ADMISSION_GRANTED)
            semaphore_release(region, &ticket);
        admission_read_figures(region, &figures);
    }
    shm_region_close(region);
}

TEST_MAIN(CASE(a_lone_heavy_request_passes_whatever_it_costs),
          CASE(heavy_requests_are_refused_by_number_first),
          CASE(cheap_requests_add_one_unit_at_most_and_have_a_limit_of_their_own),
          CASE(figures_count_peaks_and_refusals_by_reason), CASE(outcomes_have_names),
          CASE(tickets_end_before_limits_beyond_the_table),
          CASE(a_ticket_of_the_past_releases_nothing), CASE(waiting_lasts_as_long_as_the_timeout),
          CASE(a_waiter_follows_a_release), CASE(a_release_wakes_sleepers),
          CASE(eight_processes_never_pass_the_limits),
          CASE(a_worker_killed_anywhere_gives_its_ticket_back),
          CASE(a_waiter_takes_over_from_a_holder_that_dies),
          CASE(zombies_and_later_processes_are_not_the_holder),
          CASE(damaged_tables_never_crash_a_worker))
