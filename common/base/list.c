/* Lists that grow in an arena. */
#include "base/list.h"

#include <string.h>

enum { ITEMS_AT_FIRST = 8 };

/* The capacity doubles whenever it is full, so `count` alone says when that is. */
static bool is_full(size_t count)
{
    return count == 0 || (count >= ITEMS_AT_FIRST && (count & (count - 1)) == 0);
}

void *list_add(struct arena *arena, void *items, size_t *count, size_t size)
{
    char *old, *room;

    memcpy(&old, items, sizeof old);
    room = old;
    if (is_full(*count)) {
        room = arena_alloc(arena, (*count ? *count * 2 : ITEMS_AT_FIRST) * size);
        if (*count)
            memcpy(room, old, *count * size);
        memcpy(items, &room, sizeof room);
    }
    return memset(room + (*count)++ * size, 0, size);
}
