/*
 * Taking turns: one worker of the region at a time, while the others sleep. It protects nothing. It
 * is for work that has a lock of its own which can only be waited for by trying again and again,
 * such as writing to an SQLite file: who waits here sleeps until it is free, and not a moment
 * longer. Who does not take part (another program) meets that lock as before.
 */
#ifndef ASSAY_SHM_TURN_H
#define ASSAY_SHM_TURN_H

#include "shm/region.h"

#include <stdbool.h>

/* False when the turn was not free within `patience_ms`; nothing is held then. The turn of a worker
 * that dies is over. */
bool shm_turn_take(struct shm_region *region, int patience_ms) MUST_CHECK;
void shm_turn_give(struct shm_region *region);

#endif
