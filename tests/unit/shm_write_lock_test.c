/* The turn: one at a time, the next one at once, and no turn outlives its worker. */
#include "shm/write_lock.h"
#include "shm_children.h"

#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>

enum { ROUNDS = 200 };

/* What the children do together, in memory that they share. */
static struct together {
    _Atomic int inside, most, done;
} * together;

static int take_many_turns(int child, void *context)
{
    (void)child;
    for (int i = 0; i < ROUNDS; i++) {
        int inside;

        if (!shm_write_lock_take(context, 20000))
            return 1;
        inside = atomic_fetch_add(&together->inside, 1) + 1;
        if (inside > together->most)
            together->most = inside;
        together->done++;
        atomic_fetch_sub(&together->inside, 1);
        shm_write_lock_give(context);
    }
    return 0;
}

TEST(one_at_a_time)
{
    struct shm_region *region = open_anonymous();

    CHECK_INT(run_children(4, take_many_turns, region), 0);
    CHECK_INT(together->most, 1);
    CHECK_INT(together->done, 4 * ROUNDS);
    shm_region_close(region);
}

static int hold_or_give_up(int child, void *context)
{
    if (child == 0) {
        if (!shm_write_lock_take(context, 1000))
            return 1;
        together->done = 1;
        while (together->done < 2)
            sched_yield();
        shm_write_lock_give(context);
        return 0;
    }
    while (together->done < 1)
        sched_yield();
    if (shm_write_lock_take(context, 50))
        return 2;
    together->done = 2;
    return shm_write_lock_take(context, 20000) ? 0 : 3;
}

TEST(the_timeout_ends)
{
    struct shm_region *region = open_anonymous();

    together->done = 0;
    CHECK_INT(run_children(2, hold_or_give_up, region), 0);
    CHECK(shm_write_lock_take(region, 1000)); /* the last one left with it */
    shm_region_close(region);
}

int main(void)
{
    static const struct test_case cases[] = {CASE(one_at_a_time), CASE(the_timeout_ends)};

    together =
        mmap(NULL, sizeof *together, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return together == MAP_FAILED ? 1 : test_run_all(cases, sizeof cases / sizeof cases[0]);
}
