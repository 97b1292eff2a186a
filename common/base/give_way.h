/*
 * Long computations that give way to short ones. However low its priority, a process that computes
 * keeps its processor for the rest of its slice, some milliseconds, while a request that takes a
 * tenth of one waits. So long loops call give_way(): while others are being served it sleeps for
 * the shortest time there is, again and again, and whoever waits goes first.
 */
#ifndef ASSAY_BASE_GIVE_WAY_H
#define ASSAY_BASE_GIVE_WAY_H

#include <stddef.h>
#include <stdint.h>

/* To be called every few microseconds in whatever may take a millisecond or more, by any thread.
 * Without give_way_to() it does nothing, and it never changes a result. */
void give_way(void);

/* The same for the steps of a loop that take a microsecond or less: every 16th counts. */
static inline void give_way_at(size_t step)
{
    if (step % 16 == 0)
        give_way();
}

/*
 * `served` tells how many requests others have been answered so far; while it has changed within
 * the last `seconds`, give_way() rests. 0 seconds = never. It is called up to 10,000 times a second
 * by any thread, also by several at once. Call this once, before the first of them.
 */
void give_way_to(uint64_t (*served)(const void *context), const void *context, double seconds);

#endif
