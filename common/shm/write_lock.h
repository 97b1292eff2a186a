/*
 * The write lock: one worker of the region holds it at a time, while the others sleep. It protects
 * no data. It is for work under another lock that can only be polled, such as writing to an SQLite
 * file: a waiter sleeps here exactly until the lock is free. A program that does not use it polls
 * the other lock as before.
 */
#ifndef ASSAY_SHM_WRITE_LOCK_H
#define ASSAY_SHM_WRITE_LOCK_H

#include "shm/region.h"

#include <stdbool.h>

/* False when the lock was not free within `timeout_ms`; it is not held then. The lock of a dead
 * worker is free. */
bool shm_write_lock_take(struct shm_region *region, int timeout_ms) MUST_CHECK;
void shm_write_lock_give(struct shm_region *region);

#endif
