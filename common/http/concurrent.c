/* Accepts connections in the event loop and serves each in a fiber. */
#include "http/concurrent.h"

#include "base/clock.h"
#include "base/fiber.h"
#include "base/log.h"
#include "base/loop.h"
#include "http/http_internal.h"
#include "shm/watch.h"

#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum {
    ACCEPTED_PER_TURN = 64,  /* the rest is for other workers, or for the next turn */
    ACCEPTED_TO_COMPUTE = 1, /* the same where requests compute */
    FEW_TO_COMPUTE = 4,      /* with more requests such a worker goes to the end of the line */
    TURN_MICROSECONDS = 1000000,
    DESCRIPTORS_KEPT = 64,       /* for files, the database, the log */
    DESCRIPTORS_PER_REQUEST = 2, /* to the web server, to the provider */
    SLOTS_KEPT = 64,
    TRIM_BYTES = 16 * 1024 * 1024, /* of memory that requests gave back */
    DAMAGED_SECONDS = 5 /* for the requests of a worker that leaves for one with a fresh file */
};

/* A request. It is a mapping of its own: most of its buffers is never touched. */
struct slot {
    struct slot *next; /* among those that are kept */
    int connection;
    struct serving serving;
    struct exchange exchange;
    struct fastcgi fastcgi;
};

/* The state of the process. */
static struct {
    struct server *server;
    const struct listener *listener;
    const struct concurrent_limits *limits;
    struct loop_watch incoming, signals;
    struct slot *kept;
    size_t kept_count;
    bool leaving;
    int64_t served;
    struct semaphore_ticket turn; /* to leave after so many requests */
    size_t memory_peak;           /* since memory was last given back */
} worker;

static struct slot *take_slot(void)
{
    struct slot *slot = worker.kept;

