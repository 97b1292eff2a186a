/* The entity types that a key may read, as one text: ",order,user,"; NULL = all types. */
#ifndef ASSAY_LIVEDATA_ACCESS_TYPES_H
#define ASSAY_LIVEDATA_ACCESS_TYPES_H

#include "base/arena.h"
#include "base/string_list.h"

#include <stdbool.h>

/* Converts a key's list; a table stands for its entity type; NULL for NULL. */
const char *entity_types_text(struct arena *arena, const struct string_list *types);

/* Whether `type` is in the list; a NULL type (no entity) is the empty name, which no key names. */
bool entity_types_have(const char *types, const char *type);

/* Whether all of `some` are among `types`. */
bool entity_types_cover(const char *types, const char *some);

#endif
