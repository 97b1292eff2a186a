/*
 * Deadlines for requests. A worker that takes longer than its limit, because it hangs or was
 * stopped, is killed by the others, and its shared resources are reclaimed. No separate process
 * does this: every worker checks regularly.
 */
#ifndef ASSAY_SHM_WATCH_H
#define ASSAY_SHM_WATCH_H

#include "shm/region.h"

enum { WATCHED_MAX = 1024 }; /* workers of one service on one host; others are not watched */

/* Assigns a slot to this process; it is free again when the process ends. 0 = none is free. */
uint32_t watch_join(struct shm_region *region);

/* Starts or restarts the time limit of this process; 0 `seconds` ends it. Harmless if `place` is
 * 0. */
void watch_limit(struct shm_region *region, uint32_t place, double seconds);

/* Kills the workers past their deadline; returns their number. */
unsigned watch_enforce(struct shm_region *region);

#endif