    if (slot) {
        worker.kept = slot->next;
        worker.kept_count--;
        return slot;
    }
    slot = mmap(NULL, sizeof *slot, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return slot == MAP_FAILED ? NULL : slot;
}

static void free_slot(struct slot *slot)
{
    if (worker.kept_count >= SLOTS_KEPT) {
        munmap(slot, sizeof *slot);
        return;
    }
    slot->next = worker.kept;
    worker.kept = slot;
    worker.kept_count++;
}

static void serve_in_arena(struct slot *slot, struct arena *arena)
{
    struct server *server = worker.server;
    const struct concurrent_limits *limits = worker.limits;
    bool refused = server->running >= limits->requests || arena_process_used() >= limits->memory;

    slot->exchange = exchange_over(&slot->fastcgi);
    serving_run(&slot->serving, server, arena, &slot->exchange, refused);
    fastcgi_finish(&slot->fastcgi);
    serving_end(&slot->serving);
}

/* The function of each fiber. */
static void serve(void *context)
{
    struct slot *slot = context;
    struct arena *arena;

    worker.server->served_at = clock_monotonic_microseconds();
    slot->fastcgi.timeouts = worker.limits->timeouts;
    if (fastcgi_receive(&slot->fastcgi, slot->connection)) {
        arena = arena_create(worker.server->policy.memory_limit);
        if (arena)
            serve_in_arena(slot, arena);
        else
            close(slot->connection);
        arena_destroy(arena);
        worker.server->served_at = clock_monotonic_microseconds();
    }
    free_slot(slot);
}

static void begin(int connection)
{
    struct slot *slot = take_slot();

    if (slot) {
        slot->connection = connection;
        if (fiber_start(serve, slot))
            return;
        free_slot(slot);
    }
    log_event(LOG_ERROR, "request_not_begun", "out of memory");
    close(connection); /* nothing was read: the web server may send it again, or answer 503 */
}

static void leave(void)
{
    worker.leaving = true;
    loop_unwatch(&worker.incoming);
    loop_unwatch(&worker.signals);
}

static bool watch_incoming(void)
{
    return loop_watch(&worker.incoming, worker.listener->socket, EPOLLIN | EPOLLEXCLUSIVE);
}

/* The system wakes the worker that has watched the socket for longest and does nothing else.
 * Whoever has accepted goes to the end of that line; but what a worker has read and opened serves
 * the next computation too, so one with few requests stays the first. */
static bool goes_to_the_end(void)
{
    return !worker.server->family->computes || fibers_count() > FEW_TO_COMPUTE;
}

/* A connection waits, or a signal. */
static void on_incoming(uint32_t events, void *context)
{
    int accepted = 0, connection = 0;
    int most = worker.server->family->computes ? ACCEPTED_TO_COMPUTE : ACCEPTED_PER_TURN;

    (void)events;
    (void)context;
    while (accepted < most && (connection = listener_take(worker.listener)) >= 0) {
        begin(connection);
        accepted++;
    }
    worker.served += accepted;
    if (connection == LISTENER_LEAVES) {
        leave();
    } else if (accepted && goes_to_the_end()) {
        loop_unwatch(&worker.incoming);
        if (!watch_incoming()) {
            log_event(LOG_CRITICAL, "loop_failed", "the socket cannot be watched");
            leave();
        }
    }
}

/* As many descriptors as the system allows; fewer requests where they do not suffice. */
static size_t requests_possible(size_t wanted)
{
    struct rlimit limit;
    size_t possible;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return wanted;
    if (limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur < 2 * DESCRIPTORS_KEPT)
        return wanted;
    possible = (limit.rlim_cur - DESCRIPTORS_KEPT) / DESCRIPTORS_PER_REQUEST;
    if (possible >= wanted)
        return wanted;
    log_event(LOG_WARNING, "open_files_limit", "fewer requests side by side than the setting says");
    return possible;
}

static bool start(struct server *server, const struct listener *listener)
{
    struct problem problem = {0};

    worker.server = server;
    worker.listener = listener;
    worker.incoming.ready = worker.signals.ready = on_incoming;
    if (!loop_open(&problem) && watch_incoming() &&
        loop_watch(&worker.signals, listener->leaving, EPOLLIN))
        return true;
    log_event(LOG_CRITICAL, "loop_failed", problem.text);
    return false;
}

/* Whether the worker has served as many requests as it should and may leave now: while it ends what
 * it has begun, others accept, so one of a family leaves at a time. A single one leaves when it has
 * nothing to end. */
static bool is_relieved(void)
{
    struct server *server = worker.server;
    char name[SEMAPHORE_NAME_MAX];

    if (!worker.limits->served_most || worker.served < worker.limits->served_most)
        return false;
    if (worker.limits->workers < 2)
        return !fibers_count();
    snprintf(name, sizeof name, "leave:%s", server->family->name);
    return semaphore_acquire(server->region, name, 1, &worker.turn);
}

/* What a crowd of requests took goes back to the system. */
static void give_memory_back(void)
{
    size_t used = arena_process_used();

    if (used > worker.memory_peak)
        worker.memory_peak = used;
    if (worker.memory_peak < used + TRIM_BYTES)
        return;
    worker.memory_peak = used;
    malloc_trim(0);
}

static void tell_stack(void)
{
    size_t used = fibers_stack_used();

    if (used > FIBER_STACK_BYTES / 2)
        log_event(LOG_ERROR, "fiber_stack_small", "a request used more than half of its stack");
}

void concurrent_serve(struct server *server, const struct listener *listener,
                      const struct concurrent_limits *limits)
{
    struct concurrent_limits possible = *limits;
    uint32_t place = server->watch;
    int64_t until = 0;

    possible.requests = requests_possible(limits->requests);
    worker.limits = &possible;
    server->watch = 0; /* of the loop, not of a request */
    arena_limit_process(limits->memory + limits->memory / 4);
    if (!start(server, listener))
        return;
    while (!worker.leaving || fibers_count()) {
        int64_t now = clock_monotonic_microseconds();
        int wait = listener->idle(listener->context);

        watch_limit(server->region, place, limits->hang_seconds);
        if (!worker.leaving && !listener->go_on(listener->context)) {
            leave();
            until = now + DAMAGED_SECONDS * INT64_C(1000000);
        }
        if (until && now > until)
            break;
        if (!worker.leaving && is_relieved())
            leave();
        give_memory_back();
        fibers_turn(now + (wait < 1000 ? wait * INT64_C(1000) : TURN_MICROSECONDS));
    }
    watch_limit(server->region, place, 0);
    tell_stack();
    fibers_close();
}
