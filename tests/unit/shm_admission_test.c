/* Admission: the rule of each lane, waiting, and slots whose holders were killed. */
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
                                      struct admission_ticket *ticket)
{
    return admission_acquire(region, &limits, cost, heavy, "bootstrap", ticket);
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
    struct admission_ticket first, second;

    CHECK_INT(acquire(region, 100000, true, &first), ADMISSION_GRANTED);
    CHECK_INT(acquire(region, 8, true, &second), ADMISSION_COST_BUDGET);
    CHECK_INT(second.slot, 0);
    admission_release(region, &first);
    CHECK_INT(acquire(region, 8, true, &second), ADMISSION_GRANTED);
    CHECK_INT(acquire(region, 242, true, &first), ADMISSION_GRANTED); /* 250 in all */
    admission_release(region, &first);
    CHECK_INT(acquire(region, 243, true, &first), ADMISSION_COST_BUDGET);
    shm_region_close(region);
}

TEST(heavy_requests_are_refused_by_number_first)
{
    struct shm_region *region = open_anonymous();
    struct admission_ticket tickets[3];

    CHECK_INT(acquire(region, 8, true, &tickets[0]), ADMISSION_GRANTED);
    CHECK_INT(acquire(region, 8, true, &tickets[1]), ADMISSION_GRANTED);
    CHECK_INT(acquire(region, 100000, true, &tickets[2]), ADMISSION_HEAVY_CONCURRENCY);
    shm_region_close(region);
}

