/* Calls of many fibers share one process: they take as long as the longest, and what happens to one
 * does nothing to the others. So do places, and commands to a lost descriptor. */
#include "base/fiber.h"
#include "base/loop.h"
#include "net/fetch_set.h"
#include "shm/semaphore.h"

#include "http_peer.h"
#include "test.h"

#include "base/clock.h"

#include <setjmp.h>
#include <sys/socket.h>

enum { FIBERS = 200, PLACES = 3, QUEUED = 60 };

static struct peer peer;
static int answered, broken, exhausted;

/* One call by one fiber, from an arena of its own. */
struct caller {
    const char *path;
    struct arena *arena;
    struct fetch_answer answer;
    int gone; /* a descriptor whose end cancels the call; 0 = none */
};

static struct fetch_request call_to(struct arena *arena, const char *path)
{
    return (struct fetch_request){
        .url = arena_print(arena, "http://127.0.0.1:%d%s", peer.port, path),
        .answer_max = 100000,
        .private_too = true,
        .policy = {
            .connect_seconds = 5, .attempt_seconds = 20, .total_seconds = 20, .attempts = 1}};
}

static void run_all(void)
{
    while (fibers_count())
        fibers_turn(clock_monotonic_microseconds() + 1000000);
}

static void begin(void)
{
    struct problem problem;

    CHECK_INT(loop_open(&problem), ERROR_NONE);
    answered = broken = exhausted = 0;
}

