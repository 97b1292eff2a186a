/*
 * The write lock: one worker of the region at a time, while the others sleep. It protects no data.
 * It is for work that has a lock of its own which can only be waited for by trying again and again,
 * such as writing to an SQLite file: who waits here sleeps until it is free, and not a moment
 * longer. Who does not take part (another program) meets that lock as before.
 */
#ifndef ASSAY_SHM_WRITE_LOCK_H
#define ASSAY_SHM_WRITE_LOCK_H

#include "shm/region.h"

#include <stdbool.h>

/* False when the lock was not free within `timeout_ms`; nothing is held then. The lock of a worker
 * that dies is free. */
bool shm_write_lock_take(struct shm_region *region, int timeout_ms) MUST_CHECK;
void shm_write_lock_give(struct shm_region *region);

#endif