TEST(cheap_requests_add_one_unit_at_most_and_have_their_own_lane)
{
    struct shm_region *region = open_anonymous();
    struct admission_ticket tickets[34];
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

TEST(figures_count_peaks_and_refusals_by_reason_and_analyzer)
{
    struct shm_region *region = open_anonymous();
    struct admission_ticket tickets[3];
    struct admission_figures figures;

    CHECK_INT(acquire(region, 100, true, &tickets[0]), ADMISSION_GRANTED);
    CHECK_INT(acquire(region, 200, true, &tickets[1]), ADMISSION_COST_BUDGET);
    CHECK_INT(acquire(region, 100, true, &tickets[1]), ADMISSION_GRANTED);
    CHECK_INT(admission_acquire(region, &limits, 20, true, "quantile", &tickets[2]),
              ADMISSION_HEAVY_CONCURRENCY);
    CHECK_INT(admission_acquire(region, &limits, 20, true, NULL, &tickets[2]),
              ADMISSION_HEAVY_CONCURRENCY);
    admission_release(region, &tickets[0]);
    admission_release(region, &tickets[0]); /* harmless */
    admission_read_figures(region, &figures);
    CHECK_INT(figures.admitted, 2);
    CHECK_INT(figures.rejected, 3);
    CHECK_INT(figures.rejected_by[ADMISSION_COST_BUDGET], 1);
    CHECK_INT(figures.rejected_by[ADMISSION_HEAVY_CONCURRENCY], 2);
    CHECK_INT(figures.heavy_in_flight, 1);
    CHECK_INT(figures.heavy_peak, 2);
    CHECK_INT(figures.cost_in_flight, 100);
    CHECK_INT(figures.cost_peak, 200);
    CHECK_INT(figures.analyzer_count, 3);
    CHECK_TEXT(figures.analyzers[0].name, "bootstrap");
    CHECK_INT(figures.analyzers[0].rejected, 1);
    CHECK_TEXT(figures.analyzers[1].name, "quantile");
    CHECK_TEXT(figures.analyzers[2].name, "other");
    shm_region_close(region);
}

TEST(analyzers_beyond_the_table_share_a_count)
{
    const struct admission_limits closed = {.max_heavy = 0, .max_cheap = 0, .budget = 1};
    struct shm_region *region = open_anonymous();
    struct admission_ticket ticket;
    struct admission_figures figures;
    char name[48];

    for (int i = 0; i < ADMISSION_ANALYZERS_MAX + 5; i++) {
        snprintf(name, sizeof name, "analyzer-%d", i);
        CHECK_INT(admission_acquire(region, &closed, 1, false, name, &ticket),
                  ADMISSION_CHEAP_CONCURRENCY);
    }
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    CHECK_INT(admission_acquire(region, &closed, 1, true, name, &ticket),
              ADMISSION_HEAVY_CONCURRENCY);
    admission_read_figures(region, &figures);
    CHECK_INT(figures.analyzer_count, ADMISSION_ANALYZERS_MAX + 1);
    CHECK_TEXT(figures.analyzers[31].name, "analyzer-31");
    CHECK_TEXT(figures.analyzers[32].name, "other");
    CHECK_INT(figures.analyzers[32].rejected, 6);
    shm_region_close(region);
}

TEST(outcomes_have_names)
{
    CHECK_TEXT(admission_outcome_name(ADMISSION_GRANTED), "granted");
    CHECK_TEXT(admission_outcome_name(ADMISSION_HEAVY_CONCURRENCY), "heavy_concurrency");
    CHECK_TEXT(admission_outcome_name(ADMISSION_COST_BUDGET), "cost_budget");
    CHECK_TEXT(admission_outcome_name(ADMISSION_CHEAP_CONCURRENCY), "cheap_concurrency");
}

TEST(slots_end_before_limits_beyond_the_table)
{
    const struct admission_limits wide = {.max_heavy = 1, .max_cheap = 100000, .budget = 1};
    struct shm_region *region = open_anonymous();
    struct admission_ticket ticket;

    for (int i = 0; i < ADMISSION_SLOTS_MAX; i++)
        CHECK_INT(admission_acquire(region, &wide, 1, false, "binary", &ticket), ADMISSION_GRANTED);
    CHECK_INT(admission_acquire(region, &wide, 1, false, "binary", &ticket),
              ADMISSION_CHEAP_CONCURRENCY);
    CHECK_INT(admission_acquire(region, &wide, 9, true, "bandit", &ticket),
              ADMISSION_HEAVY_CONCURRENCY);
    shm_region_close(region);
}

TEST(a_ticket_of_the_past_releases_nothing)
{
    struct shm_region *region = open_anonymous();
    struct admission_ticket ticket, stale, wild = {.slot = 100000, .generation = 7};
    struct admission_figures figures;

    CHECK_INT(acquire(region, 8, true, &ticket), ADMISSION_GRANTED);
    stale = ticket;
    admission_release(region, &ticket);
    CHECK_INT(acquire(region, 8, true, &ticket), ADMISSION_GRANTED);
    CHECK_INT(ticket.slot, stale.slot);
    admission_release(region, &stale);
    admission_release(region, &wild);
    admission_read_figures(region, &figures);
    CHECK_INT(figures.heavy_in_flight, 1);
    shm_region_close(region);
}

TEST(waiting_lasts_as_long_as_the_timeout)
{
    struct admission_limits patient = limits;
    struct shm_region *region = open_anonymous();
    struct admission_ticket ticket, second;
    double started;

    patient.acquire_timeout_ms = 100;
    patient.max_heavy = 1;
    CHECK_INT(acquire(region, 8, true, &ticket), ADMISSION_GRANTED);
    started = seconds_now();
    CHECK_INT(admission_acquire(region, &patient, 8, true, "bandit", &second),
              ADMISSION_HEAVY_CONCURRENCY);
    CHECK(seconds_now() - started >= 0.1);
    CHECK(seconds_now() - started < 2);
    shm_region_close(region);
}

static int hold_for_a_while(int child, void *context)
{
    struct admission_ticket ticket;

    if (child == 1) { /* asks while the other one holds */
        const struct admission_limits patient = {1, 1, 1, 20000};

        pause_milliseconds(50);
        return admission_acquire(context, &patient, 8, true, "bandit", &ticket);
    }
    if (acquire(context, 8, true, &ticket) != ADMISSION_GRANTED)
        return 1;
    pause_milliseconds(200);
    admission_release(context, &ticket);
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
    struct admission_ticket ticket;

    if (child == 0)
        atomic_fetch_add(&region->layout->admission.waiters, 1);
    if (child == 0)
        return syscall(SYS_futex, &region->layout->admission.releases, FUTEX_WAIT, 0, &long_nap,
                       NULL, 0) != 0 &&
               errno != EAGAIN; /* the release came first */
    pause_milliseconds(100);
    if (acquire(region, 8, true, &ticket) != ADMISSION_GRANTED)
        return 1;
    admission_release(region, &ticket);
    return 0;
}

TEST(a_release_wakes_sleepers)
{
    struct shm_region *region = open_anonymous();

    CHECK_INT(run_children(2, sleep_on_the_word, region), 0);
    CHECK_INT(region->layout->admission.releases, 1);
    shm_region_close(region);
}

static int come_and_go(int child, void *context)
{
    const struct admission_limits tight = {2, 3, 250, 10000};
    struct admission_ticket ticket;

    for (int i = 0; i < 300; i++) {
        bool heavy = (child + i) % 2;

        if (admission_acquire(context, &tight, heavy ? 10 : 1, heavy, "mixed", &ticket) !=
            ADMISSION_GRANTED)
            return 1;
        admission_release(context, &ticket);
    }
    return 0;
}

TEST(eight_processes_never_pass_the_limits)
{
    struct shm_region *region = open_anonymous();
    struct admission_figures figures;

    CHECK_INT(run_children(8, come_and_go, region), 0);
    admission_read_figures(region, &figures);
    CHECK_INT(figures.admitted, 8 * 300);
    CHECK_INT(figures.rejected, 0);
    CHECK_INT(figures.heavy_in_flight + figures.cheap_in_flight, 0);
    CHECK_INT(figures.cost_in_flight, 0);
    CHECK(figures.heavy_peak >= 1 && figures.heavy_peak <= 2);
    CHECK(figures.cheap_peak >= 1 && figures.cheap_peak <= 3);
    shm_region_close(region);
}

static void acquire_then_be_refused(void *context)
{
    const struct admission_limits one = {1, 1, 10, 0};
    struct admission_ticket ticket;

    for (int i = 0; i < 2; i++) {
        if (admission_acquire(context, &one, 10, true, "bandit", &ticket) == ADMISSION_OUTCOME__MAX)
            abort();
    }
    shm_checkpoint("test.end"); /* killed here it holds a slot */
}

TEST(a_worker_killed_anywhere_gives_its_slot_back)
{
    const struct admission_limits one = {1, 1, 10, 1000};
    int n = 1;

    for (bool killed = true; killed; n++) {
        struct shm_region *region = open_anonymous();
        struct admission_figures figures;
        struct admission_ticket ticket;

        killed = child_killed_at(n, acquire_then_be_refused, region);
        CHECK_INT(admission_acquire(region, &one, 10, true, "bandit", &ticket), ADMISSION_GRANTED);
        admission_read_figures(region, &figures);
        CHECK_INT(figures.heavy_in_flight, 1);
        CHECK_INT(figures.cost_in_flight, 10);
        CHECK_INT(figures.reclaimed, n > 1); /* killed before it held one, or not */
        CHECK(figures.analyzer_count <= 1);
        shm_region_close(region);
    }
    CHECK(n - 2 >= 4); /* filled, taken, rejected, analyzer, end */
}

static int wait_for_the_dying(int child, void *context)
{
    const struct admission_limits one = {1, 1, 10, 20000};
    struct admission_ticket ticket;

    if (child == 1) {
        pause_milliseconds(50);
        return admission_acquire(context, &one, 8, true, "bandit", &ticket);
    }
    if (admission_acquire(context, &one, 8, true, "bandit", &ticket) != ADMISSION_GRANTED)
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
    CHECK_INT(figures.admitted, 2);
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
    struct admission_table *table = &region->layout->admission;
    unsigned char *bytes = (unsigned char *)&table->releases;
    size_t length = sizeof *table - offsetof(struct admission_table, releases);
    uint32_t state = 12345;

    for (int round = 0; round < 300; round++) {
        struct admission_ticket ticket;
        struct admission_figures figures;

        for (int i = 0; i < 50; i++) {
            state = state * 1664525 + 1013904223;
            bytes[(state >> 8) % (i % 2 ? length : 256)] = (unsigned char)(state >> 24);
        }
        if (acquire(region, 8, round % 2, &ticket) == ADMISSION_GRANTED)
            admission_release(region, &ticket);
        admission_read_figures(region, &figures);
        CHECK(figures.analyzer_count <= ADMISSION_ANALYZERS_MAX + 1);
    }
    shm_region_close(region);
}

TEST_MAIN(CASE(a_lone_heavy_request_passes_whatever_it_costs),
          CASE(heavy_requests_are_refused_by_number_first),
          CASE(cheap_requests_add_one_unit_at_most_and_have_their_own_lane),
          CASE(figures_count_peaks_and_refusals_by_reason_and_analyzer),
          CASE(analyzers_beyond_the_table_share_a_count), CASE(outcomes_have_names),
          CASE(slots_end_before_limits_beyond_the_table),
          CASE(a_ticket_of_the_past_releases_nothing), CASE(waiting_lasts_as_long_as_the_timeout),
          CASE(a_waiter_follows_a_release), CASE(a_release_wakes_sleepers),
          CASE(eight_processes_never_pass_the_limits),
          CASE(a_worker_killed_anywhere_gives_its_slot_back),
          CASE(a_waiter_takes_over_from_a_holder_that_dies),
          CASE(zombies_and_later_processes_are_not_the_holder),
          CASE(damaged_tables_never_crash_a_worker))
