/* Counts by name, kept and written. */
#include "livedata/counts.h"

#include "base/json.h"
#include "base/list.h"

#include <string.h>

enum { TEXT_MAX = 1 << 20 };

void counts_add(struct arena *arena, struct named_counts *counts, const char *name)
{
    struct named_count *added;

    for (size_t i = 0; i < counts->count; i++)
        if (strcmp(counts->items[i].name, name) == 0) {
            counts->items[i].count++;
            return;
        }
    added = LIST_ADD(arena, counts);
    *added = (struct named_count){.name = name, .count = 1};
}

const char *counts_text(struct arena *arena, const struct named_counts *counts)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, TEXT_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    for (size_t i = 0; i < counts->count; i++)
        writer_key_integer(&writer, counts->items[i].name, counts->items[i].count);
    writer_close_object(&writer);
    return text.bytes;
}
