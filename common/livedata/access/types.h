/* Which types of entities a key may see, as one text: ",order,user,"; NULL = all of them. */
#ifndef ASSAY_LIVEDATA_ACCESS_TYPES_H
#define ASSAY_LIVEDATA_ACCESS_TYPES_H

#include "base/arena.h"
#include "base/string_list.h"

#include <stdbool.h>

/* Of a key's list, where tables stand for what is in them; NULL for NULL. */
const char *entity_types_text(struct arena *arena, const struct string_list *types);

/* Whether `type` is one of them; NULL, what belongs to no entity, is only for who may see all. */
bool entity_types_have(const char *types, const char *type);

/* Whether all of `some` are among `types`. */
bool entity_types_cover(const char *types, const char *some);

#endif
