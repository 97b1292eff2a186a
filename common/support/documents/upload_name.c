/* Names of uploads: cleaning them, and the kinds that are taken. */
#include "support/documents/upload_name.h"
#include "base/text.h"
#include "text/words.h"

#include <string.h>

enum { NAME_MAX_BYTES = 255 };

const char *upload_clean_name(struct arena *arena, const char *name)
{
    struct text clean;
    const char *slash = strrchr(name, '/'), *backslash;
    size_t length;

    if (slash)
        name = slash + 1;
    backslash = strrchr(name, '\\');
    if (backslash)
        name = backslash + 1;
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

const char *upload_extension(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot ? dot : "";
}

bool upload_is_allowed(enum file_type type)
{
    return type == FILE_PDF || type == FILE_DOCX || type == FILE_TXT || type == FILE_MD ||
           type == FILE_HTML;
}
