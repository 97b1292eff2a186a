/* Numbers that all workers share. */
#include "shm/layout.h"

#include <stdio.h>
#include <stdlib.h>

void shm_check_index(const char *what, unsigned index, unsigned limit)
{
    if (index < limit)
        return;
    fprintf(stderr, "shared memory: %s %u is not below %u\n", what, index, limit);
    abort();
}

int64_t shm_number(const struct shm_region *region, unsigned number)
{
    shm_check_index("number", number, SHM_NUMBERS_MAX);
    return atomic_load(&region->layout->numbers[number]);
}

void shm_number_add(struct shm_region *region, unsigned number, int64_t amount)
{
    shm_check_index("number", number, SHM_NUMBERS_MAX);
    atomic_fetch_add(&region->layout->numbers[number], amount);
}

void shm_number_raise(struct shm_region *region, unsigned number, int64_t value)
{
    _Atomic int64_t *held = &region->layout->numbers[number];
    int64_t seen;

    shm_check_index("number", number, SHM_NUMBERS_MAX);
    seen = atomic_load(held);
    while (seen < value && !atomic_compare_exchange_weak(held, &seen, value))
        continue;
}

bool shm_number_replace(struct shm_region *region, unsigned number, int64_t expected, int64_t value)
{
    shm_check_index("number", number, SHM_NUMBERS_MAX);
    return atomic_compare_exchange_strong(&region->layout->numbers[number], &expected, value);
}
