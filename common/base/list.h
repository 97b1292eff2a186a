/* Lists that grow in an arena: any struct with the members `count` and `items`. */
#ifndef ASSAY_BASE_LIST_H
#define ASSAY_BASE_LIST_H

#include "base/arena.h"

/* Appends a zeroed item and returns a pointer to it. `list` points to a struct with `size_t count`
 * and `items`, a pointer to the item type; it starts zeroed. Adding may move the items. */
#define LIST_ADD(arena, list) ARRAY_ADD(arena, (list)->items, (list)->count)

/* The same for two members or variables of other names. */
#define ARRAY_ADD(arena, items, count)                                                             \
    ((__typeof__(items))list_add((arena), &(items), &(count), sizeof *(items)))

/* The same by the size of an item; `items` is the address of the pointer. For a struct
 * object_list. */
void *list_add(struct arena *arena, void *items, size_t *count, size_t size);

#endif
