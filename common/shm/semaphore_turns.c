/* Fibers that wait for their turn. One timer of the process looks at them all, in the order in
 * which they came, and wakes only those whose turn it is. */
#include "base/clock.h"
#include "base/fiber.h"
#include "base/loop.h"
#include "shm/semaphore.h"

#include <string.h>
#include <sys/epoll.h>

enum {
    TICK_US = 4000,      /* between two looks at the number of releases */
    TICKS_OF_DEATH = 25, /* the death of a holder changes no number: look anyway after so many */
    FULL_NAMES_MAX = 64  /* of one look; those of further names wait for the next one */
};

struct turn {
    struct turn *next, *previous;
    struct fiber *fiber;
    struct shm_region *region;
    const char *name;
    uint32_t count_max;
    struct semaphore_ticket *ticket;
    bool granted;
};

/* The state of the process. */
static struct {
    struct turn *first, *last;
    struct loop_timer timer;
    uint32_t seen; /* number of releases at the last look */
    int ticks;     /* since then */
} turns;

static void unlink_turn(struct turn *turn)
{
    if (turn->previous)
        turn->previous->next = turn->next;
    else
        turns.first = turn->next;
    if (turn->next)
        turn->next->previous = turn->previous;
    else
        turns.last = turn->previous;
    turn->next = turn->previous = NULL;
}

static bool is_among(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* After one of a name that must wait, all later ones of the name must. */
static void look(void)
{
    const char *full[FULL_NAMES_MAX];
    size_t full_count = 0;

    for (struct turn *turn = turns.first, *next; turn && full_count < FULL_NAMES_MAX; turn = next) {
        next = turn->next;
        if (is_among(full, full_count, turn->name))
            continue;
        if (!semaphore_acquire(turn->region, turn->name, turn->count_max, turn->ticket)) {
            full[full_count++] = turn->name;
            continue;
        }
        turn->granted = true;
        unlink_turn(turn);
        fiber_wake(turn->fiber);
    }
}

static void on_tick(void *context)
{
    uint32_t now;

    (void)context;
    if (!turns.first)
        return;
    now = semaphore_releases(turns.first->region);
    if (now != turns.seen || ++turns.ticks >= TICKS_OF_DEATH) {
        turns.seen = now;
        turns.ticks = 0;
        look();
    }
    if (turns.first)
        (void)!loop_timer_set(&turns.timer, clock_monotonic_microseconds() + TICK_US);
}

bool semaphore_wait_turn(struct shm_region *region, const char *name, uint32_t count_max,
                         struct semaphore_ticket *ticket, int64_t until, int descriptor)
{
    struct turn turn = {.fiber = fiber_current(),
                        .region = region,
                        .name = name,
                        .count_max = count_max,
                        .ticket = ticket};

    if (semaphore_acquire(region, name, count_max, ticket))
        return true;
    turn.previous = turns.last;
    if (turns.last)
        turns.last->next = &turn;
    else
        turns.first = &turn;
    turns.last = &turn;
    turns.timer.due = on_tick;
    if (!turns.timer.position)
        (void)!loop_timer_set(&turns.timer, clock_monotonic_microseconds() + TICK_US);
    (void)fiber_wait(descriptor, EPOLLIN | EPOLLRDHUP, until);
    if (!turn.granted)
        unlink_turn(&turn);
    return turn.granted;
}
