/* Fibers take turns, wait for descriptors, moments and each other, and stay on their stacks. */
#include "base/fiber.h"

#include "base/clock.h"
#include "base/loop.h"
#include "base/sanitized.h"
#include "test.h"

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MANY = 2000 };

static char trace[64];
static char a[] = "a", b[] = "b";

static void note(char letter)
{
    size_t length = strlen(trace);

    if (length + 1 < sizeof trace)
        trace[length] = letter;
}

static void run_all(void)
{
    while (fibers_count())
        fibers_turn(clock_monotonic_microseconds() + 1000000);
}

static int64_t in_milliseconds(int milliseconds)
{
    return clock_monotonic_microseconds() + milliseconds * INT64_C(1000);
}

static void begin(void)
{
    struct problem problem;

    CHECK_INT(loop_open(&problem), ERROR_NONE);
    memset(trace, 0, sizeof trace);
}

static void take_turns(void *context)
{
    const char *letter = context;

    for (int i = 0; i < 3; i++) {
        note(*letter);
        fiber_sleep(1); /* a moment in the past: the others have their turn */
    }
}

TEST(fibers_take_turns)
{
    begin();
    CHECK(fiber_current() == NULL);
    CHECK(fiber_start(take_turns, a));
    CHECK(fiber_start(take_turns, b));
    CHECK_TEXT(trace, "");
    run_all();
    CHECK_TEXT(trace, "ababab");
}

static int ends[2];

static void read_one(void *context)
{
    char byte = 0;

    (void)context;
    CHECK_INT(fiber_wait(ends[0], EPOLLIN, in_milliseconds(5)), FIBER_TIMED_OUT);
    note('t');
    CHECK_INT(fiber_wait(ends[0], EPOLLIN, in_milliseconds(5000)), FIBER_READY);
    CHECK_INT(read(ends[0], &byte, 1), 1);
    note(byte);
    CHECK_INT(fiber_wait(ends[0], EPOLLIN, 0), FIBER_READY); /* the other end is closed */
    CHECK_INT(read(ends[0], &byte, 1), 0);
}

static void write_one(void *context)
{
    (void)context;
    fiber_sleep(in_milliseconds(20));
    CHECK_INT(write(ends[1], "x", 1), 1);
    fiber_sleep(in_milliseconds(5));
    close(ends[1]);
}

TEST(a_descriptor_or_a_moment_ends_a_wait)
{
    begin();
    CHECK_INT(pipe(ends), 0);
    CHECK(fiber_start(read_one, NULL));
    CHECK(fiber_start(write_one, NULL));
    run_all();
    CHECK_TEXT(trace, "tx");
    close(ends[0]);
}

static struct fiber *sleeper;

static void be_woken(void *context)
{
    (void)context;
    sleeper = fiber_current();
    CHECK_INT(fiber_wait(-1, 0, in_milliseconds(60000)), FIBER_WOKEN);
    note('w');
    fiber_wake(sleeper); /* it does not wait: the next wait ends at once */
    CHECK_INT(fiber_wait(-1, 0, in_milliseconds(60000)), FIBER_WOKEN);
    note('w');
}

static void wake_the_sleeper(void *context)
{
    (void)context;
    fiber_wake(sleeper);
    fiber_wake(sleeper);
    fiber_wake(NULL);
}

TEST(a_fiber_is_woken_by_another)
{
    begin();
    CHECK(fiber_start(be_woken, NULL));
    CHECK(fiber_start(wake_the_sleeper, NULL));
    run_all();
    CHECK_TEXT(trace, "ww");
}

static void jump(void *context)
{
    volatile int waits = 0;
    jmp_buf place;

    if (setjmp(place) == 0) {
        for (; waits < 3; waits++)
            fiber_sleep(1);
        longjmp(place, 1);
    }
    CHECK_INT(waits, 3);
    note(*(const char *)context);
    fiber_sleep(1);
    note(*(const char *)context);
}

static void compute(void *context)
{
    const bool *holds = context;
    int64_t until =
        in_milliseconds(*holds ? 30 : 10000); /* else as soon as the other had its turn */

    if (*holds)
        fiber_hold("the test");
    while (clock_monotonic_microseconds() < until && !*trace)
        fiber_give_way();
    if (*holds)
        fiber_release();
    note('c');
}

