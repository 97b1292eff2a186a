/* Any bytes through the strict reader; what it accepts is written and read again, and stays the
 * same. */
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *write_text(struct arena *arena, const json_t *document)
{
    struct text text;
    struct json_writer writer;

    text_start(&text, arena, 1 << 26);
    writer_start(&writer, &text);
    writer_value(&writer, document);
    return text.bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_create(1 << 28);
    struct json_fault fault;
    json_t *first, *second;

    if (json_read(arena, (const char *)data, size, 32, &first, &fault) == ERROR_NONE) {
        char *text = write_text(arena, first);

        if (json_read(arena, text, strlen(text), 32, &second, &fault) != ERROR_NONE ||
            strcmp(write_text(arena, second), text) != 0)
            abort();
    } else if (fault.offset > size) {
        abort();
    }
    arena_destroy(arena);
    return 0;
}
