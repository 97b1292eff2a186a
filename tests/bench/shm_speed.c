/*
 * What the shared structures cost a request. Prints nanoseconds per call, the best of several
 * batches, so that a busy machine disturbs little; fails when a call costs ten times what it
 * should.
 */
#include "../unit/shm_children.h"
#include "shm/admission.h"
#include "shm/metrics.h"
#include "shm/rate.h"

#include <time.h>

enum { BATCHES = 15, CALLS = 20000, MARGIN = SHM_THREAD_SANITIZER ? 500 : 10 };

static struct shm_region *region;
static struct metrics *metrics;

enum { COUNTED, LARGEST, TIMES };

static const struct metric table[] = {[COUNTED] = {"t_counted_total", METRIC_COUNTER, "Counted."},
                                      [LARGEST] = {"t_largest", METRIC_GAUGE, "Largest."},
                                      [TIMES] = {"t_seconds", METRIC_TIMES, "Times."}};
static char keys[CALLS][24];

static double nanoseconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void call_counter(int i)
{
    (void)i;
    metric_add(metrics, COUNTED, NULL, 1);
}

static void call_histogram(int i)
{
    metric_observe(metrics, TIMES, NULL, i * 37e-6);
}

static void call_gauge(int i)
{
    metric_raise(metrics, LARGEST, NULL, i);
}

static void call_rate_one_key(int i)
{
    (void)i;
    (void)rate_allow(region, "api:192.0.2.7", (struct rate_rule){240, 60});
}

static void call_rate_admitting(int i)
{
    (void)i;
    (void)rate_allow(region, "api_key:batch", (struct rate_rule){100000, 1});
}

static void call_rate_many_keys(int i)
{
    (void)rate_allow(region, keys[i], (struct rate_rule){240, 60});
}

static void call_bucket(int i)
{
    (void)i;
    (void)rate_take_token(region, "ip:192.0.2.7", (struct rate_bucket){70, 60});
}

static void call_admission(int i)
{
    const struct admission_limits limits = {2, 32, 250, 50};
    struct semaphore_ticket ticket;

    if (admission_acquire(region, &limits, 8, i % 2, &ticket) == ADMISSION_GRANTED)
        semaphore_release(region, &ticket);
}

static double best_nanoseconds(void (*call)(int i))
{
    double best = 1e18;

    for (int batch = 0; batch < BATCHES; batch++) {
        double started = nanoseconds_now(), each;

        for (int i = 0; i < CALLS; i++)
            call(i);
        each = (nanoseconds_now() - started) / CALLS;
        best = each < best ? each : best;
    }
    return best;
}

static const struct {
    const char *what;
    void (*call)(int i);
    double expected; /* nanoseconds, on a processor of about 2020 */
} calls[] = {
    {"metric_add", call_counter, 200},
    {"metric_observe, times", call_histogram, 300},
    {"metric_raise", call_gauge, 200},
    {"rate_allow, one client, mostly refused", call_rate_one_key, 250},
    {"rate_allow, one client, mostly admitted", call_rate_admitting, 300},
    {"rate_allow, 20000 clients", call_rate_many_keys, 600},
    {"rate_take_token", call_bucket, 250},
    {"admission_acquire and _release", call_admission, 1500},
};

TEST(calls_cost_little)
{
    region = open_anonymous();
    CHECK_INT(metrics_open(NULL, table, sizeof table / sizeof table[0], &metrics, NULL), 0);
    for (int i = 0; i < CALLS; i++)
        snprintf(keys[i], sizeof keys[i], "api:10.%d.%d.7", i / 256, i % 256);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        double cost = best_nanoseconds(calls[i].call);

        printf("%8.0f ns  %s\n", cost, calls[i].what);
        CHECK(cost < calls[i].expected * MARGIN);
    }
    shm_region_close(region);
}

static int call_own_key(int child, void *context)
{
    char key[16];

    snprintf(key, sizeof key, "client %d", child);
    for (int i = 0; i < CALLS * 5; i++)
        (void)rate_allow(context, key, (struct rate_rule){1000000, 1});
    return 0;
}

static int call_same_key(int child, void *context)
{
    (void)child;
    return call_own_key(0, context);
}

/* All calls on one lock, against calls spread over eight. */
TEST(contention_stays_bearable)
{
    double started, apart, together;

    region = open_anonymous();
    started = nanoseconds_now();
    CHECK_INT(run_children(4, call_own_key, region), 0);
    apart = (nanoseconds_now() - started) / (4 * CALLS * 5);
    started = nanoseconds_now();
    CHECK_INT(run_children(4, call_same_key, region), 0);
    together = (nanoseconds_now() - started) / (4 * CALLS * 5);
    printf("%8.0f ns  rate_allow in four processes, keys of their own\n", apart);
    printf("%8.0f ns  rate_allow in four processes, the same key\n", together);
    CHECK(together < 2000 * MARGIN);
    shm_region_close(region);
}

TEST_MAIN(CASE(calls_cost_little), CASE(contention_stays_bearable))
