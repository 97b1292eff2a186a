/* Places with queues: who gets one, in which order, and what killed workers leave behind. */
#include "shm/semaphore.h"

#include "shm_children.h"

#include <time.h>

TEST(so_many_and_no_more)
{
    struct shm_region *region = open_anonymous();
    struct semaphore_ticket a = {0}, b = {0}, c = {0}, other = {0};

    CHECK(semaphore_acquire(region, "m", 2, &a));
    CHECK(semaphore_acquire(region, "m", 2, &b));
    CHECK(!semaphore_acquire(region, "m", 2, &c));
    CHECK(semaphore_acquire(region, "n", 1, &other)); /* names are apart */
    CHECK(semaphore_acquire(region, "m", 2, &a));     /* what is held stays held */
    semaphore_release(region, &a);
    CHECK(semaphore_acquire(region, "m", 2, &c));
    CHECK_INT(a.cell, 0);
    semaphore_release(region, &a); /* twice: harmless */
    shm_region_close(region);
}

TEST(first_come_first_served)
{
    struct shm_region *region = open_anonymous();
    struct semaphore_ticket holder = {0}, first = {0}, second = {0}, third = {0};

    CHECK(semaphore_acquire(region, "m", 1, &holder));
    CHECK(!semaphore_acquire(region, "m", 1, &first));
    CHECK(!semaphore_acquire(region, "m", 1, &second));
    CHECK(!semaphore_acquire(region, "m", 1, &third));
    semaphore_release(region, &holder);
    CHECK(!semaphore_acquire(region, "m", 1, &second)); /* asks sooner, came later */
    CHECK(!semaphore_acquire(region, "m", 1, &third));
    semaphore_release(region, &first); /* gives its turn back */
    CHECK(!semaphore_acquire(region, "m", 1, &third));
    CHECK(semaphore_acquire(region, "m", 1, &second));
    shm_region_close(region);
}

static void take_and_stay(void *context)
{
    struct semaphore_ticket held = {0}, waits = {0};

    (void)!semaphore_acquire(context, "m", 1, &held);
    (void)!semaphore_acquire(context, "m", 1, &waits);
}

static bool get_in_time(struct shm_region *region, struct semaphore_ticket *ticket)
{
    for (int i = 0; i < 200; i++) {
        if (semaphore_acquire(region, "m", 1, ticket))
            return true;
        semaphore_wait(region, semaphore_releases(region), 10);
    }
    return false;
}

TEST(the_dead_hold_nothing)
{
    for (int n = 1; n < 10; n++) {
        struct shm_region *region = open_anonymous();
        struct semaphore_ticket ticket = {0};

        (void)child_killed_at(n, take_and_stay, region);
        CHECK(get_in_time(region, &ticket));
        shm_region_close(region);
    }
}

TEST(figures_forget_the_dead)
{
    static const struct timespec pause = {0, 10000000};
    struct shm_region *region = open_anonymous();
    struct semaphore_figures figures[2];
    size_t names = 1;

    CHECK_INT(semaphore_read_figures(region, figures, 2), 0); /* nobody is asked for a while now */
    (void)child_killed_at(4, take_and_stay, region);
    for (int i = 0; i < 200 && names; i++) {
        names = semaphore_read_figures(region, figures, 2);
        nanosleep(&pause, NULL);
    }
    CHECK_INT(names, 0);
    shm_region_close(region);
}

enum { WORKERS = 8, ROUNDS = 200 };

/* Never more than three inside, whatever the workers do. */
static int come_and_go(int child, void *context)
{
    struct shm_region *region = context;
    struct semaphore_figures figures[4];

    (void)child;
    for (int i = 0; i < ROUNDS; i++) {
        struct semaphore_ticket ticket = {0};

        while (!semaphore_acquire(region, "m", 3, &ticket))
            semaphore_wait(region, semaphore_releases(region), 20);
        if (semaphore_read_figures(region, figures, 4) != 1 || figures[0].held > 3)
            return 1;
        semaphore_release(region, &ticket);
    }
    return 0;
}

TEST(workers_share_them)
{
    struct shm_region *region = open_anonymous();
    struct semaphore_figures figures[4];

    CHECK_INT(run_children(WORKERS, come_and_go, region), 0);
    CHECK_INT(semaphore_read_figures(region, figures, 4), 0);
    shm_region_close(region);
}

TEST(more_tickets_than_there_are)
{
    struct shm_region *region = open_anonymous();
    struct semaphore_ticket tickets[SEMAPHORE_TICKETS_MAX] = {0}, more = {0};
    struct semaphore_figures figures[2];

    for (int i = 0; i < SEMAPHORE_TICKETS_MAX; i++)
        CHECK_INT(semaphore_acquire(region, "m", 10, &tickets[i]), i < 10);
    CHECK(!semaphore_acquire(region, "n", 10, &more));
    CHECK_INT(more.cell, 0);
    CHECK_INT(semaphore_read_figures(region, figures, 2), 1);
    CHECK_INT(figures[0].held, 10);
    CHECK_INT(figures[0].waiting, SEMAPHORE_TICKETS_MAX - 10);
    semaphore_release(region, &tickets[5]);
    CHECK(semaphore_acquire(region, "n", 10, &more));
    shm_region_close(region);
}

TEST_MAIN(CASE(so_many_and_no_more), CASE(first_come_first_served), CASE(the_dead_hold_nothing),
          CASE(figures_forget_the_dead), CASE(workers_share_them),
          CASE(more_tickets_than_there_are))
