/* Taking turns: a lock that guards no data, so that there is nothing to repair. */
#include "shm/turn.h"

#include "shm/layout.h"

bool shm_turn_take(struct shm_region *region, int patience_ms)
{
    bool inherited;

    return shm_lock_take_within(&region->layout->turn, patience_ms, &inherited);
}

void shm_turn_give(struct shm_region *region)
{
    shm_lock_give(&region->layout->turn);
}
