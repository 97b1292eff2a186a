/* Entity types as one text, which SQL and the hub of streams can search. */
#include "livedata/access/types.h"

#include "base/text.h"
#include "livedata/catalog/catalog.h"

#include <string.h>

enum { TYPES_TEXT_MAX = 16384 };

const char *entity_types_text(struct arena *arena, const struct string_list *types)
{
    struct text text;

    if (!types)
        return NULL;
    text_start(&text, arena, TYPES_TEXT_MAX);
    text_append_byte(&text, ',');
    for (size_t i = 0; i < types->count; i++) {
        const struct serving_table *table = serving_table_find(types->items[i]);

        text_append_string(&text, table && table->entity ? table->entity : types->items[i]);
        text_append_byte(&text, ',');
    }
    return text.bytes;
}

static bool has(const char *types, const char *type, size_t length)
{
    for (const char *at = strchr(types, ','); at && at[1]; at = strchr(at + 1, ','))
        if (strncmp(at + 1, type, length) == 0 && at[1 + length] == ',')
            return true;
    return false;
}

bool entity_types_have(const char *types, const char *type)
{
    return !types || has(types, type ? type : "", type ? strlen(type) : 0);
}

bool entity_types_cover(const char *types, const char *some)
{
    if (!types)
        return true;
    for (const char *at = some; at && at[1]; at = strchr(at + 1, ','))
        if (!has(types, at + 1, strcspn(at + 1, ",")))
            return false;
    return some != NULL;
}
