/* Rests of the shortest length, as long as others are being served. */
#include "base/give_way.h"

#include "base/clock.h"

#include <time.h>

/* Between two looks at what others do. */
static const int64_t LOOK_MICROSECONDS = 100;

/* The kernel makes it the slack of its timers, 50 microseconds. */
static const struct timespec REST = {.tv_nsec = 1};

static struct {
    uint64_t (*served)(const void *context);
    const void *context;
    int64_t microseconds;
} others;

/* What this thread saw. */
static _Thread_local struct {
    uint64_t served;
    int64_t looked_at, changed_at;
} seen;

void give_way(void)
{
    int64_t now;
    uint64_t served;

    if (others.microseconds == 0)
        return;
    now = clock_monotonic_microseconds();
    if (now - seen.looked_at < LOOK_MICROSECONDS)
        return;
    served = others.served(others.context);
    /* a change since long ago says nothing of now */
    if (served != seen.served && now - seen.looked_at < others.microseconds)
        seen.changed_at = now;
    seen.served = served;
    if (seen.changed_at > 0 && now - seen.changed_at < others.microseconds) {
        nanosleep(&REST, NULL);
        now = clock_monotonic_microseconds();
    }
    seen.looked_at = now;
}

void give_way_to(uint64_t (*served)(const void *context), const void *context, double seconds)
{
    others.served = served;
    others.context = context;
    others.microseconds = (int64_t)(seconds * 1e6);
}
