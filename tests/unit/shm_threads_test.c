/* The tables that workers share, used by threads of one process: for the thread sanitizer. */
#include "shm/admission.h"
#include "shm/metrics.h"
#include "shm/rate.h"
#include "shm_children.h"

#include <pthread.h>

enum { COUNTED, LARGEST, TIMES };

static const struct metric table[] = {[COUNTED] = {"t_counted_total", METRIC_COUNTER, "Counted."},
                                      [LARGEST] = {"t_largest", METRIC_GAUGE, "Largest."},
                                      [TIMES] = {"t_seconds", METRIC_TIMES, "Times."}};

struct thread_share {
    struct shm_region *region;
    struct metrics *metrics;
    int number, admitted;
};

static void *live_in_thread(void *argument)
{
    const struct admission_limits limits = {2, 2, 250, 20000};
    struct thread_share *share = argument;
    struct semaphore_ticket ticket;

    for (int i = 0; i < 3000; i++) {
        metric_add(share->metrics, COUNTED, NULL, 1);
        metric_raise(share->metrics, LARGEST, NULL, i + 1);
        metric_observe(share->metrics, TIMES, NULL, i / 1e6);
        shm_number_add(share->region, 0, 1);
        share->admitted += rate_allow(share->region, "k", (struct rate_rule){5000, 3600}).allowed;
        if (i % 10 == 0 && admission_acquire(share->region, &limits, 8, share->number % 2,
                                             &ticket) == ADMISSION_GRANTED)
            semaphore_release(share->region, &ticket);
    }
    return NULL;
}

TEST(threads_share_as_processes_do)
{
    struct shm_region *region = open_anonymous();
    struct thread_share shares[4];
    struct admission_figures admission;
    struct metric_times times;
    struct metrics *metrics;
    pthread_t threads[4];
    int admitted = 0;

    CHECK_INT(metrics_open(NULL, table, sizeof table / sizeof table[0], &metrics, NULL), 0);
    for (int i = 0; i < 4; i++) {
        shares[i] = (struct thread_share){region, metrics, i, 0};
        CHECK_INT(pthread_create(&threads[i], NULL, live_in_thread, &shares[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        admitted += shares[i].admitted;
    }
    CHECK_INT(admitted, 5000);
    CHECK(metric_read(metrics, COUNTED, NULL) == 12000);
    CHECK(metric_read(metrics, LARGEST, NULL) == 3000);
    CHECK_INT(shm_number(region, 0), 12000);
    metric_read_times(metrics, TIMES, &times);
    CHECK(times.count == 12000);
    admission_read_figures(region, &admission);
    CHECK_INT(admission.heavy_in_flight + admission.cheap_in_flight, 0);
    metrics_close(metrics);
    shm_region_close(region);
}

TEST_MAIN(CASE(threads_share_as_processes_do))
