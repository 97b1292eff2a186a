/* Stacks, switches and the run queue. Switches are those of ucontext: they change the signal mask
 * by a system call, which is little beside the calls of a request (docs/develop/event-loop.md). */
#include "base/fiber.h"

#include "base/clock.h"
#include "base/loop.h"
#include "base/sanitized.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#define FIBER_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBER_ADDRESS_SANITIZER 1
#endif
#endif
#ifdef FIBER_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__has_include)
#if __has_include(<valgrind/valgrind.h>) && !SANITIZED
#include <valgrind/valgrind.h>
#endif
#endif
#ifndef VALGRIND_STACK_REGISTER
#define VALGRIND_STACK_REGISTER(from, to) 0
#define VALGRIND_STACK_DEREGISTER(id) (void)(id)
#endif

enum {
    GUARD_BYTES = 4096,
    SLICE_MICROSECONDS = 5000, /* of fibers that are ready, before the loop looks at descriptors;
                                  and of one that lets others run */
    TRIM_FIBERS = 256,         /* with more of them, those that wait give the unused part back */
    TRIM_MARGIN = 1024         /* below the frame that waits: what the switch itself uses */
};

/* At the high end of the mapping of its stack. */
struct fiber {
    struct fiber *next; /* in the run queue, or among those that are kept */
    ucontext_t context;
    void (*run)(void *context);
    void *argument;
    char *stack; /* FIBER_STACK_BYTES with this struct; the guard page lies below */
    struct loop_watch watch;
    struct loop_timer timer;
    enum fiber_event event;
    bool waiting, woken, ended;
    void *local;
    unsigned valgrind_id;
    void *fake_stack; /* of the address sanitizer */
};

/* The state of the process. */
static struct {
    struct fiber *current;
    void *local;                /* outside of fibers */
    struct fiber *first, *last; /* ready to run */
    struct fiber *kept;
    size_t count, kept_count;
    ucontext_t loop;
    int64_t runs_since; /* the current one, microseconds */
    unsigned held;
    const char *held_by;
    void *fake_stack;
    const void *loop_stack;
    size_t loop_stack_bytes;
} fibers;

static void before_switch(void **save, const void *stack, size_t bytes)
{
#ifdef FIBER_ADDRESS_SANITIZER
    __sanitizer_start_switch_fiber(save, stack, bytes);
#else
    (void)save;
    (void)stack;
    (void)bytes;
#endif
}

/* NOLINTNEXTLINE(readability-non-const-parameter): written to with the sanitizer */
static void after_switch(void *saved, const void **stack, size_t *bytes)
{
#ifdef FIBER_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(saved, stack, bytes);
#else
    (void)saved;
    (void)stack;
    (void)bytes;
#endif
}

/* The part of the mapping that is the stack. */
static size_t stack_bytes(const struct fiber *fiber)
{
    return (size_t)((const char *)fiber - fiber->stack);
}

static struct fiber *make_fiber(void)
{
    size_t size = GUARD_BYTES + FIBER_STACK_BYTES;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    struct fiber *fiber;

    if (memory == MAP_FAILED)
        return NULL;
    if (mprotect(memory, GUARD_BYTES, PROT_NONE) != 0) {
        munmap(memory, size);
        return NULL;
    }
    fiber = (struct fiber *)(void *)(memory + size - (sizeof *fiber + 63) / 64 * 64);
    fiber->stack = memory + GUARD_BYTES;
    fiber->valgrind_id = VALGRIND_STACK_REGISTER(fiber->stack, (char *)fiber);
    return fiber;
}

static void free_fiber(struct fiber *fiber)
{
    VALGRIND_STACK_DEREGISTER(fiber->valgrind_id);
    munmap(fiber->stack - GUARD_BYTES, GUARD_BYTES + FIBER_STACK_BYTES);
}

static struct fiber *take_fiber(void)
{
    struct fiber *fiber = fibers.kept;

