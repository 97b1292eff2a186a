/* Texts of several lists, each with the lists that contain it, in order of first occurrence. Linear
 * in the number of texts. */
#ifndef ASSAY_EXPERIMENTS_REPORTS_SHARED_ITEMS_H
#define ASSAY_EXPERIMENTS_REPORTS_SHARED_ITEMS_H

#include "base/arena.h"
#include "base/optional.h"

struct shared_items;

/* Capacity: at most `capacity` texts of at most 32 lists. */
struct shared_items *shared_items_new(struct arena *arena, size_t capacity);

/* Adds the texts of list number `list`, trimmed, without blank and repeated ones. */
void shared_items_add(struct shared_items *items, const struct string_list *texts, unsigned list);

/* Texts that exactly the lists in `holders` contain, one bit per list, in order of first
 * occurrence. */
struct string_list shared_items_of(const struct shared_items *items, unsigned holders);

/* All texts; `counts` has the number of lists that contain each. */
struct string_list shared_items_all(const struct shared_items *items, int **counts);

#endif
