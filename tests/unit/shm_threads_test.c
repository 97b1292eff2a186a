/* The tables that workers share, used by threads of one process: for the thread sanitizer. */
#include "shm/admission.h"
#include "shm/counters.h"
#include "shm/histogram.h"
#include "shm/rate.h"
#include "shm_children.h"

#include <pthread.h>

struct thread_share {
    struct shm_region *region;
    struct shm_family *family;
    int number, admitted;
};

static void *live_in_thread(void *argument)
{
    const struct admission_limits limits = {2, 2, 250, 20000};
    struct thread_share *share = argument;
    struct semaphore_ticket ticket;
    struct note note;

    for (int i = 0; i < 3000; i++) {
        counters_add(share->family, 0, 1);
        stamps_set(share->family, 0, i + 1);
        histogram_record(share->family, 0, (uint64_t)i);
        share->admitted += rate_allow(share->region, "k", (struct rate_rule){5000, 3600}).allowed;
        if (i % 10 == 0) {
            notes_set(share->family, 0, i, "note");
            (void)notes_read(share->family, 0, &note);
            if (admission_acquire(share->region, &limits, 8, share->number % 2, &ticket) ==
                ADMISSION_GRANTED)
                semaphore_release(share->region, &ticket);
        }
    }
    return NULL;
}

TEST(threads_share_as_processes_do)
{
    struct shm_region *region = open_anonymous();
    struct thread_share shares[4];
    struct admission_figures admission;
    struct histogram_view view = {0};
    pthread_t threads[4];
    int admitted = 0;

    for (int i = 0; i < 4; i++) {
        shares[i] = (struct thread_share){region, join(region, "core"), i, 0};
        CHECK_INT(pthread_create(&threads[i], NULL, live_in_thread, &shares[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        admitted += shares[i].admitted;
    }
    CHECK_INT(admitted, 5000);
    CHECK_INT(counters_total(region, 0), 12000);
    histogram_add_all(&view, region, 0);
    CHECK_INT(view.count, 12000);
    admission_read_figures(region, &admission);
    CHECK_INT(admission.heavy_in_flight + admission.cheap_in_flight, 0);
    shm_region_close(region);
}

TEST_MAIN(CASE(threads_share_as_processes_do))
