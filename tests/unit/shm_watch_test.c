/* Deadlines of workers: who is past its own is killed, stopped or not, and nobody else. */
#include "shm/watch.h"

#include "shm/admission.h"
#include "shm_children.h"

static const struct admission_limits one = {.max_heavy = 1, .max_cheap = 1, .budget = 10};

/* A process that takes a place, a limit and an admission slot, and then hangs; its id once it does.
 */
static pid_t hang(struct shm_region *region, double seconds)
{
    struct semaphore_ticket ticket;
    int gate[2];
    char byte;
    pid_t child;

    CHECK_INT(pipe(gate), 0);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        watch_limit(region, watch_join(region), seconds);
        (void)!admission_acquire(region, &one, 1, true, &ticket);
        (void)!write(gate[1], "x", 1);
        for (;;)
            pause();
    }
    CHECK_INT(read(gate[0], &byte, 1), 1);
    close(gate[0]);
    close(gate[1]);
    return child;
}

TEST(who_hangs_is_killed_and_its_slot_returns)
{
    struct admission_figures figures;
    struct shm_region *region;
    int status;

    CHECK(!shm_region_open_anonymous(&region, NULL));
    for (int stopped = 0; stopped < 2; stopped++) {
        pid_t child = hang(region, 1e-6);

        if (stopped)
            CHECK_INT(kill(child, SIGSTOP), 0);
        CHECK_INT(watch_enforce(region), 1);
        CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
        CHECK_INT(WTERMSIG(status), SIGKILL);
        CHECK_INT(watch_enforce(region), 0);
        admission_read_figures(region, &figures);
        CHECK_INT(figures.heavy_in_flight, 0);
    }
    shm_region_close(region);
}

TEST(who_has_time_left_or_no_request_is_not)
{
    struct shm_region *region;
    pid_t within, idle;
    int status;

    CHECK(!shm_region_open_anonymous(&region, NULL));
    within = hang(region, 3600);
    idle = hang(region, 0);
    watch_limit(region, watch_join(region), 1e-6); /* oneself */
    CHECK_INT(watch_enforce(region), 0);
    CHECK(waitpid(-1, &status, WNOHANG) == 0);
    kill(within, SIGKILL);
    kill(idle, SIGKILL);
    CHECK(waitpid(within, &status, 0) == within && waitpid(idle, &status, 0) == idle);
    shm_region_close(region);
}

TEST(places_come_back_and_run_out)
{
    struct shm_region *region;
    int status;

    CHECK(!shm_region_open_anonymous(&region, NULL));
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();

        if (child == 0)
            _exit(watch_join(region) == 1 ? 0 : 1);
        CHECK(waitpid(child, &status, 0) == child && status == 0);
    }
    for (uint32_t i = 1; i <= WATCHED_MAX; i++)
        CHECK_INT(watch_join(region), i);
    CHECK_INT(watch_join(region), 0);
    watch_limit(region, 0, 1e-6); /* harmless */
    CHECK_INT(watch_enforce(region), 0);
    shm_region_close(region);
}

TEST_MAIN(CASE(who_hangs_is_killed_and_its_slot_returns),
          CASE(who_has_time_left_or_no_request_is_not), CASE(places_come_back_and_run_out))