    if (!fiber)
        return make_fiber();
    fibers.kept = fiber->next;
    fibers.kept_count--;
    return fiber;
}

static void keep_fiber(struct fiber *fiber)
{
    if (fibers.kept_count >= FIBER_STACKS_KEPT) {
        free_fiber(fiber);
        return;
    }
#ifdef FIBER_ADDRESS_SANITIZER
    __asan_unpoison_memory_region(fiber->stack, stack_bytes(fiber));
#endif
    fiber->next = fibers.kept;
    fibers.kept = fiber;
    fibers.kept_count++;
}

static void make_ready(struct fiber *fiber)
{
    fiber->waiting = false;
    fiber->next = NULL;
    if (fibers.last)
        fibers.last->next = fiber;
    else
        fibers.first = fiber;
    fibers.last = fiber;
}

static void end_wait(struct fiber *fiber, enum fiber_event event)
{
    if (!fiber->waiting)
        return;
    fiber->event = event;
    make_ready(fiber);
}

static void on_ready(uint32_t events, void *context)
{
    (void)events;
    end_wait(context, FIBER_READY);
}

static void on_due(void *context)
{
    end_wait(context, FIBER_TIMED_OUT);
}

static void switch_to_loop(struct fiber *fiber)
{
    fibers.current = NULL;
    before_switch(fiber->ended ? NULL : &fiber->fake_stack, fibers.loop_stack,
                  fibers.loop_stack_bytes);
    swapcontext(&fiber->context, &fibers.loop);
    after_switch(fiber->fake_stack, &fibers.loop_stack, &fibers.loop_stack_bytes);
}

/* The first function on every stack. */
static void enter(void)
{
    struct fiber *fiber = fibers.current;

    after_switch(NULL, &fibers.loop_stack, &fibers.loop_stack_bytes);
    fiber->run(fiber->argument);
    fiber->ended = true;
    switch_to_loop(fiber);
    abort(); /* a fiber that has ended is not run again */
}

/* By itself, because getcontext() could return twice. */
static __attribute__((noinline)) void make_context(struct fiber *fiber)
{
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->stack;
    fiber->context.uc_stack.ss_size = stack_bytes(fiber);
    fiber->context.uc_link = NULL;
    makecontext(&fiber->context, enter, 0);
}

bool fiber_start(void (*run)(void *context), void *context)
{
    struct fiber *fiber = take_fiber();
    char *stack;
    unsigned valgrind_id;

    if (!fiber)
        return false;
    stack = fiber->stack;
    valgrind_id = fiber->valgrind_id;
    *fiber = (struct fiber){.run = run, .argument = context, .stack = stack};
    fiber->valgrind_id = valgrind_id;
    fiber->watch = (struct loop_watch){.ready = on_ready, .context = fiber};
    fiber->timer = (struct loop_timer){.due = on_due, .context = fiber};
    make_context(fiber);
    fibers.count++;
    make_ready(fiber);
    return true;
}

struct fiber *fiber_current(void)
{
    return fibers.current;
}

void **fiber_local(void)
{
    return fibers.current ? &fibers.current->local : &fibers.local;
}

static void check_nothing_held(void)
{
    if (!fibers.held)
        return;
    fprintf(stderr, "a fiber waits while it holds: %s\n", fibers.held_by);
    abort();
}

/* Thousands of stacks were once deeper than where they wait now. */
static void trim(struct fiber *fiber)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    uintptr_t end = (here - TRIM_MARGIN) & ~(uintptr_t)(GUARD_BYTES - 1);

    if (fibers.count > TRIM_FIBERS && !SANITIZED && end > (uintptr_t)fiber->stack)
        (void)madvise(fiber->stack, end - (uintptr_t)fiber->stack, MADV_DONTNEED);
}

enum fiber_event fiber_wait(int descriptor, uint32_t events, int64_t until)
{
    struct fiber *self = fibers.current;

