/* Rests of long computations: while others are served, not before, not long after, and without a
 * trace in what is computed. */
#include "base/background_yield.h"

#include "base/arena.h"
#include "base/clock.h"
#include "experiments/methods/bandit.h"
#include "test.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <time.h>

/* Seconds, and the same in microseconds. Nothing that keeps this thread from running lasts for the
 * longer one. */
#define SHORT 0.02
#define LONG 60
enum { SHORT_MICROSECONDS = 20000, LOOKS = 50 };

static _Atomic uint64_t requests, looks;
static _Atomic bool busy; /* a request is answered between any two looks */

static uint64_t count_requests(const void *context)
{
    looks++;
    CHECK(context == &requests);
    if (busy)
        requests++;
    return requests;
}

/* How often this thread has slept. */
static long sleeps(void)
{
    struct rusage usage;

    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

/* Computes for so many looks; how often it rested. */
static long rests_in(uint64_t count)
{
    uint64_t end = looks + count;
    long before = sleeps();

    while (looks < end)
        background_yield();
    return sleeps() - before;
}

static void compute_for(int64_t microseconds)
{
    int64_t end = clock_monotonic_microseconds() + microseconds;

    while (clock_monotonic_microseconds() < end)
        background_yield();
}

TEST(nobody_to_yield_to)
{
    busy = true;
    compute_for(SHORT_MICROSECONDS);
    background_yield_to(count_requests, &requests, 0);
    compute_for(SHORT_MICROSECONDS);
    CHECK_INT(looks, 0);
}

TEST(rests_while_others_are_served)
{
    background_yield_to(count_requests, &requests, LONG);
    busy = false;
    CHECK_INT(rests_in(LOOKS), 0);
    busy = true;
    CHECK(rests_in(LOOKS) >= LOOKS / 2);
    busy = false;
    CHECK(rests_in(LOOKS) >= LOOKS / 2);
    background_yield_to(count_requests, &requests, SHORT);
    compute_for(2 * SHORT_MICROSECONDS);
    CHECK_INT(rests_in(LOOKS), 0);
}

TEST(looks_once_in_60_microseconds_at_most)
{
    int64_t start = clock_monotonic_microseconds();

    background_yield_to(count_requests, &requests, SHORT);
    busy = false;
    looks = 0;
    compute_for(SHORT_MICROSECONDS);
    CHECK(looks >= 1 && (int64_t)looks <= (clock_monotonic_microseconds() - start) / 60 + 1);
}

TEST(short_requests_never_rest)
{
    int64_t start;

    background_yield_to(count_requests, &requests, LONG);
    busy = true;
    rests_in(LOOKS);
    looks = 0;
    start = clock_monotonic_microseconds();
    background_yield_start();
    do
        background_yield();
    while (looks == 0);
    CHECK(clock_monotonic_microseconds() - start >= 60);
}

/* What was answered while this thread did not compute says nothing of now. */
TEST(what_is_long_past_does_not_count)
{
    background_yield_to(count_requests, &requests, SHORT);
    busy = false;
    compute_for(2 * SHORT_MICROSECONDS);
    requests += 1000;
    nanosleep(&(struct timespec){.tv_nsec = 2 * SHORT_MICROSECONDS * 1000}, NULL);
    CHECK_INT(rests_in(LOOKS), 0);
}

TEST(results_do_not_change)
{
    double rates[] = {0.05, 0.08, 0.06};
    struct bandit_game game = {
        .arm_rates = {3, rates}, .horizon = 5000, .simulations = 200, .seed = 7};
    struct arena *arena = arena_create(1 << 24);
    struct bandit_result quiet = {0}, resting = {0};
    long before;

    busy = false;
    bandit_simulate(&game, 2, arena, &quiet);
    background_yield_to(count_requests, &requests, LONG);
    busy = true;
    before = sleeps();
    bandit_simulate(&game, 2, arena, &resting);
    CHECK(sleeps() - before > LOOKS);
    for (int arm = 0; arm < 3; arm++)
        CHECK(quiet.allocation[arm] == resting.allocation[arm]);
    CHECK(quiet.points[39].bandit_regret == resting.points[39].bandit_regret);
    arena_destroy(arena);
}

TEST_MAIN(CASE(nobody_to_yield_to), CASE(rests_while_others_are_served),
          CASE(looks_once_in_60_microseconds_at_most), CASE(short_requests_never_rest),
          CASE(what_is_long_past_does_not_count), CASE(results_do_not_change))
