/*
 * Fibers: functions with a stack of their own that one process runs in turns, so that code that
 * waits for others stays straight-line code. A fiber runs until it waits (fiber_wait), and only
 * then another one runs: between two waits nothing else of the process happens.
 *
 * What a fiber waits for: a descriptor, a moment, or fiber_wake(). Functions that may be called
 * inside and outside of fibers ask fiber_current(): outside it is NULL, and they wait as usual.
 *
 * A jump (longjmp) never leaves its stack. Whoever holds what others must not see half done (a
 * transaction, a lock) calls fiber_hold() and fiber_release(); a wait in between is a programming
 * error and aborts. docs/develop/event-loop.md explains the model.
 */
#ifndef ASSAY_BASE_FIBER_H
#define ASSAY_BASE_FIBER_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FIBER_STACK_BYTES = 256 * 1024, /* with a guard page below; only touched pages take memory */
    FIBER_STACKS_KEPT = 64          /* of fibers that have ended, for the next ones */
};

struct fiber;

/* Starts `run` in a fiber, which first runs in the next fibers_turn(). False when there is no
 * memory. Needs loop_open(). */
bool fiber_start(void (*run)(void *context), void *context) MUST_CHECK;

/* The fiber that calls; NULL outside of fibers. */
struct fiber *fiber_current(void);

/* A pointer that belongs to the fiber that calls, NULL at its start; outside of fibers one of the
 * process. base/cause.h keeps there what the work is for. */
void **fiber_local(void);

enum fiber_event { FIBER_TIMED_OUT, FIBER_READY, FIBER_WOKEN };

/* Waits until the descriptor (-1 = none) has one of the events (EPOLLIN...; errors always count),
 * until the moment (CLOCK_MONOTONIC, microseconds; 0 = none), or until fiber_wake(). Only inside a
 * fiber. */
enum fiber_event fiber_wait(int descriptor, uint32_t events, int64_t until);

/* Sleeps until the moment, or until fiber_wake(). */
void fiber_sleep(int64_t until);

/* Ends the wait of a fiber. One that does not wait returns from its next wait at once. NULL is
 * allowed. */
void fiber_wake(struct fiber *fiber);

/* Ends the wait of a fiber and runs it at once, until it waits again or ends. Only outside of
 * fibers, and only for one that has run already. */
void fiber_run(struct fiber *fiber);

/* What is held is not in force while others run by fiber_run(): returns how much it was. */
unsigned fiber_set_aside(void);
void fiber_take_back(unsigned held);

/* Whether the caller is in a fiber and holds nothing. */
bool fiber_may_wait(void);

/* Lets others run if the caller has run for some milliseconds; for computing that may take long.
 * Does nothing outside of fibers, and while something is held. */
void fiber_give_way(void);

/* Nothing may wait from here to fiber_release(); counted. `what` is a literal for the message. */
void fiber_hold(const char *what);
void fiber_release(void);

/* Runs the fibers that are ready, each once and for some milliseconds altogether; then waits for
 * events, at most until the moment, or only looks for them when more are ready. */
void fibers_turn(int64_t until);

/* Fibers that have not ended. */
size_t fibers_count(void);

/* The most bytes of a stack that were used, as far as the stacks that are kept know. Reads them
 * all: for the end of a process, and for tests. */
size_t fibers_stack_used(void);

/* Frees the stacks that are kept. */
void fibers_close(void);

#endif