    check_nothing_held();
    if (self->woken) {
        self->woken = false;
        return FIBER_WOKEN;
    }
    if (descriptor >= 0 && !loop_watch(&self->watch, descriptor, events))
        return FIBER_READY; /* the caller's own attempt shows why */
    if (until && !loop_timer_set(&self->timer, until)) {
        loop_unwatch(&self->watch);
        return FIBER_TIMED_OUT;
    }
    self->waiting = true;
    trim(self);
    switch_to_loop(self);
    loop_unwatch(&self->watch);
    loop_timer_clear(&self->timer);
    return self->event;
}

void fiber_sleep(int64_t until)
{
    (void)fiber_wait(-1, 0, until);
}

void fiber_wake(struct fiber *fiber)
{
    if (!fiber)
        return;
    if (fiber->waiting)
        end_wait(fiber, FIBER_WOKEN);
    else
        fiber->woken = true;
}

void fiber_give_way(void)
{
    struct fiber *self = fibers.current;

    if (!self || fibers.held ||
        clock_monotonic_microseconds() - fibers.runs_since < SLICE_MICROSECONDS)
        return;
    make_ready(self);
    switch_to_loop(self);
}

void fiber_hold(const char *what)
{
    fibers.held++;
    fibers.held_by = what;
}

void fiber_release(void)
{
    if (fibers.held)
        fibers.held--;
}

static void run(struct fiber *fiber)
{
    fibers.current = fiber;
    fibers.runs_since = clock_monotonic_microseconds();
    before_switch(&fibers.fake_stack, fiber->stack, stack_bytes(fiber));
    swapcontext(&fibers.loop, &fiber->context);
    after_switch(fibers.fake_stack, NULL, NULL);
    if (!fiber->ended)
        return;
    fibers.count--;
    keep_fiber(fiber);
}

void fibers_turn(int64_t until)
{
    struct fiber *last = fibers.last;
    int64_t slice_ends = clock_monotonic_microseconds() + SLICE_MICROSECONDS;

    while (last && clock_monotonic_microseconds() < slice_ends) {
        struct fiber *fiber = fibers.first;

        fibers.first = fiber->next;
        if (!fibers.first)
            fibers.last = NULL;
        if (fiber == last)
            last = NULL;
        run(fiber);
    }
    loop_poll(fibers.first ? 0 : until);
}

/* One that was woken for something else is in the run queue already. */
static void leave_queue(const struct fiber *fiber)
{
    struct fiber *before = NULL;

    for (struct fiber *at = fibers.first; at != fiber; at = at->next)
        before = at;
    if (before)
        before->next = fiber->next;
    else
        fibers.first = fiber->next;
    if (fibers.last == fiber)
        fibers.last = before;
}

void fiber_run(struct fiber *fiber)
{
    if (!fiber->waiting)
        leave_queue(fiber);
    fiber->waiting = false;
    fiber->event = FIBER_WOKEN;
    run(fiber);
}

unsigned fiber_set_aside(void)
{
    unsigned held = fibers.held;

    fibers.held = 0;
    return held;
}

void fiber_take_back(unsigned held)
{
    fibers.held += held;
}

bool fiber_may_wait(void)
{
    return fibers.current && !fibers.held;
}

size_t fibers_count(void)
{
    return fibers.count;
}

/* A stack grows down from its end, and a new one is all zeros. */
static size_t used_of(const struct fiber *fiber)
{
    const char *at = fiber->stack, *end = (const char *)fiber;

    while (at < end && *at == 0)
        at++;
    return (size_t)(end - at);
}

size_t fibers_stack_used(void)
{
    size_t most = 0;

    for (const struct fiber *fiber = fibers.kept; fiber; fiber = fiber->next)
        most = used_of(fiber) > most ? used_of(fiber) : most;
    return most;
}

void fibers_close(void)
{
    while (fibers.kept) {
        struct fiber *fiber = fibers.kept;

        fibers.kept = fiber->next;
        free_fiber(fiber);
    }
    fibers.kept_count = 0;
}