static void note_turn(void *context)
{
    (void)context;
    note('t');
}

TEST(who_computes_long_gives_way_unless_it_holds)
{
    for (int i = 0; i < 2; i++) {
        bool holds = i == 1;

        begin();
        CHECK(fiber_start(compute, &holds));
        CHECK(fiber_start(note_turn, NULL));
        run_all();
        CHECK_TEXT(trace, holds ? "ct" : "tc");
    }
    fiber_give_way(); /* outside of fibers: nothing */
}

TEST(a_jump_stays_on_its_stack)
{
    begin();
    CHECK(fiber_start(jump, a));
    CHECK(fiber_start(jump, b));
    run_all();
    CHECK_TEXT(trace, "abab");
}

static int awake;

static void sleep_a_little(void *context)
{
    int number = (int)(intptr_t)context;

    fiber_sleep(in_milliseconds(10 + number % 7));
    awake++;
}

TEST(thousands_wait_together)
{
    int64_t started = clock_monotonic_microseconds();

    begin();
    awake = 0;
    for (intptr_t i = 0; i < MANY; i++)
        CHECK(fiber_start(sleep_a_little, (void *)i));
    CHECK_INT(fibers_count(), MANY);
    run_all();
    CHECK_INT(awake, MANY);
    CHECK(clock_monotonic_microseconds() - started < 10 * INT64_C(1000000));
    fibers_close();
}

/* The signal that ended a process which ran this in a fiber. */
static int signal_of(void (*run)(void *context))
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        if (!freopen("/dev/null", "w", stderr) || !fiber_start(run, NULL))
            _exit(1);
        run_all();
        _exit(0);
    }
    CHECK_INT(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void wait_while_holding(void *context)
{
    (void)context;
    fiber_hold("a transaction");
    fiber_hold("a lock");
    fiber_release();
    fiber_sleep(1);
}

static void wait_after_release(void *context)
{
    (void)context;
    fiber_hold("a transaction");
    fiber_release();
    fiber_sleep(1);
}

TEST(nothing_waits_while_it_holds)
{
    begin();
    CHECK_INT(signal_of(wait_while_holding), SIGABRT);
    CHECK_INT(signal_of(wait_after_release), 0);
}

/* Not a tail call, and each frame takes a kilobyte. */
__attribute__((noinline)) static int deepen(volatile int depth)
{
    volatile char frame[1024];

    memset((char *)(uintptr_t)frame, 1, sizeof frame);
    return depth > 0 ? deepen(depth - 1) + frame[0] : frame[0];
}

static void go_deep(void *context)
{
    (void)context;
    CHECK(deepen(FIBER_STACK_BYTES / 1024 / 4) > 0);
}

static void go_too_deep(void *context)
{
    (void)context;
    (void)deepen(FIBER_STACK_BYTES / 512);
}

TEST(a_stack_ends_at_its_guard_page)
{
    if (SANITIZED) /* its frames are larger, and it reports the fault itself */
        return;
    begin();
    CHECK_INT(signal_of(go_too_deep), SIGSEGV);
}

TEST(the_used_part_of_a_stack_is_known)
{
    size_t before, used;

    if (SANITIZED)
        return;
    begin();
    fibers_close();
    CHECK(fiber_start(take_turns, a));
    run_all();
    before = fibers_stack_used();
    CHECK(before > 0 && before < 16 * 1024);
    CHECK(fiber_start(go_deep, NULL));
    run_all();
    used = fibers_stack_used();
    CHECK(used >= FIBER_STACK_BYTES / 4 && used < FIBER_STACK_BYTES / 2);
    fibers_close();
    CHECK_INT(fibers_stack_used(), 0);
}

TEST_MAIN(CASE(fibers_take_turns), CASE(a_descriptor_or_a_moment_ends_a_wait),
          CASE(a_fiber_is_woken_by_another), CASE(who_computes_long_gives_way_unless_it_holds),
          CASE(a_jump_stays_on_its_stack), CASE(thousands_wait_together),
          CASE(nothing_waits_while_it_holds), CASE(a_stack_ends_at_its_guard_page),
          CASE(the_used_part_of_a_stack_is_known))
