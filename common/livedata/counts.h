/* Counters with names not known in advance, as a JSON object: {"late": 3, "lost": 1}. */
#ifndef ASSAY_LIVEDATA_COUNTS_H
#define ASSAY_LIVEDATA_COUNTS_H

#include "base/arena.h"

#include <stdint.h>

struct named_count {
    const char *name;
    int64_t count;
};
struct named_counts {
    size_t count;
    struct named_count *items;
};

/* Increments the counter of that name; creates it if needed. */
void counts_add(struct arena *arena, struct named_counts *counts, const char *name);

/* In the order in which the names were added. */
const char *counts_text(struct arena *arena, const struct named_counts *counts);

#endif
