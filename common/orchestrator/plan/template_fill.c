/* Variables of prompt templates. */
#include "orchestrator/plan/template_fill.h"

#include <string.h>

enum { TEXT_MAX = 16 << 20 };

static bool is_of_name(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_' || byte == '-' || byte == '.';
}

/* The variable that begins at `at`, which points to `{{`: its name and the byte after it. NULL when
 * there is none. */
static const char *read_name(struct arena *arena, const char *at, const char **after)
{
    const char *start = at + 2 + strspn(at + 2, " ");
    size_t length = 0;

    while (is_of_name(start[length]))
        length++;
    *after = start + length + strspn(start + length, " ");
    if (!length || strncmp(*after, "}}", 2) != 0)
        return NULL;
    *after += 2;
    return arena_copy(arena, start, length);
}

/* False when the value is no text, number or boolean. */
static bool append_value(struct text *out, const json_t *value)
{
    const char *type = json_string_value(json_object_get(value, "type"));
    struct json_writer writer;

    if (type && strcmp(type, "input_text") == 0)
        value = json_object_get(value, "text");
    if (json_is_string(value)) {
        text_append_string(out, json_string_value(value));
        return true;
    }
    if (!json_is_number(value) && !json_is_boolean(value))
        return false;
    writer_start(&writer, out);
    writer_value(&writer, value);
    return true;
}

const char *template_fill(struct arena *arena, const char *text, const json_t *variables,
                          const char **missing)
{
    struct text out;

    text_start(&out, arena, TEXT_MAX);
    for (const char *open = strstr(text, "{{"); open; open = strstr(text, "{{")) {
        const char *after, *name = read_name(arena, open, &after);

        if (!name) {
            text_append(&out, text, (size_t)(open - text) + 1);
            text = open + 1;
            continue;
        }
        text_append(&out, text, (size_t)(open - text));
        if (!append_value(&out, json_object_get(variables, name))) {
            *missing = name;
            return NULL;
        }
        text = after;
    }
    text_append_string(&out, text);
    return out.bytes;
}
