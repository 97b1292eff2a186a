/* Descriptors and timers of one process. Timers are in a binary heap, the earliest first. */
#include "base/loop.h"

#include "base/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

enum { EVENTS_PER_POLL = 256, FIRST_TIMERS = 64 };

/* The state of the process. */
static struct {
    int epoll; /* 0 = not open */
    struct epoll_event events[EVENTS_PER_POLL];
    int event_count, event_next; /* of the poll in progress */
    struct loop_timer **timers;  /* [0] is not used */
    size_t timer_count, timer_capacity;
} loop;

enum error loop_open(struct problem *problem)
{
    if (loop.epoll)
        return ERROR_NONE;
    loop.epoll = epoll_create1(EPOLL_CLOEXEC);
    if (loop.epoll > 0)
        return ERROR_NONE;
    loop.epoll = 0;
    return problem_set(problem, ERROR_SYSTEM, "loop", "no event loop: %s", strerror(errno));
}

bool loop_watch(struct loop_watch *watch, int descriptor, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = watch};

    if (watch->active && watch->descriptor != descriptor)
        loop_unwatch(watch);
    if (epoll_ctl(loop.epoll, watch->active ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, &event))
        return false;
    watch->descriptor = descriptor;
    watch->active = true;
    return true;
}

void loop_unwatch(struct loop_watch *watch)
{
    if (!watch->active)
        return;
    watch->active = false;
    (void)epoll_ctl(loop.epoll, EPOLL_CTL_DEL, watch->descriptor, NULL);
    for (int i = loop.event_next; i < loop.event_count; i++)
        if (loop.events[i].data.ptr == watch)
            loop.events[i].data.ptr = NULL;
}

static void put(struct loop_timer *timer, size_t position)
{
    loop.timers[position] = timer;
    timer->position = position;
}

/* Moves a timer up or down from a free place until the order is right. */
static void place(struct loop_timer *timer, size_t at)
{
    while (at > 1 && timer->at < loop.timers[at / 2]->at) {
        put(loop.timers[at / 2], at);
        at /= 2;
    }
    for (;;) {
        size_t child = at * 2;

        if (child < loop.timer_count && loop.timers[child + 1]->at < loop.timers[child]->at)
            child++;
        if (child > loop.timer_count || timer->at <= loop.timers[child]->at)
            break;
        put(loop.timers[child], at);
        at = child;
    }
    put(timer, at);
}

static bool make_room(void)
{
    size_t capacity = loop.timer_capacity ? loop.timer_capacity * 2 : FIRST_TIMERS;
    struct loop_timer **more;

    if (loop.timer_count + 1 < loop.timer_capacity)
        return true;
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): a list of pointers */
    more = realloc(loop.timers, capacity * sizeof(*more));
    if (!more)
        return false;
    loop.timers = more;
    loop.timer_capacity = capacity;
    return true;
}

bool loop_timer_set(struct loop_timer *timer, int64_t at)
{
    loop_timer_clear(timer);
    if (!make_room())
        return false;
    timer->at = at;
    place(timer, ++loop.timer_count);
    return true;
}

void loop_timer_clear(struct loop_timer *timer)
{
    size_t position = timer->position;
    struct loop_timer *last;

    if (!position)
        return;
    timer->position = 0;
    last = loop.timers[loop.timer_count--];
    if (last != timer)
        place(last, position);
}

static int wait_of(int64_t until)
{
    int64_t left;

    if (loop.timer_count && loop.timers[1]->at < until)
        until = loop.timers[1]->at;
    left = (until - clock_monotonic_microseconds() + 999) / 1000;
    return left <= 0 ? 0 : left < 60000 ? (int)left : 60000;
}

static void call_due(void)
{
    int64_t now = clock_monotonic_microseconds();

    while (loop.timer_count && loop.timers[1]->at <= now) {
        struct loop_timer *timer = loop.timers[1];

        loop_timer_clear(timer);
        timer->due(timer->context);
    }
}

void loop_poll(int64_t until)
{
    int count = epoll_wait(loop.epoll, loop.events, EVENTS_PER_POLL, wait_of(until));

    loop.event_count = count > 0 ? count : 0;
    for (loop.event_next = 0; loop.event_next < loop.event_count;) {
        const struct epoll_event *event = &loop.events[loop.event_next++];
        struct loop_watch *watch = event->data.ptr;

        if (watch)
            watch->ready(event->events, watch->context);
    }
    loop.event_count = 0;
    call_due();
}
