/* Deadlines of workers. A slot is assigned under the join lock. A deadline is one word, which only
 * its owner sets; any process may clear it once the owner is gone. */
#include "shm/watch.h"

#include "base/clock.h"
#include "shm/layout.h"
#include "shm/process.h"

#include <signal.h>
#include <unistd.h>

static bool is_free(const struct watched *place)
{
    return !place->pid || !process_is_alive(place->pid, place->started);
}

uint32_t watch_join(struct shm_region *region)
{
    struct region_layout *layout = region->layout;
    uint32_t found = 0;
    bool inherited; /* nothing to repair: a process that died with the lock has no deadline */

    if (!shm_lock_take_within(&layout->header.join_lock, shm_open_timeout_ms, &inherited))
        return 0;
    for (uint32_t i = 0; i < WATCHED_MAX && !found; i++) {
        struct watched *place = &layout->watched[i];

        if (!is_free(place))
            continue;
        atomic_store(&place->deadline, 0);
        place->started = process_start_time();
        place->pid = getpid();
        found = i + 1;
    }
    shm_lock_give(&layout->header.join_lock);
    return found;
}

void watch_limit(struct shm_region *region, uint32_t place, double seconds)
{
    int64_t deadline =
        seconds > 0 ? clock_monotonic_microseconds() + (int64_t)(seconds * MICROSECONDS) : 0;

    if (place > 0 && place <= WATCHED_MAX)
        atomic_store_explicit(&region->layout->watched[place - 1].deadline, deadline,
                              memory_order_release);
}

unsigned watch_enforce(struct shm_region *region)
{
    int64_t now = clock_monotonic_microseconds();
    unsigned killed = 0;

    for (uint32_t i = 0; i < WATCHED_MAX; i++) {
        struct watched *place = &region->layout->watched[i];
        int64_t deadline = atomic_load_explicit(&place->deadline, memory_order_acquire);

        if (deadline == 0 || deadline > now || place->pid <= 1 || place->pid == getpid())
            continue;
        if (process_is_alive(place->pid, place->started))
            killed += kill(place->pid, SIGKILL) == 0;
        atomic_compare_exchange_strong(&place->deadline, &deadline, 0);
    }
    return killed;
}
