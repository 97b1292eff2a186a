/*
 * Watching over workers that are at a request: one that is at it longer than its limit, because it
 * hangs or was stopped, is killed by the others, and what it held of shared memory comes back.
 * There is no process for it: every worker looks once in a while.
 */
#ifndef ASSAY_SHM_WATCH_H
#define ASSAY_SHM_WATCH_H

#include "shm/region.h"

enum { WATCHED_MAX = 1024 }; /* workers of one service on one host; others are not watched */

/* Takes a place for this process; it comes back when the process ends. 0 = there is none. */
uint32_t watch_join(struct shm_region *region);

/* Begins, or begins anew, the time that this process has; `seconds` of 0 end it. Harmless on 0. */
void watch_limit(struct shm_region *region, uint32_t place, double seconds);

/* Kills whoever is past its time; says how many those were. */
unsigned watch_enforce(struct shm_region *region);

#endif
