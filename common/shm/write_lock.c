/* The write lock guards no data, so there is nothing to repair. */
#include "shm/write_lock.h"

#include "shm/layout.h"

bool shm_write_lock_take(struct shm_region *region, int timeout_ms)
{
    bool inherited;

    return shm_lock_take_within(&region->layout->write_lock, timeout_ms, &inherited);
}

void shm_write_lock_give(struct shm_region *region)
{
    shm_lock_give(&region->layout->write_lock);
}
