/*
 * Long computations that give way to short ones. However low its priority, a process that computes
 * keeps its processor for the rest of its slice, some milliseconds, while a request that takes a
 * tenth of one waits. So long loops call give_way(): while others are being served it sleeps for
 * a moment, again and again, and whoever waits goes first.
 */
#ifndef ASSAY_BASE_GIVE_WAY_H
#define ASSAY_BASE_GIVE_WAY_H

#include <stdint.h>

/* To be called at every step of what may take a millisecond or more, by any thread; steps may take
 * from next to nothing to some microseconds each. Never changes a result, and does nothing without
 * give_way_to(). */
void give_way(void);

/* A request begins: its first 60 microseconds do not rest, so that short ones never do. */
void give_way_start(void);

/*
 * `served` tells how many requests others have been answered so far; while it has changed within
 * the last `seconds`, give_way() rests. 0 seconds = never. It is called up to 16,000 times a second
 * by any thread, also by several at once. Call this once, in the first thread and before the
 * others.
 */
void give_way_to(uint64_t (*served)(const void *context), const void *context, double seconds);

#endif
