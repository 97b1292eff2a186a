/* Any bytes through the strict reader; what it accepts is written and read again, and stays the
 * same. */
#include "fuzz.h"

#include "base/json.h"

#include <string.h>

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

        PROMISE(!json_read(arena, text, strlen(text), 32, &second, &fault) &&
                    strcmp(write_text(arena, second), text) == 0,
                "what is written is read as the same");
    } else {
        PROMISE(fault.offset <= size, "a fault is inside the document");
    }
    arena_destroy(arena);
    return 0;
}
