/* Short rests, as long as others are being served. */
#include "base/background_yield.h"

#include "base/clock.h"

#include <stdbool.h>
#include <sys/prctl.h>
#include <time.h>

/* Between two looks at what others do, and before the first one at a request. */
static const int64_t LOOK_MICROSECONDS = 60;

/* The shortest sleep there is takes as long as the kernel may be late with timers, which prctl(2)
 * sets by its option 29. */
static const struct timespec REST = {.tv_nsec = 1};
static const unsigned long REST_NANOSECONDS = 60000;

enum {
    SET_TIMER_LATENESS = 29,
    CALLS_MAX = 15, /* between two looks at the clock, where calls follow quickly */
};

static struct {
    uint64_t (*served)(const void *context);
    const void *context;
    int64_t microseconds;
} others;

/* What this thread knows, in microseconds of the clock. */
static _Thread_local struct {
    int calls, calls_left; /* until the next look at the clock */
    int64_t clock_at;      /* the last one */
    int64_t look_from;     /* the next look at the others */
    int64_t looked_at, changed_at;
    uint64_t served;
} own;

static bool others_are_served(int64_t now)
{
    uint64_t served = others.served(others.context);

    /* a change since long ago says nothing of now */
    if (served != own.served && now - own.looked_at < others.microseconds)
        own.changed_at = now;
    own.served = served;
    own.looked_at = now;
    return own.changed_at > 0 && now - own.changed_at < others.microseconds;
}

static void look(int64_t now)
{
    if (others_are_served(now)) {
        nanosleep(&REST, NULL);
        now = clock_monotonic_microseconds();
    }
    own.clock_at = now;
    own.look_from = now + LOOK_MICROSECONDS;
}

void background_yield(void)
{
    int64_t now, passed;

    if (others.microseconds == 0 || own.calls_left-- > 0)
        return;
    now = clock_monotonic_microseconds();
    passed = now - own.clock_at;
    own.calls = passed > LOOK_MICROSECONDS / 4 ? own.calls / 2
                : own.calls < CALLS_MAX / 2    ? 2 * own.calls + 1
                                               : CALLS_MAX;
    own.calls_left = own.calls;
    own.clock_at = now;
    if (now >= own.look_from)
        look(now);
}

void background_yield_start(void)
{
    if (others.microseconds > 0)
        own.look_from = clock_monotonic_microseconds() + LOOK_MICROSECONDS;
}

void background_yield_to(uint64_t (*served)(const void *context), const void *context,
                         double seconds)
{
    others.served = served;
    others.context = context;
    others.microseconds = (int64_t)(seconds * 1e6);
    prctl(SET_TIMER_LATENESS, REST_NANOSECONDS); /* threads begin with that of their maker */
}
