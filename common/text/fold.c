/* Case folding and lower case with utf8proc. */
#include "text/fold.h"

#include <string.h>
#include <utf8proc.h>

/* The same as utf8proc_NFKC_Casefold(), but in the arena's memory: a jump out of an exhausted arena
 * would leak memory that utf8proc allocates. */
const char *text_fold(struct arena *arena, const char *text)
{
    const utf8proc_option_t options = UTF8PROC_NULLTERM | UTF8PROC_STABLE | UTF8PROC_COMPOSE |
                                      UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE;
    const utf8proc_uint8_t *bytes = (const utf8proc_uint8_t *)text;
    utf8proc_ssize_t count = utf8proc_decompose(bytes, 0, NULL, 0, options);
    utf8proc_int32_t *characters;

    if (count < 0)
        return arena_copy_string(arena, text);
    characters = ARENA_ARRAY(arena, utf8proc_int32_t, (size_t)count + 1); /* and a NUL */
    count = utf8proc_decompose(bytes, 0, characters, count, options);
    if (count < 0 || utf8proc_reencode(characters, count, options) < 0)
        return arena_copy_string(arena, text);
    return (const char *)characters;
}

enum { CHARACTER_MAX = 4 }; /* bytes of UTF-8 */

const char *text_lower(struct arena *arena, const char *text)
{
    const utf8proc_uint8_t *at = (const utf8proc_uint8_t *)text;
    size_t length = strlen(text);
    char *lower = arena_alloc(arena, length * CHARACTER_MAX + 1), *end = lower;

    while (*at) {
        utf8proc_int32_t character;
        utf8proc_ssize_t taken = utf8proc_iterate(at, -1, &character);

        if (taken <= 0)
            return arena_copy(arena, text, length);
        end += utf8proc_encode_char(utf8proc_tolower(character), (utf8proc_uint8_t *)end);
        at += taken;
    }
    *end = '\0';
    return lower;
}

static bool is_invisible(utf8proc_int32_t character)
{
    return utf8proc_category(character) >= UTF8PROC_CATEGORY_ZS; /* the last of the categories */
}

bool text_has_invisible(const char *text)
{
    const utf8proc_uint8_t *at = (const utf8proc_uint8_t *)text;
    const utf8proc_uint8_t *end = at + strlen(text);

    while (at < end) {
        utf8proc_int32_t character;
        utf8proc_ssize_t step = utf8proc_iterate(at, end - at, &character);

        if (step <= 0 || is_invisible(character))
            return true;
        at += step;
    }
    return false;
}