static bool has_gone(void *context)
{
    const struct caller *caller = context;
    char byte;

    return recv(caller->gone, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static void call(void *context)
{
    struct caller *caller = context;
    struct fetch_request request = call_to(caller->arena, caller->path);
    struct fetch_watch watch = {.cancelled = has_gone, .context = caller, .fd = caller->gone};

    fetch_all(caller->arena, &request, &caller->answer, 1, NULL, NULL,
              caller->gone ? &watch : NULL);
    answered += caller->answer.status == 200;
    broken += caller->answer.outcome == FETCH_BROKEN;
}

static void start(struct caller *caller, const char *path)
{
    *caller = (struct caller){.path = path, .arena = arena_create(1 << 20)};
    CHECK(fiber_start(call, caller));
}

static void destroy(struct caller *callers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        arena_destroy(callers[i].arena);
}

TEST(calls_of_fibers_take_as_long_as_one)
{
    static struct caller callers[FIBERS];
    int64_t started = clock_monotonic_microseconds();

    begin();
    for (int i = 0; i < FIBERS; i++)
        start(&callers[i], "/wait/300");
    run_all();
    CHECK_INT(answered, FIBERS);
    CHECK(clock_monotonic_microseconds() - started < 30 * INT64_C(1000000)); /* not 60 s */
    CHECK_TEXT(callers[7].answer.body, "ok");
    destroy(callers, FIBERS);
}

TEST(a_peer_that_dies_breaks_its_own_call)
{
    struct caller callers[3];

    begin();
    start(&callers[0], "/wait/100");
    start(&callers[1], "/cut");
    start(&callers[2], "/wait/100");
    run_all();
    CHECK_INT(answered, 2);
    CHECK_INT(callers[1].answer.outcome, FETCH_BROKEN);
    destroy(callers, 3);
}

static int ends[2];

static void hang_up(void *context)
{
    (void)context;
    fiber_sleep(clock_monotonic_microseconds() + 50000);
    close(ends[1]);
}

TEST(a_client_that_leaves_ends_its_own_call)
{
    int64_t started = clock_monotonic_microseconds();
    struct caller callers[2];

    begin();
    CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    start(&callers[0], "/wait/3000");
    callers[0].gone = ends[0];
    start(&callers[1], "/wait/100");
    CHECK(fiber_start(hang_up, NULL));
    run_all();
    CHECK(clock_monotonic_microseconds() - started < 2 * INT64_C(1000000));
    CHECK_INT(callers[0].answer.outcome, FETCH_CANCELLED);
    CHECK_INT(answered, 1);
    close(ends[0]);
    destroy(callers, 2);
}

static bool use_up_memory(const char *bytes, size_t length, void *context)
{
    (void)bytes;
    (void)length;
    arena_alloc(context, 2 << 20);
    return true;
}

/* As a request whose memory runs out: the frames of the call are gone, other fibers run, and then
 * the arena is reset. */
static void jump_out(void *context)
{
    struct caller *caller = context;
    struct fetch_request request = call_to(caller->arena, caller->path);
    jmp_buf recovery;

    request.on_bytes = use_up_memory;
    request.context = caller->arena;
    if (setjmp(recovery) == 0) {
        arena_on_exhausted(caller->arena, &recovery);
        fetch(caller->arena, &request, &caller->answer);
        CHECK(false);
    }
    exhausted++;
    arena_on_exhausted(caller->arena, NULL);
    fiber_sleep(clock_monotonic_microseconds() + 20000);
    arena_reset(caller->arena);
}

TEST(jumping_out_of_a_call_ends_no_other)
{
    struct caller callers[4] = {{0}};

    begin();
    start(&callers[0], "/pieces/20/20");
    start(&callers[1], "/wait/300");
    for (int i = 2; i < 4; i++) {
        callers[i] = (struct caller){.path = "/pieces/50/10", .arena = arena_create(1 << 20)};
        CHECK(fiber_start(jump_out, &callers[i]));
    }
    run_all();
    CHECK_INT(exhausted, 2);
    CHECK_INT(answered, 2);
    destroy(callers, 4);
}

static struct shm_region *region;
static int inside, most_inside, served, in_order;

static void take_a_place(void *context)
{
    struct semaphore_ticket ticket = {0};
    int number = (int)(intptr_t)context;

    while (!semaphore_wait_turn(region, "m", PLACES, &ticket,
                                clock_monotonic_microseconds() + 500000, -1))
        continue;
    in_order += number == served;
    served++;
    most_inside = ++inside > most_inside ? inside : most_inside;
    fiber_sleep(clock_monotonic_microseconds() + 2000);
    inside--;
    semaphore_release(region, &ticket);
}

TEST(fibers_queue_for_places)
{
    struct semaphore_figures figures[1];
    struct problem problem;

    begin();
    CHECK_INT(shm_region_open_anonymous(&region, &problem), ERROR_NONE);
    for (intptr_t i = 0; i < QUEUED; i++)
        CHECK(fiber_start(take_a_place, (void *)i));
    run_all();
    CHECK_INT(served, QUEUED);
    CHECK_INT(in_order, QUEUED);
    CHECK_INT(most_inside, PLACES);
    CHECK_INT(semaphore_read_figures(region, figures, 1), 0);
    shm_region_close(region);
}

/* Tickets of one fiber are not those of another, although both are of this process. */
TEST(a_turn_that_does_not_come_ends_in_time)
{
    struct semaphore_ticket held = {0};
    struct problem problem;

    begin();
    served = inside = most_inside = 0;
    CHECK_INT(shm_region_open_anonymous(&region, &problem), ERROR_NONE);
    for (int i = 0; i < PLACES; i++) {
        struct semaphore_ticket ticket = {0};

        CHECK(semaphore_acquire(region, "m", PLACES, &ticket));
        held = ticket;
    }
    CHECK(fiber_start(take_a_place, NULL));
    for (int i = 0; i < 5; i++)
        fibers_turn(clock_monotonic_microseconds() + 20000);
    CHECK_INT(served, 0);
    semaphore_release(region, &held);
    run_all();
    CHECK_INT(served, 1);
    shm_region_close(region);
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(calls_of_fibers_take_as_long_as_one),
        CASE(a_peer_that_dies_breaks_its_own_call),
        CASE(a_client_that_leaves_ends_its_own_call),
        CASE(jumping_out_of_a_call_ends_no_other),
        CASE(fibers_queue_for_places),
        CASE(a_turn_that_does_not_come_ends_in_time),
    };
    struct peer shared = peer = start_peer();
    int failed = test_run_all(cases, sizeof cases / sizeof cases[0]);

    fibers_close();
    stop_peer(&shared);
    return failed;
}
