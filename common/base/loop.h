/*
 * The event loop of a process: descriptors by epoll, and timers. fiber.h stands on it; use it
 * directly only where a callback suffices. One loop per process, and only its thread may call this.
 */
#ifndef ASSAY_BASE_LOOP_H
#define ASSAY_BASE_LOOP_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens the loop; further calls do nothing. */
MUST_CHECK enum error loop_open(struct problem *problem);

/* A descriptor that is watched. Zeroed with `ready` and `context` set by the caller, who keeps it
 * in place while it is watched. Callbacks must not wait. */
struct loop_watch {
    void (*ready)(uint32_t events, void *context);
    void *context;
    int descriptor;
    bool active;
};

/* Watches for `events` (EPOLLIN...), or changes them. False when the system refuses. */
bool loop_watch(struct loop_watch *watch, int descriptor, uint32_t events) MUST_CHECK;
/* Harmless on one that is not watched. After it `ready` is not called any more. */
void loop_unwatch(struct loop_watch *watch);

/* A moment. Zeroed with `due` and `context` set; `due` is called once, after the moment. */
struct loop_timer {
    void (*due)(void *context);
    void *context;
    int64_t at;      /* CLOCK_MONOTONIC, microseconds */
    size_t position; /* from 1; 0 = not set */
};

/* Sets or moves a timer. False when there is no memory; it is not set then. */
bool loop_timer_set(struct loop_timer *timer, int64_t at) MUST_CHECK;
void loop_timer_clear(struct loop_timer *timer);

/* Waits for events, at most until the moment, and calls what is ready and due. */
void loop_poll(int64_t until);

#endif
