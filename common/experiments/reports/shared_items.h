/* Texts that several lists share: which list has which, in the order of arrival. Linear in the
 * number of texts. */
#ifndef ASSAY_EXPERIMENTS_REPORTS_SHARED_ITEMS_H
#define ASSAY_EXPERIMENTS_REPORTS_SHARED_ITEMS_H

#include "base/arena.h"
#include "base/optional.h"

struct shared_items;

/* For at most `capacity` texts of at most 32 lists. */
struct shared_items *shared_items_new(struct arena *arena, size_t capacity);

/* Adds the texts of list number `list`, trimmed, without blank and repeated ones. */
void shared_items_add(struct shared_items *items, const struct string_list *texts, unsigned list);

/* Those that exactly the lists of `holders` have, a bit per list, in the order they were met. */
struct string_list shared_items_of(const struct shared_items *items, unsigned holders);

/* All of them; `counts` has the number of lists that each is in. */
struct string_list shared_items_all(const struct shared_items *items, int **counts);

#endif
