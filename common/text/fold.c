/* Folding and lower case with utf8proc. */
#include "text/fold.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

const char *text_fold(struct arena *arena, const char *text)
{
    utf8proc_uint8_t *folded = utf8proc_NFKC_Casefold((const utf8proc_uint8_t *)text);
    const char *copy;

    if (!folded)
        return arena_copy_string(arena, text);
    copy = arena_copy_string(arena, (const char *)folded);
    free(folded);
    return copy;
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
