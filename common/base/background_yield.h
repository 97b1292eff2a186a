/*
 * Cooperative yielding: long computations give way to short ones. However low its priority, a
 * process that computes keeps its processor for the rest of its slice, some milliseconds, while a
 * request that takes a tenth of one waits. So long loops call background_yield(): while others are
 * being served it sleeps for a moment, again and again, and whoever waits goes first.
 */
#ifndef ASSAY_BASE_BACKGROUND_YIELD_H
#define ASSAY_BASE_BACKGROUND_YIELD_H

#include <stdint.h>

/* To be called at every step of what may take a millisecond or more, by any thread; steps may take
 * from next to nothing to some microseconds each. Never changes a result, and does nothing without
 * background_yield_to(). */
void background_yield(void);

/* A request begins: its first 60 microseconds do not rest, so that short ones never do. */
void background_yield_start(void);

/*
 * `served` tells how many requests others have been answered so far; while it has changed within
 * the last `seconds`, background_yield() rests. 0 seconds = never. It is called up to 16,000
 * times a second by any thread, also by several at once. Call this once, in the first thread and
 * before the others.
 */
void background_yield_to(uint64_t (*served)(const void *context), const void *context,
                         double seconds);

#endif
