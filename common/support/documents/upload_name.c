/* Names of uploads: cleaning them, and the kinds that are taken. */
#include "support/documents/upload_name.h"
#include "base/text.h"
#include "text/words.h"

#include <string.h>

enum { NAME_MAX_BYTES = 255 };

const char *upload_base_name(const char *name)
{
    const char *slash = strrchr(name, '/'), *backslash;

    if (slash)
        name = slash + 1;
    backslash = strrchr(name, '\\');
    return backslash ? backslash + 1 : name;
}

const char *upload_clean_name(struct arena *arena, const char *name)
{
    struct text clean;
    size_t length;

    name = upload_base_name(name);
    length = strlen(name);
    text_start(&clean, arena, NAME_MAX_BYTES);
    for (size_t at = 0; at < length;) {
        int32_t character = 0;
        size_t taken = letter_read(name + at, length - at, &character);
        enum letter_kind kind = taken ? letter_kind(character) : LETTER_NONE;

        if (kind != LETTER_NONE || (character && character < 128 && strchr("-._", character)))
            text_append(&clean, name + at, taken);
        else
            text_append_byte(&clean, '_');
        at += taken ? taken : 1;
    }
    return clean.overflowed || !clean.length || clean.bytes[0] == '.' ? NULL : clean.bytes;
}

const char *upload_numbered_name(struct arena *arena, const char *clean, int number)
{
    const char *end = arena_print(arena, "-%d%s", number, upload_extension(clean));
    size_t length = strlen(clean) - strlen(upload_extension(clean));

    if (length + strlen(end) > NAME_MAX_BYTES)
        length = NAME_MAX_BYTES - strlen(end);
    while (length && ((unsigned char)clean[length] & 0xc0) == 0x80) /* inside a character */
        length--;
    return arena_print(arena, "%.*s%s", (int)length, clean, end);
}

const char *upload_extension(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot ? dot : "";
}

bool upload_is_allowed(enum file_type type)
{
    return type != FILE_UNKNOWN;
}
