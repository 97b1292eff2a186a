/* The slots of the families of workers. */
#include "shm/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void shm_check_index(const char *what, unsigned index, unsigned limit)
{
    if (index < limit)
        return;
    fprintf(stderr, "shared memory: %s %u is not below %u\n", what, index, limit);
    abort();
}

size_t shm_family_count(const struct shm_region *region)
{
    uint32_t count =
        atomic_load_explicit(&region->layout->header.family_count, memory_order_acquire);

    return count < SHM_FAMILIES_MAX ? count : SHM_FAMILIES_MAX;
}

struct shm_family *shm_family_at(const struct shm_region *region, size_t index)
{
    shm_check_index("family", (unsigned)index, (unsigned)shm_family_count(region));
    return &region->layout->families[index];
}

const char *shm_family_name(const struct shm_family *family)
{
    return family->name;
}

static struct shm_family *find_family(const struct shm_region *region, const char *name)
{
    size_t count = shm_family_count(region);

    for (size_t i = 0; i < count; i++) {
        struct shm_family *family = &region->layout->families[i];

        if (strncmp(family->name, name, sizeof family->name) == 0)
            return family;
    }
    return NULL;
}

/* The count is raised last: a process killed before has added nothing, and the next one fills the
 * same slot again. */
static struct shm_family *add_family(struct shm_region *region, const char *name)
{
    size_t count = shm_family_count(region);
    struct shm_family *family = &region->layout->families[count];

    if (count == SHM_FAMILIES_MAX)
        return NULL;
    memset(family->name, 0, sizeof family->name);
    memcpy(family->name, name, strnlen(name, sizeof family->name - 1));
    shm_lock_make(&family->notes_lock);
    shm_checkpoint("family.filled");
    atomic_store_explicit(&region->layout->header.family_count, (uint32_t)count + 1,
                          memory_order_release);
    return family;
}

enum error shm_family_join(struct shm_region *region, const char *name, struct shm_family **family,
                           struct problem *problem)
{
    size_t length = strnlen(name, SHM_FAMILY_NAME_MAX);
    bool inherited;

    if (length == 0 || length == SHM_FAMILY_NAME_MAX)
        return problem_set(problem, ERROR_INVALID, "shm_family_name",
                           "a family's name has 1 to %d bytes", SHM_FAMILY_NAME_MAX - 1);
    *family = find_family(region, name); /* there for good once it is counted: no lock is needed */
    if (*family)
        return ERROR_NONE;
    if (!shm_lock_take_within(&region->layout->header.join_lock, shm_open_timeout_ms, &inherited))
        return problem_set(problem, ERROR_BUSY, "shm_locked",
                           "another process keeps the table of families locked");
    *family = find_family(region, name);
    if (!*family)
        *family = add_family(region, name);
    shm_lock_give(&region->layout->header.join_lock);
    if (!*family)
        return problem_set(problem, ERROR_TOO_LARGE, "shm_families",
                           "no room for family %s beside %d others", name, SHM_FAMILIES_MAX);
    return ERROR_NONE;
}
